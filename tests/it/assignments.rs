//! Long runs of assignments to parts of arrays: rows, columns and elements one after another, each
//! computed from what was assigned before, as loops in NumPy have them.

use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use ndarray::{Array1, Array2, ArrayD, ArrayViewD, Axis, Slice, SliceInfoElem};

type A = DeviceArray<f64>;
type Region = Vec<SliceInfoElem>;

/// An array, and what it has to be.
#[derive(Clone)]
struct Both {
    array: A,
    host: ArrayD<f64>,
}

impl Both {
    fn new(host: ArrayD<f64>) -> Both {
        Both { array: DeviceArray::from_ndarray(&host).unwrap(), host }
    }

    fn slice(&self, region: &Region) -> Both {
        let host = self.host.slice(&region[..]).to_owned();
        Both { array: self.array.slice(region), host }
    }

    fn with(&self, other: &Both, f: impl Fn(f64, f64) -> f64, g: impl Fn(&A, &A) -> A) -> Both {
        let mut host = self.host.clone();
        host.zip_mut_with(&other.host, |a, &b| *a = f(*a, b));
        Both { array: g(&self.array, &other.array), host }
    }

    fn assign(&mut self, region: &Region, value: &Both) {
        self.array.assign(region, &value.array);
        let value: ArrayViewD<f64> = value.host.view();
        self.host.slice_mut(&region[..]).assign(&value);
    }

    fn check(&self, what: &str) {
        assert_eq!(self.array.copy_to_host().unwrap(), self.host, "{what}");
    }
}

fn range(start: usize, len: usize, step: isize) -> SliceInfoElem {
    let end = Some((start + (len - 1) * step.unsigned_abs() + 1) as isize);
    SliceInfoElem::Slice { start: start as isize, end, step }
}

/// A region of so many positions on each axis, somewhere in an array of a shape.
fn somewhere(random: &mut Rng, shape: [usize; 2], lens: [usize; 2]) -> Region {
    let axis = |random: &mut Rng, n: usize, len: usize| {
        let most = if len > 1 { (n - 1) / (len - 1) } else { 1 };
        let step = if random.one_in(3) { 1 + random.below(most.min(3)) } else { 1 };
        let start = random.below(n - (len - 1) * step);
        range(start, len, if random.one_in(5) { -(step as isize) } else { step as isize })
    };
    vec![axis(random, shape[0], lens[0]), axis(random, shape[1], lens[1])]
}

#[test]
fn random_runs_of_assignments_are_numpys() {
    on_each_device(|device| {
        // Most regions are kernels of their own, each of which a GPU's compiler has to make.
        for seed in 0..if device == Device::cpu() { 150 } else { 2 } {
            let mut random = Rng(seed);
            let shape = random.pick(&[[9, 7], [20, 3], [4, 40], [1, 64], [16, 16]]);
            let host = |k: usize| {
                let at = |(i, j): (usize, usize)| (i * 31 + j * 17 + k * 5) as f64 % 23.0;
                Array2::from_shape_fn(shape, at).into_dyn()
            };
            let mut arrays = [Both::new(host(0)), Both::new(host(1))];
            let mut held: Vec<Both> = Vec::new();
            let same = random.one_in(2);
            let mut lens = [1, 1];
            for turn in 0..70 {
                if turn == 0 || !same || random.one_in(20) {
                    let (rows, columns) = (shape[0], shape[1]);
                    lens = random.pick(&[
                        [1, columns],
                        [rows, 1],
                        [1, 1],
                        [1, 1 + columns / 3],
                        [1 + rows / 2, 1 + columns / 2],
                    ]);
                }
                let target = random.below(2);
                let region = somewhere(&mut random, shape, lens);
                let part = |random: &mut Rng| {
                    let from = if random.one_in(3) { 1 - target } else { target };
                    let at = match random.one_in(4) {
                        true => region.clone(),
                        false => somewhere(random, shape, lens),
                    };
                    arrays[from].slice(&at)
                };
                let (first, second) = (part(&mut random), part(&mut random));
                let value = match random.below(4) {
                    0 => first,
                    1 => first.with(&second, |a, b| (a + b) * 0.5, |a, b| (a + b) * 0.5),
                    2 => first.with(&second, f64::min, |a, b| a.minimum(b)),
                    _ => {
                        let most = second.host.iter().copied().fold(f64::MIN, f64::max);
                        let host = first.host.mapv(|v| (v + most) * 0.25);
                        Both { array: (&first.array + second.array.max(..)) * 0.25, host }
                    }
                };
                if random.one_in(6) {
                    held.push(if random.one_in(2) { value.clone() } else { second });
                }
                arrays[target].assign(&region, &value);
                if random.one_in(8) {
                    held.push(arrays[target].clone());
                }
                if random.one_in(10) && !held.is_empty() {
                    held.swap_remove(random.below(held.len())).check("what was held");
                }
                if random.one_in(15) {
                    arrays[random.below(2)].array.eval().unwrap();
                }
                if random.one_in(25) {
                    let [a, b] = &arrays;
                    lazuli::eval(&[&a.array, &b.array]).unwrap();
                }
            }
            held.iter().for_each(|both| both.check(&format!("held, seed {seed}")));
            arrays.iter().for_each(|both| both.check(&format!("seed {seed}")));
        }
    });
}

