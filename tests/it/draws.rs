//! Random numbers: the published words, every distribution against its own density, and what a
//! generator promises.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::random::{Generator, Kind, LibraryGenerator};
use lazuli::{counters, explain};

const N: usize = 60_000;

/// A distribution function on a grid, from a density up to a factor.
struct Law {
    low: f64,
    step: f64,
    sums: Vec<f64>,
}

impl Law {
    /// By Simpson's rule on each of many steps; the ends may be singular, and are not touched.
    fn new(low: f64, high: f64, density: impl Fn(f64) -> f64) -> Self {
        let steps = 40_000;
        let step = (high - low) / steps as f64;
        let mut sums = vec![0.0];
        for k in 0..steps {
            let x = low + k as f64 * step;
            // Gauss's two points stay inside the step.
            let (a, b) = (x + 0.2113248654051871 * step, x + 0.7886751345948129 * step);
            sums.push(sums[k] + 0.5 * (density(a) + density(b)));
        }
        let all = sums[steps];
        sums.iter_mut().for_each(|s| *s /= all);
        Law { low, step, sums }
    }

    fn at(&self, x: f64) -> f64 {
        let place = ((x - self.low) / self.step).clamp(0.0, self.sums.len() as f64 - 1.000001);
        let (k, part) = (place as usize, place.fract());
        self.sums[k] * (1.0 - part) + self.sums[k + 1] * part
    }
}

/// The statistic of Kolmogorov and Smirnov, times the root of the number of values: above 1.95
/// once in a thousand times.
fn distance(mut values: Vec<f64>, law: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let at = |(k, &x): (usize, &f64)| {
        let p = law(x);
        (p - k as f64 / n).abs().max(((k + 1) as f64 / n - p).abs())
    };
    values.iter().enumerate().map(at).fold(0.0, f64::max) * n.sqrt()
}

/// Checks values against a density, a mean and a variance.
#[track_caller]
fn follows(name: &str, values: Vec<f64>, law: &Law, mean: f64, variance: f64) {
    let far = distance(values.clone(), |x| law.at(x));
    assert!(far < 1.95, "{name}: the distribution is {far} away");
    moments(name, &values, mean, variance);
}

#[track_caller]
fn moments(name: &str, values: &[f64], mean: f64, variance: f64) {
    let n = values.len() as f64;
    let found = values.iter().sum::<f64>() / n;
    let error = (variance / n).sqrt();
    assert!((found - mean).abs() < 4.5 * error, "{name}: mean {found}, not {mean}");
    let spread = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let fourth = values.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / n;
    let error = ((fourth - spread * spread) / n).sqrt();
    assert!((spread - variance).abs() < 5.0 * error, "{name}: variance {spread}, not {variance}");
}

/// Checks counts against the probabilities of 0, 1, 2 and so on, up to a factor.
#[track_caller]
fn counts(name: &str, found: &[i64], weights: &[f64]) {
    let total: f64 = weights.iter().sum();
    let n = found.len() as f64;
    let (mut chi, mut cells) = (0.0f64, 0.0f64);
    let (mut expected, mut seen) = (0.0, 0.0);
    for (k, weight) in weights.iter().enumerate() {
        expected += weight / total * n;
        seen += found.iter().filter(|&&x| x == k as i64).count() as f64;
        if expected >= 10.0 {
            chi += (seen - expected).powi(2) / expected;
            (expected, seen, cells) = (0.0, 0.0, cells + 1.0);
        }
    }
    assert!(found.iter().all(|&x| x >= 0 && (x as usize) < weights.len()), "{name}: out of range");
    // A normal approximation of chi squared's tail, four and a half deviations out.
    let limit = cells + 4.5 * (2.0 * cells).sqrt() + 10.0;
    assert!(chi < limit, "{name}: chi squared {chi} in {cells} cells");
}

fn values<T: Floating>(a: &DeviceArray<T>) -> Vec<f64> {
    a.to_vec().unwrap().into_iter().map(|x| x.to_f64()).collect()
}

/// Philox4x32-10 as its authors describe it, for a check of whole streams.
fn philox(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let a = u64::from(c[0]) * 0xD2511F53;
        let b = u64::from(c[2]) * 0xCD9E8D57;
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
        k = [k[0].wrapping_add(0x9E3779B9), k[1].wrapping_add(0xBB67AE85)];
    }
    c
}

