//! The GPU's code for whole expressions, without a GPU: what users record is planned, the
//! kernels are rendered as CUDA C++, run by the emulator against the reference interpreter, and
//! compiled by NVRTC for several architectures.

use crate::backend::cuda::render::tests::{check_planned, compile_planned, source};
use crate::eval::prepare;
use crate::kernel::Kernel;
use crate::plan;
use crate::prelude::*;
use crate::{PadMode, concatenate, stack};
use ndarray::{Array1, ArrayView1, ArrayViewMut1, SliceInfoElem};

type Array = DeviceArray<f64>;

/// Plans the evaluation and checks each of its kernels.
pub(crate) fn check(name: &str, arrays: &[&dyn AnyArray]) {
    for_each_kernel(name, arrays, check_planned);
}

/// Plans the evaluation and compiles each of its kernels: what attempts decide, or branches that other
/// arithmetic takes, the emulator need not give alike.
pub(crate) fn compile(name: &str, arrays: &[&dyn AnyArray]) {
    for_each_kernel(name, arrays, compile_planned);
}

fn for_each_kernel(name: &str, arrays: &[&dyn AnyArray], test: fn(&str, &Kernel, (u32, u32))) {
    const ARCHITECTURES: [(u32, u32); 3] = [(8, 0), (9, 0), (10, 0)];
    let nodes: Vec<_> = arrays.iter().map(|a| a.any_node().0.clone()).collect();
    let prepared = prepare(&nodes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (prepared, ..) = prepared.unwrap_or_else(|| panic!("{name}: nothing to evaluate"));
    for (k, step) in prepared.plan.kernels().enumerate() {
        let arch = ARCHITECTURES[(name.len() + k) % ARCHITECTURES.len()];
        test(&format!("{name} {k}"), &step.kernel, arch);
    }
}

#[test]
fn fifty_sizes_share_few_sources() {
    on_the_processor(|| {
        let mut sources: Vec<String> = Vec::new();
        for n in (0..50).map(|k| 1000 + 37 * k) {
            let x: Array = ones(&[n]);
            let total = ((&x * 2.0 + 0.25).square() - x.roll(1, 0)).sum(..);
            let (prepared, ..) =
                prepare(&[total.node().clone()]).unwrap().expect("something to evaluate");
            assert_eq!(prepared.plan.steps.len(), 1);
            let source = source(&prepared.plan.kernels().next().expect("a kernel").kernel);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        assert!(sources.len() <= 4, "{} sources:\n{}", sources.len(), sources.join("\n"));
    });
}

/// Threads that look several places up are neighbours where their places are: no packs, which would put
/// a warp's places four times as far apart.
#[test]
fn places_that_are_looked_up_are_not_packed() {
    on_the_processor(|| {
        let picture = ones::<f32>(&[2048, 2048]);
        let places = ones::<f32>(&[2, 2048, 2048]);
        crate::eval(&[&picture, &places]).unwrap();
        let turned = crate::ndimage::map_coordinates(&picture, &places, 1);
        let (prepared, ..) =
            prepare(&[turned.node().clone()]).unwrap().expect("something to evaluate");
        for step in prepared.plan.kernels() {
            let source = source(&step.kernel);
            assert!(source.contains("in1") && !source.contains("_pack<"), "{source}");
        }
    });
}

/// A loop over single elements becomes kernels of many functions: each is compiled once.
#[test]
fn functions_that_are_called_often_are_written_once() {
    on_the_processor(|| {
        let a: Array = ones(&[64, 64]);
        let (mut trace, mut spread) = (ones::<f64>(&[]), ones::<f64>(&[]));
        for k in 0..60 {
            let x = a.slice(s![k, k]);
            trace += x.tanh();
            spread += x.power(a.slice(s![k, 0])) + x.hypot(&trace);
        }
        check("trace", &[&trace, &spread]);
        let nodes = [trace.node().clone(), spread.node().clone()];
        let (prepared, ..) = prepare(&nodes).unwrap().expect("something to evaluate");
        for step in prepared.plan.kernels() {
            let source = source(&step.kernel);
            for name in ["lz_tanh(", "lz_power(", "lz_hypot("] {
                assert!(source.matches(name).count() <= 24, "{name} in\n{source}");
            }
        }
    });
}

/// A heavy function of several types, whose numbers are usual for some elements.
#[crate::vectorize]
fn mixed(z: Complex<f64>, x: f64, y: f32, n: i32) -> (f64, f32) {
    let w = z / x + z.sqrt();
    let size = (w.re * w.re + w.im * w.im).sqrt() + x.atan2(w.re);
    let decay = if n > 0 { (-size).exp() / (1.0 + x.exp()) } else { 1.0 / size };
    (decay.abs().ln(), y.sqrt() / (1.0 + y.exp()) + y.ln() + (1 / (n * n + 1)) as f32)
}

#[test]
fn functions_for_usual_arguments() {
    on_the_processor(|| {
        for n in [4096, 1001] {
            let (z, x): (DeviceArray<Complex<f64>>, Array) = (ones(&[n]), ones(&[n]));
            let (y, k): (DeviceArray<f32>, DeviceArray<i32>) = (ones(&[n]), ones(&[n]));
            let (a, b) = mixed::call(&z, &x, &y, &k);
            check("mixed", &[&a, &b]);
            check("mixed alone", &[&a]);
        }
        let (row, column): (Array, Array) = (ones(&[90]), ones(&[33, 1]));
        let ratio = (&row / &column).exp() + column.atan2(&row) / row.sqrt();
        check("heavy mesh", &[&(&ratio.ln() + (&row + &column).exp())]);
        // A short innermost axis, and none at all.
        let heavy = |x: &Array, y: &Array| (x / y).exp() + (y.sqrt() / x.ln()).exp() + x.atan2(y);
        check("heavy and short", &[&heavy(&ones(&[40, 33, 1]), &ones(&[3]))]);
        check("heavy number", &[&heavy(&ones(&[]), &ones(&[]))]);
    });
}

/// The normal distribution, by Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
#[crate::device]
fn cumulative<T: Float>(d: T) -> T {
    let k = T::ONE / (T::ONE + T::from_f64(0.2316419) * d.abs());
    let inner = k * (T::from_f64(-1.821255978) + k * T::from_f64(1.330274429));
    let middle = k * (T::from_f64(-0.356563782) + k * (T::from_f64(1.781477937) + inner));
    let polynomial = k * (T::from_f64(0.31938153) + middle);
    let tail = T::from_f64(0.3989422804014327) * (T::from_f64(-0.5) * d * d).exp() * polynomial;
    if d > T::ZERO { T::ONE - tail } else { tail }
}

/// Black and Scholes, 1973: a European call and put.
#[crate::vectorize]
fn prices<T: Float>(s: T, x: T, t: T) -> (T, T) {
    let spread = T::from_f64(0.3) * t.sqrt();
    let d1 = ((s / x).ln() + T::from_f64(0.065) * t) / spread;
    let (c1, c2) = (cumulative(d1), cumulative(d1 - spread));
    let strike = x * (T::from_f64(-0.02) * t).exp();
    (s * c1 - strike * c2, strike * (T::ONE - c2) - s * (T::ONE - c1))
}

#[test]
fn prices_of_options() {
    fn both<T: Float>(name: &str) {
        let [s, x, t]: [DeviceArray<T>; 3] = [ones(&[4096]), ones(&[4096]), ones(&[4096])];
        let (call, put) = prices::call(&s, &x, &t);
        check(name, &[&call, &put]);
    }
    on_the_processor(|| {
        both::<f32>("prices of floats");
        both::<f64>("prices of doubles");
    });
}

fn ones<T: Number>(shape: &[usize]) -> DeviceArray<T> {
    DeviceArray::from_vec(shape, vec![T::ONE; shape.iter().product()]).expect("an upload")
}

fn on_the_processor(test: impl FnOnce()) {
    Device::cpu().scope(test);
}

#[test]
fn elementwise_expressions() {
    on_the_processor(|| {
        let (a, b): (Array, Array) = (ones(&[9, 20]), ones(&[20]));
        let chain = (a.sin() * &b + 1.5).exp().cast::<f32>().sqrt() - 0.5;
        check("chain", &[&chain, &chain.greater(1.0)]);
        let views = a.t().reshape([9, 20]).flip(0).roll(5, 1) + a.slice(s![.., ..;-1]);
        check("views", &[&views]);
        let padded = a.pad(&[(2, 1), (0, 3)], PadMode::Reflect).sum(keep(0))
            + a.pad(&[(2, 1), (0, 3)], PadMode::Constant(2.0));
        check("padded", &[&padded]);
        let line = Array::linspace(-1.0, 1.0, 20);
        let generated = select(&a.greater(&line), &a, line.broadcast_to([9, 20])) + line.square();
        check("generated", &[&generated]);
        let joined = concatenate(&[&a, &(&a * 2.0), &b.broadcast_to([3, 20])], 0) + &b;
        check("joined", &[&joined]);
        let at: DeviceArray<i64> = ones(&[7]);
        check("taken", &[&(a.take_clipped(&at, 1) + 1.0), &a.take_along_axis(&a.argsort(1), 1)]);
    });
}

/// Checks an assignment to a region of an array of 64 by 40 whose value reads the array, and gives
/// the number of kernels, and whether the last one writes in place.
fn assigned<S: AsRef<[SliceInfoElem]>>(
    name: &str,
    region: S,
    value: impl Fn(&Array) -> Array,
) -> (usize, bool) {
    let mut a: Array = ones(&[64, 40]);
    a.assign(region, value(&a));
    check(name, &[&a]);
    let prepared = prepare(&[a.node().clone()]).expect("a plan");
    let (prepared, ..) = prepared.expect("something to evaluate");
    let kernels: Vec<_> = prepared.plan.kernels().collect();
    let in_place = kernels.iter().position(|step| !step.in_place.is_empty());
    (kernels.len(), in_place == Some(kernels.len() - 1))
}

#[test]
fn assignments_that_read_what_they_overwrite() {
    on_the_processor(|| {
        let one = (1, true);
        let above = |a: &Array| a.slice(s![4, ..]) * 0.5 + a.slice(s![5, ..]);
        assert_eq!(assigned("a row from that above", s![5, ..], above), one);
        let scaled = |a: &Array| a.slice(s![..;2, 3..9]) * 2.0;
        assert_eq!(assigned("every other row", s![..;2, 3..9], scaled), one);
        let colours = |a: &Array| a.slice(s![1..;2, ..]).sin();
        assert_eq!(assigned("one colour from the other", s![..;2, ..], colours), one);
        let product = |a: &Array| (a.slice(s![9, ..7]) * a.slice(s![..7, 8])).sum(..);
        assert_eq!(assigned("an element from a row", s![9, 8], product), one);
        let softmax = |a: &Array| a.slice(s![.., ..4]).softmax(0);
        assert_eq!(assigned("columns from themselves", s![.., ..4], softmax), one);
        // Where threads would read what others write: a small value first, else a copy.
        let shifted = |a: &Array| a.slice(s![5, ..-1]) + a.slice(s![5, 1..]);
        assert_eq!(assigned("a row from itself", s![5, 1..], shifted), (2, true));
        let turned = |a: &Array| a.slice(s![5, ..;-1]);
        assert_eq!(assigned("a row turned round", s![5, ..], turned), (2, true));
        let first = |a: &Array| a.slice(s![5, ..]) - a.slice(s![5, ..1]);
        assert_eq!(assigned("a row from its first", s![5, ..], first), (2, true));
        // An element that is there is a number, and no part of the array.
        let number = |a: &Array| a.slice(s![5, ..]) - a.slice(s![5, 0]);
        assert_eq!(assigned("a row from a number", s![5, ..], number), one);
        let sweep = |a: &Array| a.slice(s![..-2, ..]) + a.slice(s![2.., ..]);
        assert_eq!(assigned("a sweep", s![1..-1, ..], sweep), (1, false));
    });
}

#[test]
fn sums_over_windows_in_resident_rows() {
    on_the_processor(|| {
        let around = |z: &Array, reach: usize| {
            z.pad(&[(0, 0), (reach, reach)], PadMode::Wrap).sliding_windows(2 * reach + 1, 1)
        };
        let z: Array = ones(&[5, 70]);
        let weights: Array = ones(&[13]);
        let large = (around(&z, 6) * &weights).sum(-1);
        let product = around(&large.roll(3, 1), 6) * around(&large.roll(-2, 1), 6);
        let slope = product.sum(-1) - &large * large.roll(1, 1) + (&z - &large).roll(2, 1);
        check("slope", &[&slope]);
        let next = &z + around(&(&z + &slope), 4).max(-1) * 0.5 + &slope;
        check("stages", &[&next]);
        // The first of a slope's rows is still read when the last is filled.
        let slope = |z: &Array| {
            let large = (around(z, 6) * &weights).sum(-1);
            let mean = around(&large, 4).mean(-1);
            let near = around(&mean.roll(3, 1), 4) * around(&large.roll(-3, 1), 4);
            near.sum(-1) - mean.roll(6, 1) * mean.roll(3, 1) - large
        };
        let first = slope(&z);
        check("two slopes", &[&(&z + slope(&(&z + &first * 0.5)) + &first)]);
        check("rows of floats", &[&around(&large, 5).sum(-1).cast::<f32>(), &large]);
    });
}

#[test]
fn random_numbers_in_packs_and_one_by_one() {
    on_the_processor(|| {
        let mut rng = crate::random::Generator::new(3);
        let (u, v) = (rng.random::<f32>(4100), rng.random::<f32>(4100));
        check("pi", &[&(u.square() + v.square()).less(1.0).mean(..)]);
        check("flat", &[&u, &rng.random::<f64>(4100)]);
        check("odd", &[&rng.random::<f32>([7, 31]), &rng.bits_u64([3, 5])]);
        let x = rng.normal(1.0f32, 2.0, [64, 48]);
        check("rows", &[&x.sum(1), &x.max(0)]);
        check("views", &[&x.slice(s![1.., ..;-1]), &(x.t() + 1.0)]);
        check("normal", &[&rng.standard_normal::<f64>([9, 130])]);
        let a = ones::<f64>(&[30]);
        check("gamma", &[&rng.gamma(&a * 0.5, 2.0, [5, 30]), &rng.beta(2.0f32, a.cast(), 30)]);
        check("counts", &[&rng.poisson(&a * 30.0, 30), &rng.binomial(100, &a * 0.4, 30)]);
        check("integers", &[&rng.integers(-5..17i8, 100), &rng.integers::<u64>(.., 50)]);
        let p = [0.25, 0.5, 0.25];
        check("choice", &[&rng.choice_weighted(&a.slice(s![..3]), &p, [4, 20])]);
        check("classes", &[&rng.categorical(&ones::<f32>(&[40, 6]), 1)]);
    });
}

/// What a large GPU runs for large draws: whole blocks of the generator, wherever places are
/// known to be multiples of one.
#[test]
fn neighbours_share_blocks_of_the_generator() {
    use crate::backend::cuda::render::{Target, render};
    on_the_processor(|| {
        let target = Target { multiprocessors: 132, shared_bytes: 227 << 10 };
        let mut rng = crate::random::Generator::new(3);
        let pair = [rng.random::<f32>(100_000_000), rng.random::<f32>(100_000_000)];
        let pi = (pair[0].square() + pair[1].square()).less(1.0).mean(..);
        let rows = rng.random::<f64>([30_000, 4096]).sum(1);
        let cases: [(&dyn AnyArray, &str); 5] = [
            (&pi, "lz_draw_pack<lz_pack<lz_f32, 4>, lz_f32, 4, lz_uniform>"),
            (&pair[0], "lz_draw_pack<lz_pack<lz_f32, 4>, lz_f32, 4, lz_uniform>"),
            (&rng.random::<f64>(100_000), "lz_f64, 2, lz_uniform>"),
            (&rows, "lz_draw_pack<lz_pack<lz_f64, 2>, lz_f64, 2, lz_uniform>"),
            (&rng.standard_normal::<f32>([4096, 4096]), "lz_f32, 4, lz_normal>"),
        ];
        for (array, wanted) in cases {
            let prepared = prepare(&[array.any_node().0.clone()]).expect("a plan");
            let (prepared, ..) = prepared.expect("something to evaluate");
            let kernels: Vec<_> = prepared.plan.kernels().collect();
            assert_eq!(kernels.len(), 1);
            let rendered = render(&kernels[0].kernel, &target).expect("source");
            println!("// {} {:?}\n{}", rendered.schedule, rendered.grid, rendered.source());
            assert!(rendered.body.contains(wanted), "no {wanted} in\n{}", rendered.body);
        }
    });
}

#[test]
fn expressions_of_every_class_of_type() {
    on_the_processor(|| {
        let half: DeviceArray<f16> = ones(&[6, 11]);
        let brain: DeviceArray<bf16> = ones(&[6, 11]);
        let halves = (half.tanh() * half.cast::<bf16>().cast::<f16>() + f16::ONE).sum(keep(1));
        check("halves", &[&halves, &(&brain * &brain - brain.abs()).mean(0)]);
        let z: DeviceArray<Complex<f32>> = ones(&[6, 11]);
        check("complex", &[&(z.exp() * z.conj()).sum(1), &(&z / z.abs().sum(..))]);
        let n: DeviceArray<i32> = ones(&[6, 11]);
        let integers = (n.floor_divide(3) ^ n.remainder(-4)).left_shift(2) - n.gcd(12);
        check("integers", &[&integers, &n.sum(1), &n.argmax(0)]);
        let small: DeviceArray<u8> = ones(&[6, 11]);
        check(
            "bytes",
            &[&(&small * 7 + small.bitwise_count()), &small.prod(0), &small.cast::<bool>().all(1)],
        );
    });
}

#[test]
fn reductions_and_what_surrounds_them() {
    on_the_processor(|| {
        let x: Array = ones(&[6, 70]);
        check("softmax", &[&x.softmax(-1)]);
        check("softmax of columns", &[&x.softmax(0)]);
        check("standardised", &[&((&x - x.mean(keep(-1))) / x.std(keep(-1)))]);
        check("several", &[&x.sum(..), &x.max(..), &x.argmin(..)]);
        check("variance", &[&x.var(0), &x.nan_sum(0)]);
        let points: DeviceArray<f32> = ones(&[13, 3]);
        let apart = (points.insert_axis(1) - points.insert_axis(0)).square().sum(-1);
        let own = DeviceArray::<f32>::eye(13).greater(0.0);
        check("nearest", &[&select(&own, f32::INFINITY, &apart).min(1)]);
        let cube: DeviceArray<f32> = ones(&[4, 5, 6]);
        check("two axes", &[&cube.sum([0, 2]), &cube.norm(1)]);
    });
}

#[test]
fn stencils_and_assignments() {
    on_the_processor(|| {
        let mut grid: Array = ones(&[12, 15]);
        let inner = grid.slice(s![..-2, 1..-1]) + grid.slice(s![2.., 1..-1]);
        grid.assign(s![1..-1, 1..-1], &(inner * 0.25));
        check("jacobi", &[&grid]);
        let z: Array = ones(&[5, 40]);
        let slope = |z: &Array| (z.roll(-1, 1) - z.roll(2, 1)) * z.roll(1, 1) - z + 8.0;
        let half = &z + 0.5 * slope(&z);
        check("resident rows", &[&(&z + slope(&half) * 0.001)]);
        let mask = z.greater(0.5);
        let rows = stack(&[&z, &z.with_where(&mask, -1.0)], 1).sliding_windows(3, 2).sum(-1);
        check("windows", &[&rows]);
    });
}

#[test]
fn scans_and_what_surrounds_them() {
    on_the_processor(|| {
        let x: Array = ones(&[6, 70]);
        check("cumsum", &[&((&x * 2.0).cumsum(1).exp() + &x)]);
        check("cumsum of columns", &[&x.cumsum(0), &x.cummax(0)]);
        for (rows, columns) in [(2000, 3), (1500, 1), (700, 40), (3001, 8), (90, 300)] {
            let y: DeviceArray<f32> = ones(&[rows, columns]);
            check("few columns", &[&(&y + 1.0).cumsum(0)]);
            check("few columns backwards", &[&y.flip(0).cumprod(0).flip(0), &y.cummin(0)]);
        }
        check("cumsum of all", &[&x.t().cumsum(..)]);
        let back = x.cumsum_with(1, Scan::new().reverse().exclusive());
        check("backwards", &[&(back * x.insert_axis(0).flip(2).squeeze(0))]);
        let long: Array = ones(&[60_000]);
        check("long", &[&long.sin().cumsum(0)]);
        let small: DeviceArray<i8> = ones(&[20_000]);
        check("counted", &[&small.cumsum(0), &small.cummin(0)]);
        let z: DeviceArray<Complex<f64>> = ones(&[3, 9_000]);
        check("complex", &[&z.cumprod(1)]);
        let half: DeviceArray<f16> = ones(&[9, 1000]);
        check("halves", &[&half.cumsum(1), &half.slice(s![.., ..;-2]).cumsum(0)]);
    });
}

#[test]
fn a_cut_after_a_product_is_part_of_the_call_unless_somebody_holds_the_product() {
    /// Library calls and kernels, as a device whose library takes epilogues plans them.
    fn counts(array: &DeviceArray<f32>) -> (usize, usize) {
        let (_, graph, ..) =
            prepare(&[array.node().clone()]).unwrap().expect("something to evaluate");
        let options = plan::Options {
            row_capacity: 0,
            pieces_from: None,
            max_values: 2000,
            max_weight: None,
            launch_cost: 1e6,
            slack: 1e6,
            epilogues: true,
            one_order: false,
        };
        let plan = plan::plan(&graph, options);
        let kernels = plan.kernels().count();
        (plan.steps.len() - kernels, kernels)
    }
    on_the_processor(|| {
        let (x, y): (DeviceArray<f32>, DeviceArray<f32>) = (ones(&[16, 24]), ones(&[24, 8]));
        let (bias, z): (DeviceArray<f32>, DeviceArray<f32>) = (ones(&[8]), ones(&[16, 8]));
        // The product is a temporary, which the statement drops at its end.
        let cut = x.matmul(&y).relu();
        assert_eq!(counts(&cut), (1, 0));
        let cut = (x.matmul(&y) + &bias).relu();
        assert_eq!(counts(&cut), (1, 0));
        let cut = (x.matmul(&y) * 2.0 + &z).relu();
        assert_eq!(counts(&cut), (1, 0));
        // Within the statement somebody still holds it.
        assert_eq!(counts(&x.matmul(&y).relu()), (1, 1));
        let product = x.matmul(&y);
        assert_eq!(counts(&product.relu()), (1, 1));
        let other = x.matmul(&y).maximum(0.5);
        assert_eq!(counts(&other), (1, 1));
    });
}

/// A weighted sum of neighbours on a ring, with an array and a branch between loops.
#[guvectorize("(n),(m)->(n),()")]
fn ring<T: Float>(z: ArrayView1<T>, w: ArrayView1<T>, mut out: ArrayViewMut1<T>, most: &mut T) {
    let n = z.len();
    let mut squares = Array1::<T>::from_elem(n, T::ZERO);
    for i in 0..n {
        squares[i] = if z[i] > T::ZERO { z[i] * z[i] } else { z[i] };
    }
    let mut largest = T::NEG_INFINITY;
    for i in 0..n {
        let mut sum = T::ZERO;
        for j in 0..w.len() {
            sum += w[j] * squares[(i + j) % n];
        }
        out[i] = sum.exp();
        largest = largest.max(out[i]);
    }
    *most = largest;
}

#[test]
fn functions_of_small_arrays() {
    on_the_processor(|| {
        let (z, w): (Array, Array) = (ones(&[4, 50]), ones(&[3]));
        let (out, most) = ring::call(&(&z * 2.0), &w);
        check("ring", &[&(out + 1.0), &most]);
        let (z, w): (DeviceArray<f16>, DeviceArray<f16>) = (ones(&[2, 1, 9]), ones(&[3, 5]));
        let (out, most) = ring::call(&z, &w);
        check("ring of halves", &[&out, &most.sum(0)]);
    });
}

#[test]
fn joins_of_hundreds_of_parts_fit_into_arguments() {
    on_the_processor(|| {
        let x = Array::linspace(0.0, 1.0, 700);
        let part = |k: usize| x.slice(s![k..k + 1]) * (k as f64);
        let parts: Vec<Array> = (0..700).map(part).collect();
        check("computed parts", &[&concatenate(&parts, 0)]);
        let stored: Vec<Array> = (0..300).map(|k| ones(&[k % 5 + 1])).collect();
        check("stored parts", &[&concatenate(&stored, 0)]);
    });
}

#[crate::device]
fn doublings(x: f64) -> f64 {
    let (mut x, mut k) = (x, 0.0);
    while x < 100.0 {
        x *= 2.0;
        k += 1.0;
    }
    k
}

/// What a branch holds runs for the turns that come by alone: a quotient, a loop in a function, and
/// several variables at once, of halves and complex numbers too.
#[allow(clippy::too_many_arguments, clippy::assign_op_pattern)]
#[guvectorize("(n),(n),(n),(n)->(n),(n),(n),(n)")]
fn guarded(
    a: ArrayView1<i64>,
    b: ArrayView1<f64>,
    h: ArrayView1<f16>,
    z: ArrayView1<Complex<f32>>,
    mut quotients: ArrayViewMut1<i64>,
    mut counts: ArrayViewMut1<f64>,
    mut halves: ArrayViewMut1<f16>,
    mut turns: ArrayViewMut1<Complex<f32>>,
) {
    for i in 0..a.len() {
        if a[i] > 0 {
            quotients[i] = 1000 / a[i];
        }
        if b[i] > 0.5 {
            counts[i] = doublings(b[i]);
        }
        let (mut low, mut high) = (h[i], h[i]);
        let mut w = z[i];
        if a[i] > 1 {
            let by = (100 % a[i]) as f32;
            low = low - f16::from_f32(by);
            high = high + f16::from_f32(by);
            w = Complex::new(w.im, (7 / a[i]) as f32);
        }
        halves[i] = low * high;
        turns[i] = w;
    }
}

#[test]
fn pieces_that_run_for_some_turns() {
    on_the_processor(|| {
        let (a, b): (DeviceArray<i64>, Array) = (ones(&[50, 33]), ones(&[33]));
        let (h, z) = (ones::<f16>(&[33]), ones::<Complex<f32>>(&[50, 33]));
        let (quotients, counts, halves, turns) = guarded::call(&a, &b, &h, &z);
        let plan = crate::explain(&[&quotients, &counts, &halves, &turns]);
        assert_eq!(plan.library_calls(), 0, "recorded: {plan}");
        let nodes = [quotients.node().clone(), counts.node().clone(), turns.node().clone()];
        let (prepared, ..) = prepare(&nodes).unwrap().expect("something to evaluate");
        let guarded: Vec<String> = prepared.plan.kernels().map(|k| source(&k.kernel)).collect();
        assert!(guarded.iter().any(|source| source.contains("_live(")), "{guarded:?}");
        check("guarded", &[&quotients, &counts, &halves, &turns]);
        check("guarded quotients", &[&quotients]);
    });
}

#[test]
fn parts_that_begin_where_packs_do() {
    on_the_processor(|| {
        fn joined<T: Float>(name: &str) {
            let parts: Vec<DeviceArray<T>> =
                [4096, 64, 128, 1024, 2880].into_iter().map(|n| ones(&[n])).collect();
            check(&format!("{name}, joined"), &[&concatenate(&parts, 0)]);
            // The last one ends anywhere.
            let cut = concatenate(&[&parts[0], &parts[1], &ones(&[1001])], 0);
            check(&format!("{name}, cut"), &[&(cut.exp() + T::ONE)]);
            let sides: Vec<DeviceArray<T>> =
                [64, 256, 32].into_iter().map(|n| ones(&[40, n])).collect();
            let across = concatenate(&sides, 1);
            check(&format!("{name}, side by side"), &[&(&across * &across)]);
            check(&format!("{name}, summed"), &[&across.sum(1), &across.sum(0)]);
            check(&format!("{name}, softmax"), &[&across.softmax(1)]);
            let padded = parts[0].pad(&[(64, 32)], PadMode::Constant(T::ONE));
            check(&format!("{name}, padded"), &[&padded.sqrt()]);
            let inside = parts[0].with_slice(s![128..1024], parts[3].slice(s![..896]));
            check(&format!("{name}, replaced"), &[&inside]);
            // Parts that begin between packs.
            let odd = concatenate(&[&parts[1].slice(s![1..]), &parts[0]], 0);
            check(&format!("{name}, odd"), &[&odd]);
        }
        joined::<f32>("floats");
        joined::<f64>("doubles");
        joined::<f16>("halves");
    });
}

/// A loop over positions, and how many sources its kernels have.
fn sources_of(turns: impl IntoIterator<Item = Array>) -> usize {
    let mut sources: Vec<String> = Vec::new();
    for a in turns {
        let Some((prepared, ..)) = prepare(&[a.node().clone()]).expect("a plan") else {
            continue;
        };
        for step in prepared.plan.kernels() {
            let source = source(&step.kernel);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        a.eval().expect("an evaluation");
    }
    sources.len()
}

#[test]
fn loops_over_positions_share_few_sources() {
    on_the_processor(|| {
        let n = 40;
        let (a, x): (Array, Array) = (ones(&[n, n]), ones(&[3000]));
        let elements = (1..200).map(|k| x.slice(s![k]) * 0.5 + x.slice(s![k - 1]));
        assert!(sources_of(elements) <= 2);
        let rows = (1..n as isize).map(|k| a.slice(s![k, ..]) - a.slice(s![k - 1, ..]) * 0.5);
        assert!(sources_of(rows) <= 4);
        let pairs = (0..n as isize * 5).map(|k| a.slice(s![k % 40, ..]) * a.slice(s![k / 5, ..]));
        assert!(sources_of(pairs) <= 12);
        let sums = (1..n as isize * 8)
            .map(|k| (a.slice(s![k % 40, ..k / 8]) * a.slice(s![..k / 8, k / 9])).sum(..));
        let count = sources_of(sums);
        assert!(count <= 30, "{count} sources of sums");
    });
}

/// Loops whose slices grow go through all lengths, by kernels of a few classes.
#[test]
fn all_lengths_share_few_sources() {
    on_the_processor(|| {
        let n = 300;
        let matrix: Array = ones(&[n, n]);
        let (x, y): (Array, Array) = (ones(&[n]), ones(&[n]));
        type Statement = fn([&Array; 3], usize) -> Array;
        let statements: [(&str, Statement, usize); 3] = [
            (
                "a row times a vector",
                |[a, x, y], k| {
                    let product = a.slice(s![k, ..k]).dot(&x.slice(s![..k]));
                    (y.slice(s![k]) - product) / a.slice(s![k, k])
                },
                8,
            ),
            (
                "a row times a column",
                |[a, ..], k| {
                    a.slice(s![k, k / 2]) - a.slice(s![k, ..k]).dot(&a.slice(s![..k, k / 2]))
                },
                8,
            ),
            (
                "a column times columns",
                |[a, ..], k| a.slice(s![.., k]).matmul(&a.slice(s![.., k + 1..])),
                8,
            ),
        ];
        for (name, statement, most) in statements {
            let mut sources: Vec<String> = Vec::new();
            for k in 1..n - 1 {
                let value = statement([&matrix, &x, &y], k);
                let (prepared, ..) =
                    prepare(&[value.node().clone()]).unwrap().expect("something to evaluate");
                for step in prepared.plan.kernels() {
                    let source = source(&step.kernel);
                    if !sources.contains(&source) {
                        sources.push(source);
                    }
                }
            }
            assert!(sources.len() <= most, "{name}: {}:\n{}", sources.len(), sources.join("\n"));
        }
    });
}

/// Who waits for whom between the turns of a loop.
#[test]
fn turns_of_a_loop_wait_for_no_more_than_they_read() {
    use crate::backend::cuda::render::Barrier;
    use crate::backend::cuda::render::tests::turns::check_planned_turns;
    let around = |a: &Array| {
        let inner = a.slice(s![1..-1, ..-2]) + a.slice(s![1..-1, 2..]);
        let inner = inner + a.slice(s![2.., 1..-1]) + a.slice(s![..-2, 1..-1]);
        a.with_slice(s![1..-1, 1..-1], inner * 0.25)
    };
    let slope = |z: &Array| (z.roll(-1, 1) - z.roll(2, 1)) * z.roll(1, 1) - z + 8.0;
    type Body<'a> = &'a dyn Fn(&Array) -> Array;
    let bodies: [(&str, Body, Barrier); 7] = [
        ("elementwise", &|x| x.sin() * 0.5 + 0.1, Barrier::None),
        ("rolled along rows", &|x| x.roll(1, 1) * 0.5 + x, Barrier::Grid),
        ("rolled across rows", &|x| x.roll(1, 0) * 0.5 + x, Barrier::Grid),
        ("mean of rows", &|x| x - x.mean(keep(-1)), Barrier::Block),
        ("mean of columns", &|x| x - x.mean(keep(0)), Barrier::Block),
        ("around", &around, Barrier::Grid),
        ("Runge-Kutta", &|z| z + 0.01 * slope(&(z + 0.5 * slope(z))), Barrier::Block),
    ];
    on_the_processor(|| {
        for (name, body, wanted) in bodies {
            let x: Array = ones(&[40, 300]);
            let y = body(&x);
            let (prepared, ..) =
                prepare(&[y.node().clone()]).unwrap().expect("something to evaluate");
            let kernels: Vec<_> = prepared.plan.kernels().collect();
            assert_eq!(kernels.len(), 1, "{name}");
            assert_eq!(check_planned_turns(name, &kernels[0].kernel), Some(wanted), "{name}");
        }
    });
}