#[test]
fn rows_from_the_rows_before_are_written_in_place() {
    on_each_device(|_| {
        let n = 200;
        let host = Array2::from_shape_fn((n, 100), |(i, j)| ((i * 7 + j) % 13) as f64);
        let mut a = DeviceArray::from_ndarray(&host).unwrap();
        let mut expected = host;
        let before = lazuli::counters();
        for k in 1..n {
            let value = a.slice(s![k - 1, ..]) * 0.5 + a.slice(s![k, ..]);
            a.assign(s![k, ..], value);
            let (above, mut below) = expected.view_mut().split_at(Axis(0), k);
            let above = above.index_axis(Axis(0), k - 1);
            below.index_axis_mut(Axis(0), 0).zip_mut_with(&above, |b, a| *b += a * 0.5);
        }
        a.eval().unwrap();
        let after = lazuli::counters();
        assert!(after.kernels - before.kernels <= n as u64);
        // The first assignments are kernels over the whole array; the others allocate nothing.
        assert!(after.allocated - before.allocated < 3 * 8 * 100 * n as u64);
        assert_eq!(a.copy_to_host().unwrap(), expected.into_dyn());
    });
}

#[test]
fn what_overlaps_is_read_before_it_is_written() {
    on_each_device(|_| {
        let n = 4000;
        let mut a = A::arange_to(n as f64);
        let mut expected: Array1<f64> = Array1::from_iter((0..n).map(|k| k as f64));
        for k in 0..40 {
            let from = 50 * k;
            a.assign(s![from + 1..from + 90], a.slice(s![from..from + 89]));
            a.assign(s![from..from + 30], a.slice(s![from..from + 30;-1]) + a.slice(s![from]));
            let whole = expected.clone();
            expected.slice_mut(s![from + 1..from + 90]).assign(&whole.slice(s![from..from + 89]));
            let mut part = expected.slice(s![from..from + 30]).to_owned();
            let first = part[0];
            part.invert_axis(Axis(0));
            expected.slice_axis_mut(Axis(0), Slice::from(from..from + 30)).assign(&(part + first));
        }
        assert_eq!(a.copy_to_host().unwrap(), expected.into_dyn());
    });
}

#[test]
fn what_others_hold_of_the_old_array_stays() {
    on_each_device(|_| {
        let n = 64;
        let mut a = A::zeros([n, n]);
        let mut kept = Vec::new();
        for k in 0..n {
            let row = a.slice(s![(k + 3) % n, ..]) + k as f64;
            let corner = a.slice(s![k, 0]);
            let total = a.slice(s![k.saturating_sub(1), ..]).sum(..);
            let whole = (k == n / 2).then(|| a.clone());
            a.assign(s![k, ..], &row);
            kept.push((row, corner, total, whole));
        }
        let mut host = Array2::<f64>::zeros((n, n));
        for (k, (row, corner, total, whole)) in kept.into_iter().enumerate() {
            let expected = host.row((k + 3) % n).mapv(|v| v + k as f64);
            assert_eq!(corner.item().unwrap(), host[[k, 0]]);
            assert_eq!(total.item().unwrap(), host.row(k.saturating_sub(1)).sum());
            if let Some(whole) = whole {
                assert_eq!(whole.copy_to_host().unwrap(), host.clone().into_dyn());
            }
            host.row_mut(k).assign(&expected);
            assert_eq!(row.copy_to_host().unwrap(), expected.into_dyn());
        }
        assert_eq!(a.copy_to_host().unwrap(), host.into_dyn());
    });
}