#[test]
fn words_are_the_published_ones() {
    on_each_device(|_| {
        // Random123's known answers for a counter of zero under the keys 0 and all ones' stream.
        let words = Generator::new(0).bits_u32(4).to_vec().unwrap();
        assert_eq!(words, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        let seed = 0x299f31d0_a4093822u64;
        let mut rng = Generator::new(seed);
        rng.jump(3);
        for n in [1, 7, 1030] {
            let mut same = rng.clone();
            let words = rng.bits_u32(n).to_vec().unwrap();
            let wide = same.bits_u64(n).to_vec().unwrap();
            let first = { n }; // The place in the stream is checked below, by draws that follow.
            assert_eq!(words.len(), first);
            assert!(
                wide.iter()
                    .zip(words.chunks_exact(2))
                    .all(|(&w, pair)| { w == u64::from(pair[0]) | u64::from(pair[1]) << 32 })
            );
        }
        let mut rng = Generator::new(seed);
        rng.jump(3);
        let (a, b) = (rng.bits_u32(6).to_vec().unwrap(), rng.bits_u32(5).to_vec().unwrap());
        // Six words take two blocks, so that the next draw begins with the third.
        let block = |b: u32| philox([b, 0, 3, 0], [seed as u32, (seed >> 32) as u32]);
        assert_eq!(a, [block(0), block(1)].concat()[..6]);
        assert_eq!(b, [block(2), block(3)].concat()[..5]);
    });
}

/// A draw leaves blocks out rather than cross a multiple of 2^32; what is drawn before and behind
/// is where it is.
#[test]
fn long_streams_go_on_at_multiples() {
    on_each_device(|_| {
        let block = |b: u64| philox([b as u32, (b >> 32) as u32, 0, 0], [8, 0]);
        let words =
            |from: u64, n: usize| -> Vec<u32> { (from..).flat_map(block).take(n).collect() };
        let mut rng = Generator::new(8);
        let far = rng.bits_u32((1usize << 34) - 40);
        let here = far.slice(s![(1usize << 34) - 50..]).to_vec().unwrap();
        assert_eq!(here, words((1 << 32) - 13, 12)[2..]);
        assert_eq!(rng.clone().bits_u32(40).to_vec().unwrap(), words((1 << 32) - 10, 40));
        let pairs = |words: Vec<u32>| -> Vec<u64> {
            words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect()
        };
        for (n, from) in [(20, (1 << 32) - 10), (21, 1 << 32)] {
            let found = rng.clone().bits_u64(n).to_vec().unwrap();
            assert_eq!(found, pairs(words(from, 2 * n)), "{n}");
        }
        let (a, b) = (rng.bits_u32(41), rng.bits_u32(3000));
        assert_eq!(a.to_vec().unwrap(), words(1 << 32, 41));
        assert_eq!(b.to_vec().unwrap(), words((1 << 32) + 11, 3000));
        let sum: u64 = words((1 << 32) + 11, 3000).iter().map(|&w| u64::from(w)).sum();
        assert_eq!(b.sum(..).item().unwrap(), sum);
        // A longer one begins at a multiple, and crosses the next.
        let long = rng.clone().bits_u32((1usize << 34) + 9);
        assert_eq!(long.slice(s![..5]).to_vec().unwrap(), words(2 << 32, 5));
        let long = rng.bits_u32((1usize << 34) + 9);
        let end = long.slice(s![(1usize << 34) - 6..]).to_vec().unwrap();
        assert_eq!(end, words((3 << 32) - 2, 17)[2..]);
        assert_eq!(rng.bits_u32(3).to_vec().unwrap(), words((3 << 32) + 3, 3));
    });
}

#[test]
fn uniform_numbers_are_the_words() {
    on_each_device(|_| {
        let words = Generator::new(5).bits_u32(1000).to_vec().unwrap();
        let singles = Generator::new(5).random::<f32>([10, 100]).to_vec().unwrap();
        assert!(words.iter().zip(&singles).all(|(&w, &u)| u == (w >> 8) as f32 / 16777216.0));
        let words = Generator::new(5).bits_u64(1000).to_vec().unwrap();
        let doubles = Generator::new(5).random::<f64>(1000).to_vec().unwrap();
        let unit = |w: u64| (w >> 11) as f64 / 9007199254740992.0;
        assert!(words.iter().zip(&doubles).all(|(&w, &u)| u == unit(w)));
    });
}

#[test]
fn numbers_do_not_depend_on_how_they_are_read() {
    on_each_device(|_| {
        let whole = Generator::new(9).random::<f32>([33, 20]);
        let host = whole.copy_to_host().unwrap();
        let again = || Generator::new(9).random::<f32>([33, 20]);
        let same = |a: DeviceArray<f32>, b: ndarray::ArrayViewD<f32>| {
            let found = a.copy_to_host().unwrap();
            assert_eq!(found.view(), b);
        };
        same(again().slice(s![1..;2, 3..]), host.slice(s![1..;2, 3..]).into_dyn());
        same(again().t(), host.t());
        same(again().slice(s![.., ..;-1]), host.slice(s![.., ..;-1]).into_dyn());
        same(again().slice(s![5, ..]), host.slice(s![5, ..]).into_dyn());
        same(again().reshape([20, 33]), host.to_shape([20, 33]).unwrap().view().into_dyn());
        let sums = again().sum(1).to_vec().unwrap();
        for (row, sum) in host.outer_iter().zip(sums) {
            assert!((row.sum() - sum).abs() < 1e-4);
        }
        let rolled = again().roll(7, 1).copy_to_host().unwrap();
        assert_eq!(rolled[[2, 7]], host[[2, 0]]);
        let taken = again().take([4, 4, 32], 0).copy_to_host().unwrap();
        assert_eq!(taken.index_axis(ndarray::Axis(0), 2), host.index_axis(ndarray::Axis(0), 32));
    });
}

#[test]
fn arrays_keep_their_numbers_and_draws_differ() {
    on_each_device(|_| {
        let mut rng = Generator::new(11);
        let a = rng.standard_normal::<f64>(100);
        let twice = (&a - &a).abs().max(..).item().unwrap();
        assert_eq!(twice, 0.0);
        let first = (&a + 0.0).to_vec().unwrap();
        assert_eq!(first, (&a + 0.0).to_vec().unwrap());
        assert_eq!(first, a.to_vec().unwrap());
        assert_ne!(first, rng.standard_normal::<f64>(100).to_vec().unwrap());
        // A draw that fails leaves the generator where it was.
        let before = rng.clone();
        assert!(rng.try_uniform(2.0, 1.0, 3).is_err());
        assert!(rng.try_choice_weighted(&a, &[0.5; 3], 3).is_err());
        assert_eq!(rng, before);
    });
}

#[test]
fn other_seeds_and_draws_compile_nothing() {
    on_each_device(|_| {
        let draw = |rng: &mut Generator| rng.uniform(0.5f32, 2.0, 1000).sum(..).item().unwrap();
        let mut rng = Generator::new(1);
        draw(&mut rng);
        let before = counters();
        draw(&mut rng);
        draw(&mut rng.spawn());
        rng.jump(1 << 40);
        draw(&mut rng);
        draw(&mut Generator::new(u64::MAX));
        assert_eq!(counters().compiled, before.compiled);
    });
}

#[test]
fn pi_takes_one_kernel() {
    on_each_device(|_| {
        let mut rng = Generator::new(123);
        let (u, v) = (rng.random::<f32>(400_000), rng.random::<f32>(400_000));
        let inside = (u.square() + v.square()).less(1.0).mean(..);
        let plan = explain(&[&inside]);
        assert_eq!(plan.kernels(), 1, "{plan}");
        let pi = 4.0 * inside.item().unwrap();
        assert!((pi - std::f64::consts::PI).abs() < 0.01, "{pi}");
    });
}

#[test]
fn streams_are_independent() {
    on_each_device(|_| {
        let mut rng = Generator::new(2024);
        let mut jumped = rng.clone();
        jumped.jump(1);
        let mut streams = vec![rng.spawn(), rng.spawn(), jumped, Generator::new(2025)];
        streams.push(streams[0].clone().spawn());
        streams.push(rng);
        let drawn: Vec<Vec<f64>> =
            streams.iter_mut().map(|s| values(&s.standard_normal::<f64>(20_000))).collect();
        for (i, a) in drawn.iter().enumerate() {
            for b in &drawn[..i] {
                let product = a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / 20_000f64.sqrt();
                assert!(product.abs() < 4.0, "streams are correlated: {product}");
            }
            let shifted = a.iter().zip(&a[1..]).map(|(a, b)| a * b).sum::<f64>() / 20_000f64.sqrt();
            assert!(shifted.abs() < 4.0, "neighbours are correlated: {shifted}");
        }
    });
}

#[test]
fn continuous_distributions() {
    on_each_device(|_| {
        let mut rng = Generator::new(31);
        let flat = Law::new(0.0, 1.0, |_| 1.0);
        follows("random f32", values(&rng.random::<f32>(N)), &flat, 0.5, 1.0 / 12.0);
        follows("random f64", values(&rng.random::<f64>(N)), &flat, 0.5, 1.0 / 12.0);
        let flat = Law::new(-1.0, 3.0, |_| 1.0);
        follows("uniform", values(&rng.uniform(-1.0f32, 3.0, N)), &flat, 1.0, 16.0 / 12.0);
        let bell = Law::new(-9.0, 9.0, |x| (-0.5 * x * x).exp());
        follows("normal f32", values(&rng.standard_normal::<f32>(N)), &bell, 0.0, 1.0);
        follows("normal f64", values(&rng.standard_normal::<f64>(N)), &bell, 0.0, 1.0);
        let bell = Law::new(-30.0, 50.0, |x| (-0.5 * ((x - 10.0) / 4.0f64).powi(2)).exp());
        follows("normal", values(&rng.normal(10.0, 4.0, N)), &bell, 10.0, 16.0);
        let density = |x: f64| (-0.5 * (x.ln() / 0.5).powi(2)).exp() / x;
        let (mean, square) = (0.125f64.exp(), 0.25f64.exp());
        let variance = (square - 1.0) * square;
        let log = Law::new(0.0, 20.0, density);
        follows("lognormal", values(&rng.lognormal(0.0, 0.5, N)), &log, mean, variance);
        let decay = Law::new(0.0, 60.0, |x| (-x / 2.0).exp());
        follows("exponential", values(&rng.exponential(2.0f64, N)), &decay, 2.0, 4.0);
        follows("exponential f32", values(&rng.exponential(2.0f32, N)), &decay, 2.0, 4.0);
    });
}

#[test]
fn gamma_and_beta_distributions() {
    on_each_device(|_| {
        let mut rng = Generator::new(32);
        for (k, scale) in [(0.3, 1.0), (1.0, 2.0), (2.5, 0.5), (40.0, 1.0)] {
            let high = scale * (k + 12.0 * f64::sqrt(k) + 30.0);
            let density = |x: f64| ((k - 1.0) * x.ln() - x / scale).exp();
            let found = values(&rng.gamma(k, scale, N));
            if k >= 1.0 {
                let law = Law::new(0.0, high, density);
                follows(&format!("gamma {k}"), found, &law, k * scale, k * scale * scale);
            } else {
                // x^k has a density that is finite at zero.
                let law = Law::new(0.0, high.powf(k), |y| (-y.powf(1.0 / k) / scale).exp());
                let far = distance(found.iter().map(|x| x.powf(k)).collect(), |y| law.at(y));
                assert!(far < 1.95, "gamma {k}: {far}");
                moments("gamma", &found, k * scale, k * scale * scale);
            }
        }
        let found = values(&rng.gamma(2.0f32, 3.0f32, N));
        moments("gamma f32", &found, 6.0, 18.0);
        for (a, b) in [(2.0, 3.0), (1.0, 1.0), (30.0, 4.0)] {
            let density = |x: f64| ((a - 1.0) * x.ln() + (b - 1.0) * (1.0 - x).ln()).exp();
            let s: f64 = a + b;
            let (mean, variance) = (a / s, a * b / (s * s * (s + 1.0)));
            let law = Law::new(0.0, 1.0, density);
            follows(&format!("beta {a} {b}"), values(&rng.beta(a, b, N)), &law, mean, variance);
        }
        // Shapes near zero put all of it near the ends, and nothing becomes NaN.
        let found = values(&rng.beta(1e-3, 1e-3, N));
        assert!(found.iter().all(|x| (0.0..=1.0).contains(x)));
        moments("beta near zero", &found, 0.5, 0.25 / 1.002);
        let shapes = DeviceArray::from_slice(&[0.0, f64::NAN, -1.0, f64::INFINITY, 2.0]).unwrap();
        let odd = rng.gamma(&shapes, 1.0, 5).to_vec().unwrap();
        assert_eq!(odd[0], 0.0);
        assert!(odd[1].is_nan() && odd[2].is_nan() && odd[3] == f64::INFINITY && odd[4] > 0.0);
    });
}

#[test]
fn counts_of_every_size() {
    on_each_device(|_| {
        let mut rng = Generator::new(33);
        for mean in [0.0, 0.7, 9.5, 10.5, 400.0] {
            let found = rng.poisson(mean, N).to_vec().unwrap();
            let top = (mean + 12.0 * f64::sqrt(mean) + 20.0) as usize;
            let log =
                |k: usize| k as f64 * f64::ln(mean) - (1..=k).map(|j| (j as f64).ln()).sum::<f64>();
            let shift = log(mean as usize);
            let weights: Vec<f64> = match mean {
                0.0 => vec![1.0],
                _ => (0..top).map(|k| (log(k) - shift).exp()).collect(),
            };
            counts(&format!("poisson {mean}"), &found, &weights);
        }
        for (n, p) in
            [(0, 0.5), (10, 0.3), (10, 1.0), (10, 0.0), (50, 0.9), (1000, 0.4), (3000, 0.999)]
        {
            let found = rng.binomial(n, p, N).to_vec().unwrap();
            let log = |k: i64| {
                let terms = (1..=k).map(|j| ((n - j + 1) as f64 / j as f64 * p / (1.0 - p)).ln());
                terms.sum::<f64>()
            };
            let weights: Vec<f64> = match p {
                1.0 => (0..=n).map(|k| f64::from(k == n)).collect(),
                0.0 => vec![1.0],
                _ => {
                    let shift = log((n as f64 * p) as i64);
                    (0..=n).map(|k| (log(k) - shift).exp()).collect()
                }
            };
            counts(&format!("binomial {n} {p}"), &found, &weights);
        }
        let large = rng.poisson(1e12, 2000).cast::<f64>().to_vec().unwrap();
        moments("poisson 1e12", &large, 1e12, 1e12);
        let means = DeviceArray::from_slice(&[f64::NAN, -1.0, 3.0]).unwrap();
        let odd = rng.poisson(&means, [2, 3]).to_vec().unwrap();
        assert!(odd[0] == -1 && odd[1] == -1 && odd[2] >= 0 && odd[3] == -1);
        assert_eq!(rng.binomial(-DeviceArray::<i64>::ones(1), 0.5, 1).item().unwrap(), -1);
    });
}

#[test]
fn whole_numbers_and_coins() {
    on_each_device(|_| {
        let mut rng = Generator::new(34);
        let dice: Vec<i64> =
            rng.integers(1..=6u8, N).to_vec().unwrap().iter().map(|&x| i64::from(x) - 1).collect();
        counts("dice", &dice, &[1.0; 6]);
        let signed = rng.integers(-50..50i32, N).to_vec().unwrap();
        counts(
            "signed",
            &signed.iter().map(|&x| i64::from(x) + 50).collect::<Vec<_>>(),
            &[1.0; 100],
        );
        let bytes = rng.integers::<i8>(.., N).to_vec().unwrap();
        counts(
            "bytes",
            &bytes.iter().map(|&x| i64::from(x) + 128).collect::<Vec<_>>(),
            &[1.0; 256],
        );
        let wide = rng.integers::<u64>(.., N).to_vec().unwrap();
        counts("words", &wide.iter().map(|w| (w >> 60) as i64).collect::<Vec<_>>(), &[1.0; 16]);
        // Two thirds of all words: without a second attempt, half of the numbers would come twice.
        let most = rng.integers(0..=u64::MAX / 3 * 2, N).to_vec().unwrap();
        let part = (u64::MAX / 3 * 2) / 8 + 1;
        counts("most", &most.iter().map(|w| (w / part) as i64).collect::<Vec<_>>(), &[1.0; 8]);
        let far = rng.integers(i64::MIN..i64::MIN + 3, 100).to_vec().unwrap();
        assert!(far.iter().all(|&x| x < i64::MIN + 3));
        for p in [0.0, 0.3, 1.0] {
            let coins: Vec<i64> =
                rng.bernoulli(p, N).to_vec().unwrap().into_iter().map(i64::from).collect();
            if p == 0.3 {
                counts("coins", &coins, &[0.7, 0.3]);
            } else {
                assert!(coins.iter().all(|&c| c as f64 == p));
            }
        }
    });
}

#[test]
fn choices_and_classes() {
    on_each_device(|_| {
        let mut rng = Generator::new(35);
        let a = DeviceArray::<i64>::arange_to(5);
        let plain = rng.choice(&a, [N / 5, 5]);
        assert_eq!(plain.shape(), [N / 5, 5]);
        counts("choice", &plain.to_vec().unwrap(), &[1.0; 5]);
        let p = [0.05, 0.0, 0.6, 0.25, 0.1];
        counts("weighted", &rng.choice_weighted(&a, &p, N).to_vec().unwrap(), &p);
        let logits = DeviceArray::from_slice(&p).unwrap().ln() + 3.0;
        let rows = logits.broadcast_to([N, 5]);
        counts("categorical", &rng.categorical(&rows, -1).to_vec().unwrap(), &p);
        let columns = logits.cast::<f32>().insert_axis(1).broadcast_to([5, N]);
        counts("categorical f32", &rng.categorical(&columns, 0).to_vec().unwrap(), &p);
        let pairs = DeviceArray::<i64>::arange_to(6).reshape([3, 2]);
        let chosen = rng.choice(&pairs, 50).copy_to_host().unwrap();
        assert_eq!(chosen.shape(), [50, 2]);
        assert!(chosen.outer_iter().all(|pair| pair[1] == pair[0] + 1));
    });
}

#[test]
fn empty_and_single_draws() {
    on_each_device(|_| {
        let mut rng = Generator::new(36);
        assert!(rng.random::<f32>(0).to_vec().unwrap().is_empty());
        assert!(rng.poisson(3.0, [4, 0]).to_vec().unwrap().is_empty());
        let one = rng.standard_normal::<f64>(());
        assert_eq!(one.ndim(), 0);
        assert!(one.item().unwrap().is_finite());
        assert_eq!(rng.integers(7..8, ()).item().unwrap(), 7);
    });
}

#[test]
fn bad_arguments_are_errors_that_name_them() {
    let mut rng = Generator::new(37);
    let a = DeviceArray::<f64>::ones(3);
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    for (error, word) in [
        (rng.try_uniform(1.0, 1.0, 3).unwrap_err(), "between 1.0 and 1.0"),
        (rng.try_uniform(nan, 1.0, 3).unwrap_err(), "uniform"),
        (rng.try_uniform(0.0, infinity, 3).unwrap_err(), "uniform"),
        (rng.try_integers(5..5, 3).unwrap_err(), "from 5 to below 5"),
        (rng.try_integers(7..=2u8, 3).unwrap_err(), "from 7 to below 3"),
        (rng.try_normal(0.0, -1.0, 3).unwrap_err(), "the scale is -1.0"),
        (rng.try_normal(nan, 1.0, 3).unwrap_err(), "the mean is NaN"),
        (rng.try_lognormal(0.0, nan, 3).unwrap_err(), "sigma is NaN"),
        (rng.try_exponential(-2.0, 3).unwrap_err(), "the scale is -2.0"),
        (rng.try_gamma(-1.0, 1.0, 3).unwrap_err(), "the shape k is -1.0"),
        (rng.try_beta(0.0, 1.0, 3).unwrap_err(), "the shape a is 0.0"),
        (rng.try_poisson(-0.5, 3).unwrap_err(), "the mean is -0.5"),
        (rng.try_binomial(-1, 0.5, 3).unwrap_err(), "n is -1"),
        (rng.try_binomial(3, 1.5, 3).unwrap_err(), "p is 1.5"),
        (rng.try_bernoulli(nan, 3).unwrap_err(), "p is NaN"),
        (rng.try_normal(&a, 1.0, [3, 2]).unwrap_err(), "shape [3] does not broadcast to [3, 2]"),
        (rng.try_gamma(1.0, &a, 2).unwrap_err(), "shape [3] does not broadcast to [2]"),
        (rng.try_choice_weighted(&a, &[0.5, 0.6, -0.1], 3).unwrap_err(), "probability 2 is -0.1"),
        (rng.try_choice_weighted(&a, &[0.5, 0.6, 0.1], 3).unwrap_err(), "sum to 1.2"),
        (rng.try_choice_weighted(&a, &[0.5, 0.5], 3).unwrap_err(), "2 probabilities for 3"),
        (rng.try_choice_weighted(&a, &[nan; 3], 3).unwrap_err(), "probability 0 is NaN"),
        (rng.try_choice(&DeviceArray::<f64>::zeros(0), 3).unwrap_err(), "nothing to choose"),
        (rng.try_categorical(&DeviceArray::<f64>::zeros([2, 0]), 1).unwrap_err(), "no classes"),
        (rng.try_categorical(&a, 1).unwrap_err(), "axis 1"),
        (rng.try_random::<f32>([1 << 40, 1 << 40]).unwrap_err(), "too many elements"),
    ] {
        assert!(error.is_shape(), "{error}");
        assert!(error.to_string().contains(word), "{error}: {word}");
        assert!(error.to_string().contains("draws.rs:"), "{error}");
    }
    assert_eq!(rng, Generator::new(37));
}

#[test]
fn nothing_is_drawn_from_nothing() {
    on_each_device(|_| {
        let mut rng = Generator::new(38);
        let none = DeviceArray::<f64>::zeros([0, 4]);
        for shape in [vec![0], vec![3, 0]] {
            let drawn = rng.choice(&none, &shape[..]);
            assert_eq!(drawn.shape(), [&shape[..], &[4]].concat());
            assert!(drawn.to_vec().unwrap().is_empty());
        }
        assert!(rng.sample(&none, 0).to_vec().unwrap().is_empty());
        assert!(rng.try_choice(&none, 1).unwrap_err().is_shape());
        assert!(rng.try_choice(&none, ()).unwrap_err().is_shape());
        assert!(rng.try_sample(&none, 1).unwrap_err().is_shape());
        // The probabilities of nothing do not sum to 1.
        assert!(rng.try_choice_weighted(&none, &[], 0).unwrap_err().is_shape());
    });
}

#[test]
fn library_generators_give_curands_numbers() {
    on_each_device(|device| {
        // What cuRAND gave on an H200 in its legacy order.
        let seed = 0x0123_4567_89ab_cdef;
        let mut rng = LibraryGenerator::new(Kind::Xorwow, seed).unwrap();
        let words = rng.bits_u32(10_000).to_vec().unwrap();
        assert_eq!(
            [0, 1, 4095, 4096, 9999].map(|k: usize| words[k]),
            [0x1a44_4210, 0x6d3c_9475, 0x02e8_ecdd, 0x3fcc_a938, 0xe259_487c,]
        );
        let next = rng.random::<f32>(10_000).to_vec().unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-7, "{a} {b}");
        near(f64::from(next[0]), 0.14497533440589905);
        near(f64::from(next[5000]), 0.10781583935022354);
        let mut rng = LibraryGenerator::new(Kind::Xorwow, seed).unwrap();
        let u = rng.random::<f64>([100, 100]);
        let known =
            [(0, 0.24921667066706915), (4096, 0.9156028742169444), (9999, 0.38070131214534014)];
        let first = u.to_vec().unwrap();
        known.iter().for_each(|&(k, want)| near(first[k], want));
        // Drawn again, the numbers are the same.
        assert_eq!((&u + 0.0).to_vec().unwrap(), first);
        let flat = Law::new(0.0, 1.0, |_| 1.0);
        follows("XORWOW", values(&rng.random::<f64>(N)), &flat, 0.5, 1.0 / 12.0);
        if device.is_cuda() {
            for kind in [Kind::Xorwow, Kind::Mrg32k3a, Kind::Philox] {
                let mut rng = LibraryGenerator::new(kind, 5).unwrap();
                let bell = Law::new(-9.0, 9.0, |x| (-0.5 * x * x).exp());
                follows("normal", values(&rng.normal::<f64>(0.0, 1.0, N - 1)), &bell, 0.0, 1.0);
                let k: Vec<i64> =
                    rng.poisson(3.0, N).to_vec().unwrap().into_iter().map(i64::from).collect();
                let weight = |k: i32| 3f64.powi(k) / (1..=k).map(f64::from).product::<f64>();
                counts("poisson", &k, &(0..40).map(weight).collect::<Vec<_>>());
            }
            for kind in
                [Kind::Sobol32, Kind::ScrambledSobol32, Kind::Sobol64, Kind::ScrambledSobol64]
            {
                let mut rng = LibraryGenerator::new(kind, 0).unwrap().with_dimensions(3).unwrap();
                let means = rng.random::<f64>([3, 4096]).mean(1).to_vec().unwrap();
                assert!(means.iter().all(|m| (m - 0.5).abs() < 1e-3), "{kind:?}: {means:?}");
            }
        } else {
            let error = LibraryGenerator::new(Kind::Mrg32k3a, 1).unwrap_err();
            assert!(error.is_unsupported() && error.to_string().contains("MRG32k3a"), "{error}");
            assert!(rng.try_normal::<f64>(0.0, 1.0, 4).unwrap_err().is_unsupported());
        }
        assert!(rng.try_bits_u64(4).unwrap_err().is_unsupported());
        assert!(rng.try_poisson(-1.0, 4).unwrap_err().is_shape());
        assert!(rng.random::<f32>(0).to_vec().unwrap().is_empty());
        assert!(LibraryGenerator::new(Kind::Xorwow, 1).unwrap().with_dimensions(2).is_err());
    });
}

#[test]
fn vectors_have_the_covariance_that_was_asked_for() {
    on_each_device(|_| {
        let mut rng = Generator::new(39);
        let mean = DeviceArray::from_slice(&[3.0, -2.0, 0.5]).unwrap();
        let c = vec![4.0, 1.2, -0.6, 1.2, 1.0, 0.3, -0.6, 0.3, 2.0];
        let covariance = DeviceArray::from_vec([3, 3], c.clone()).unwrap();
        let x = rng.multivariate_normal(&mean, &covariance, [100, N / 100]);
        assert_eq!(x.shape(), [100, N / 100, 3]);
        let x = values(&x);
        for i in 0..3 {
            for j in 0..3 {
                let m = [3.0, -2.0, 0.5];
                let sum: f64 = x.chunks(3).map(|x| (x[i] - m[i]) * (x[j] - m[j])).sum();
                let error = 5.0 * (2.0 * c[4 * i] * c[4 * j] / N as f64).sqrt();
                assert!((sum / N as f64 - c[3 * i + j]).abs() < error, "covariance {i} {j}");
            }
        }
        let bad = DeviceArray::from_vec([2, 2], vec![1.0, 2.0, 2.0, 1.0]).unwrap();
        let pair = DeviceArray::from_slice(&[0.0, 0.0]).unwrap();
        assert!(rng.multivariate_normal(&pair, &bad, 4).to_vec().is_err());
        assert!(rng.try_multivariate_normal(&mean, &bad, 4).unwrap_err().is_shape());
    });
}