#[test]
fn parts_are_replaced_by_what_is_computed_from_all_of_them() {
    on_each_device(|_| {
        type Change = fn(&A) -> A;
        let changes: [(&str, Change); 9] = [
            ("sums down", |a| a.cumsum_with(0, lazuli::Scan::new().exclusive())),
            ("sums along", |a| a.cumsum_with(1, lazuli::Scan::new().exclusive())),
            ("sums from the end", |a| a.cumsum_with(0, lazuli::Scan::new().reverse())),
            ("sorted", |a| a.sort(1)),
            ("deviations", |a| (a - a.mean(keep(1))) / a.std(keep(1))),
            ("softmax down", |a| a.softmax(0)),
            ("rolled", |a| (a * 2.0).roll(1, 1) + a),
            ("rows of their sums", |a| a * a.matmul(&a.t()).sum(..)),
            ("corners", |a| a + a.slice(s![0..1, ..]) * a.slice(s![.., 0..1])),
        ];
        let regions = [s![1..2, ..], s![.., 2..3], s![3..9, 1..], s![.., ..]];
        for (name, change) in changes {
            for region in &regions {
                let at = |(i, j)| ((i * 5 + j * 3) % 11) as f64;
                let host = Array2::from_shape_fn((40, 23), at);
                let new = || A::from_ndarray(&host).unwrap();
                let (mut a, mut b) = (new(), new());
                a.assign(region, change(&a.slice(region)));
                a.eval().unwrap();
                // The value by itself, and the array held by another, so that nothing is in place.
                let value = change(&b.slice(region));
                value.eval().unwrap();
                let held = b.clone();
                b.assign(region, &value);
                assert_eq!(held.copy_to_host().unwrap(), host.clone().into_dyn());
                let bits = |a: &A| a.to_vec().unwrap().into_iter().map(f64::to_bits);
                assert!(bits(&a).eq(bits(&b)), "{name}, {region:?}:\n{a}\n{b}");
            }
        }
    });
}

#[test]
fn factorisations_by_rows_and_columns() {
    on_each_device(|_| {
        // The LU decomposition without pivots, element by element.
        let n = 14;
        let at = |(i, j)| if i == j { 20.0 } else { ((i * 5 + j * 3) % 7) as f64 };
        let mut host = Array2::from_shape_fn((n, n), at);
        let mut a = DeviceArray::from_ndarray(&host).unwrap();
        for i in 0..n {
            for j in 0..n {
                let k = i.min(j);
                let sum = (a.slice(s![i, ..k]) * a.slice(s![..k, j])).sum(..);
                let value = a.slice(s![i, j]) - sum;
                let value = if j < i { value / a.slice(s![j, j]) } else { value };
                a.assign(s![i, j], value);
                let sum: f64 = (0..k).map(|m| host[[i, m]] * host[[m, j]]).sum();
                host[[i, j]] -= sum;
                if j < i {
                    host[[i, j]] /= host[[j, j]];
                }
            }
        }
        let host = DeviceArray::from_ndarray(&host.into_dyn()).unwrap();
        assert!(a.is_close_within(&host, 1e-13, 1e-13).all(..).item().unwrap());
    });
}

/// How many plans something makes.
fn plans(f: impl FnOnce()) -> u64 {
    let before = lazuli::counters().plans;
    f();
    lazuli::counters().plans - before
}

#[test]
fn loops_over_positions_have_few_plans() {
    on_each_device(|_| {
        let n = 300;
        // From the one before: the first assignments are recorded together, and then an element
        // begins at an even place or at an odd one.
        let mut x = A::ones(n);
        let mut host = vec![1.0; n];
        let made = plans(|| {
            for k in 1..n {
                x.assign(s![k], x.slice(s![k - 1]) * 0.5 + x.slice(s![k]));
                host[k] += host[k - 1] * 0.5;
            }
            assert_eq!(x.to_vec().unwrap(), host);
        });
        assert!(made <= 12, "{made} plans for a recurrence");

        let shape = (60, 37);
        let start = Array2::from_shape_fn(shape, |(i, j)| ((i * 7 + j) % 13) as f64);
        let (mut a, mut expected) = (A::from_ndarray(&start).unwrap(), start.clone());
        let made = plans(|| {
            for k in 1..60 {
                let row = a.slice(s![k - 1, ..]) * 2.0 - a.slice(s![k, ..]) + a.slice(s![k, 0]);
                a.assign(s![k, ..], row);
                let first = expected[[k, 0]];
                let row = &expected.row(k - 1) * 2.0 - expected.row(k) + first;
                expected.row_mut(k).assign(&row);
            }
            assert_eq!(a.copy_to_host().unwrap(), expected.clone().into_dyn());
        });
        assert!(made <= 16, "{made} plans for rows");

        // Rows of which one lies anywhere, and columns: windows of their own where they lie apart.
        let b = A::from_ndarray(&start).unwrap();
        let made = plans(|| {
            for k in 0..60 {
                for j in [0, 11, 25, 40, 59] {
                    let sum = (b.slice(s![k, ..]) * b.slice(s![j, ..])).sum(..);
                    assert_eq!(sum.item().unwrap(), start.row(k).dot(&start.row(j)));
                }
            }
            for k in 0..37 {
                let moved = b.slice(s![.., k]) + b.slice(s![..;-1, (k * 17) % 37]);
                let expected = &start.column(k) + &start.slice(s![..;-1, (k * 17) % 37]);
                assert_eq!(moved.copy_to_host().unwrap(), expected.into_dyn());
            }
        });
        assert!(made <= 120, "{made} plans for pairs of rows and columns");
    });
}

#[test]
fn windows_end_where_their_arrays_do() {
    on_each_device(|_| {
        // What is read under a mask, next to a part at the array's end. The values would be right
        // even if the reads went on behind it: that is for the memory checker to see.
        let n = 1000;
        let x = A::arange_to(n as f64);
        x.eval().unwrap();
        for from in [0, 1, 7, 8, n - 9, n - 4] {
            let part = x.slice(s![from..from + 4]);
            let mut expected: Vec<f64> = (from..from + 4).map(|k| k as f64).collect();
            let after = lazuli::concatenate(&[&part, &x.slice(s![0..3])], 0);
            expected.extend([0.0, 1.0, 2.0]);
            assert_eq!(after.to_vec().unwrap(), expected, "joined, from {from}");
            let padded = part.pad(&[(2, 3)], PadMode::Constant(-1.0));
            expected.truncate(4);
            expected.splice(0..0, [-1.0; 2]);
            expected.extend([-1.0; 3]);
            assert_eq!(padded.to_vec().unwrap(), expected, "padded, from {from}");
        }
    });
}

#[test]
fn assignments_of_what_was_assigned_share_no_memory() {
    on_each_device(|_| {
        let most = |v: ndarray::ArrayView2<f64>| v.iter().copied().fold(f64::MIN, f64::max);
        for seed in 0..12usize {
            let host = |k: usize| {
                let number = |i, j| (i * 31 + j * 17 + k * 5 + i * j * seed) * (seed * 2 + 1) % 23;
                Array2::from_shape_fn((20, 3), |(i, j)| number(i, j) as f64)
            };
            let (mut p, mut q) = (host(0), host(1));
            let [mut a, mut b] = [&p, &q].map(|host| A::from_ndarray(host).unwrap());

            let value = b.slice(s![9..20, 1..3]) + a.slice(s![1..12;-1, 1..3]).max(..);
            b.assign(s![7..18, 1..3], value * 0.25);
            let value = (&q.slice(s![9..20, 1..3]) + most(p.slice(s![1..12, 1..3]))) * 0.25;
            q.slice_mut(s![7..18, 1..3]).assign(&value);

            let value = (a.slice(s![16..17;-1, 2..3]) + b.slice(s![10..11, 1..2])) * 0.5;
            b.assign(s![16..17;-1, 2..3], value);
            q[[16, 2]] = (p[[16, 2]] + q[[10, 1]]) * 0.5;

            let value = a.slice(s![0..11, 1..3]).minimum(b.slice(s![9..20, 0..2;-1]));
            a.assign(s![1..12, 0..2], value);
            let mut value = p.slice(s![0..11, 1..3]).to_owned();
            value.zip_mut_with(&q.slice(s![9..20, 0..2;-1]), |a, b| *a = a.min(*b));
            p.slice_mut(s![1..12, 0..2]).assign(&value);

            let value = b.slice(s![5..6, ..]) + b.slice(s![16..17, ..;-1]).max(..);
            b.assign(s![9..10;-1, ..], value * 0.25);
            let value = (&q.slice(s![5..6, ..]) + most(q.slice(s![16..17, ..]))) * 0.25;
            q.slice_mut(s![9..10, ..]).assign(&value);

            b.assign(s![.., 1..2], (b.slice(s![.., 1..2]) + a.slice(s![.., 1..2])) * 0.5);
            let value = (&q.column(1) + &p.column(1)) * 0.5;
            q.column_mut(1).assign(&value);

            let value = a.slice(s![17..18, ..]) + b.slice(s![13..14, ..]).max(..);
            b.assign(s![11..12;-1, ..], value * 0.25);
            let value = (&p.slice(s![17..18, ..]) + most(q.slice(s![13..14, ..]))) * 0.25;
            q.slice_mut(s![11..12, ..]).assign(&value);

            a.assign(s![3..4, ..], b.slice(s![0..1, ..]));
            p.row_mut(3).assign(&q.row(0));

            let value = a.slice(s![7..8;-1, 1..2]) + b.slice(s![15..16, 1..2]).max(..);
            b.assign(s![12..13, 0..1;-1], value * 0.25);
            q[[12, 0]] = (p[[7, 1]] + q[[15, 1]]) * 0.25;

            assert_eq!(a.copy_to_host().unwrap(), p.into_dyn(), "seed {seed}");
            assert_eq!(b.copy_to_host().unwrap(), q.into_dyn(), "seed {seed}");
        }
    });
}