#[test]
fn orders_and_samples_without_replacement() {
    on_each_device(|_| {
        let mut rng = Generator::new(38);
        // Each of the 24 orders of four, by the number that its digits make.
        let orders = (0..2400).map(|_| {
            let p = rng.permutation(4).to_vec().unwrap();
            let mut left = vec![0, 1, 2, 3];
            p.iter().fold(0, |code, x| {
                let at = left.iter().position(|y| y == x).expect("each number once");
                left.remove(at);
                code * (left.len() as i64 + 1) + at as i64
            })
        });
        counts("orders", &orders.collect::<Vec<_>>(), &[1.0; 24]);
        let a = DeviceArray::<i32>::arange_to(1000).reshape([500, 2]);
        let b = rng.shuffle(&a, 0).copy_to_host().unwrap();
        assert!(b.outer_iter().all(|pair| pair[1] == pair[0] + 1));
        let mut firsts: Vec<i32> = b.outer_iter().map(|pair| pair[0]).collect();
        assert!(firsts.windows(2).any(|w| w[0] > w[1]));
        firsts.sort();
        assert_eq!(firsts, (0..500).map(|k| 2 * k).collect::<Vec<_>>());
        let some = rng.sample(&a, 20).copy_to_host().unwrap();
        assert_eq!(some.shape(), [20, 2]);
        let p = [0.1, 0.0, 0.4, 0.5];
        let four = DeviceArray::<i64>::arange_to(4);
        let first: Vec<i64> =
            (0..1500).map(|_| rng.sample_weighted(&four, &p, 1).item().unwrap()).collect();
        counts("weighted", &first, &p);
        let three = rng.sample_weighted(&four, &p, 3).sort(0).to_vec().unwrap();
        assert_eq!(three, [0, 2, 3]);
        assert_eq!(rng.permutation(0).shape(), [0]);
        assert!(rng.try_sample(&four, 5).unwrap_err().to_string().contains("5 different"));
        assert!(rng.try_sample_weighted(&four, &p, 4).unwrap_err().to_string().contains("of 3"));
        assert!(rng.try_shuffle(&four, 1).unwrap_err().is_shape());
    });
}