/// A flow in a cavity, its pressure at least, as programs in NumPy have it: what is inside from what
/// is around it, then each border from its neighbour. A sweep is one kernel, sizes with and without
/// an inner part that the processor runs by itself.
#[test]
fn a_stencil_and_its_borders_are_one_kernel() {
    on_each_device(|_| {
        for (rows, columns) in [(3, 3), (4, 7), (17, 33), (70, 101), (101, 64)] {
            let start = Array2::from_shape_fn((rows, columns), |(i, j)| {
                ((i * columns + j) as f64 * 0.7).sin()
            });
            let source =
                Array2::from_shape_fn((rows, columns), |(i, j)| ((i + 2 * j) as f64).cos());
            let mut p = DeviceArray::from_ndarray(&start).unwrap();
            let b = DeviceArray::from_ndarray(&source).unwrap();
            let mut expected = start;
            for sweep in 0..4 {
                let (north, south) = (p.slice(s![2.., 1..-1]), p.slice(s![..-2, 1..-1]));
                let (east, west) = (p.slice(s![1..-1, 2..]), p.slice(s![1..-1, ..-2]));
                let inner = ((east + west) * 0.5 + (north + south) * 0.25) / 1.5;
                p.assign(s![1..-1, 1..-1], inner - b.slice(s![1..-1, 1..-1]) * 0.125);
                p.assign(s![.., -1], p.slice(s![.., -2]));
                p.assign(s![0, ..], p.slice(s![1, ..]));
                p.assign(s![.., 0], p.slice(s![.., 1]));
                p.assign(s![-1, ..], 0.0);
                // The third is evaluated with the second.
                let plan = lazuli::explain(&[&p]);
                assert!(plan.kernels() == 1 || sweep == 2, "{plan}");
                let old = expected.clone();
                for i in 1..rows - 1 {
                    for j in 1..columns - 1 {
                        let along = (old[[i, j + 1]] + old[[i, j - 1]]) * 0.5;
                        let across = (old[[i + 1, j]] + old[[i - 1, j]]) * 0.25;
                        expected[[i, j]] = (along + across) / 1.5 - source[[i, j]] * 0.125;
                    }
                }
                for i in 0..rows {
                    expected[[i, columns - 1]] = expected[[i, columns - 2]];
                }
                for j in 0..columns {
                    expected[[0, j]] = expected[[1, j]];
                }
                for i in 0..rows {
                    expected[[i, 0]] = expected[[i, 1]];
                }
                expected.row_mut(rows - 1).fill(0.0);
                if sweep == 1 {
                    continue;
                }
                let found = p.copy_to_host().unwrap();
                assert_eq!(found, expected.clone().into_dyn(), "{rows}x{columns}, sweep {sweep}");
            }
        }
    });
}
