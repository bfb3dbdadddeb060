use super::*;
use crate::backend::pool;
use crate::dtype::DType;
use smallvec::SmallVec;

/// The transform of a whole array by its definition, in double precision.
fn definition(fft: &Fft, input: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let sign = if fft.kind == Kind::Inverse { 1.0 } else { -1.0 };
    let mut values = input.to_vec();
    for (axis, &n) in fft.lens.iter().enumerate() {
        let inner = fft.lens[axis + 1..].iter().product::<usize>() * fft.inner;
        let old = values.clone();
        for (at, value) in values.iter_mut().enumerate() {
            let (o, k, i) = (at / inner / n, at / inner % n, at % inner);
            *value = (0..n)
                .map(|j| {
                    let angle = sign * std::f64::consts::TAU * (j * k % n) as f64 / n as f64;
                    old[(o * n + j) * inner + i] * Complex::from_polar(1.0, angle)
                })
                .sum();
        }
    }
    values
}

/// The first half of each spectrum along the last transformed axis.
fn first_half(fft: &Fft, values: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let n = fft.lens[fft.lens.len() - 1];
    let kept = |at: &usize| at / fft.inner % n < half(n);
    (0..values.len()).filter(kept).map(|at| values[at]).collect()
}

fn transform(fft: &Fft, input: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let (outputs, dtype) = fft.output();
    let mut output = vec![0u8; outputs * dtype.size()];
    let reals = fft.input().1 == DType::F32 || fft.input().1 == DType::F64;
    let numbers = input.iter().flat_map(|z| [z.re, z.im].into_iter().take(2 - usize::from(reals)));
    let bytes: Vec<u8> = match fft.double {
        true => numbers.flat_map(f64::to_ne_bytes).collect(),
        false => numbers.flat_map(|v| (v as f32).to_ne_bytes()).collect(),
    };
    assert_eq!(bytes.len(), fft.input().0 * fft.input().1.size());
    // SAFETY: the arrays have the lengths of the description.
    unsafe {
        match fft.double {
            false => Passes::<f32>::new(fft).transform(bytes.as_ptr(), output.as_mut_ptr()),
            true => Passes::<f64>::new(fft).transform(bytes.as_ptr(), output.as_mut_ptr()),
        }
    };
    let numbers: Vec<f64> = match fft.double {
        true => output.chunks_exact(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap())).collect(),
        false => output
            .chunks_exact(4)
            .map(|b| f32::from_ne_bytes(b.try_into().unwrap()).into())
            .collect(),
    };
    match dtype.is_complex() {
        true => numbers.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect(),
        false => numbers.into_iter().map(|re| Complex::new(re, 0.0)).collect(),
    }
}

fn close(fft: &Fft, got: &[Complex<f64>], want: &[Complex<f64>]) {
    assert_eq!(got.len(), want.len(), "{fft:?}");
    let largest = want.iter().map(|z| z.norm()).fold(1e-300, f64::max);
    let tolerance = if fft.double { 1e-13 } else { 4e-6 };
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((got - want).norm() <= tolerance * largest, "{fft:?} at {at}: {got}, not {want}");
    }
}

#[test]
fn every_kind_agrees_with_the_definition() {
    let cases: [(usize, &[usize], usize); 12] = [
        (1, &[1], 1),
        (1, &[2], 3),
        (3, &[7], 1),
        (2, &[12], 5),
        (1, &[97], 1),
        (2, &[16, 9], 1),
        (1, &[5, 1], 2),
        (2, &[1, 6], 1),
        (1, &[33, 20], 9),
        (1, &[4, 3, 10], 1),
        (2, &[3, 5, 7], 2),
        (1, &[130, 140], 1),
    ];
    for (outer, lens, inner) in cases {
        for double in [false, true] {
            let fft = |kind| Fft { kind, double, outer, lens: SmallVec::from_slice(lens), inner };
            let count = fft(Kind::Forward).len();
            let value = |k: usize| Complex::new((k as f64 * 0.7).sin(), (k as f64 * 1.3).cos());
            let input: Vec<Complex<f64>> = (0..count).map(value).collect();
            for kind in [Kind::Forward, Kind::Inverse] {
                close(&fft(kind), &transform(&fft(kind), &input), &definition(&fft(kind), &input));
            }
            let real: Vec<Complex<f64>> = input.iter().map(|z| z.re.into()).collect();
            let spectrum = definition(&fft(Kind::Forward), &real);
            let forward = fft(Kind::RealForward);
            close(&forward, &transform(&forward, &real), &first_half(&forward, &spectrum));
            let inverse = fft(Kind::RealInverse);
            let points = lens.iter().product::<usize>() as f64;
            let back: Vec<Complex<f64>> = transform(&inverse, &first_half(&inverse, &spectrum))
                .iter()
                .map(|z| z / points)
                .collect();
            close(&inverse, &back, &real);
        }
    }
}

#[test]
fn imaginary_parts_at_the_ends_of_a_real_spectrum_are_left_out() {
    let lens = SmallVec::from_slice(&[4]);
    let fft = Fft { kind: Kind::RealInverse, double: true, outer: 1, lens, inner: 1 };
    let spectrum = [Complex::new(4.0, 9.0), Complex::new(0.0, 0.0), Complex::new(0.0, -5.0)];
    assert!(transform(&fft, &spectrum).iter().all(|z| *z == Complex::new(4.0, 0.0)));
}

/// Runs a transform on an input that may be overwritten, or on one that may not.
fn run_on<T: Component>(fft: &Fft, input: &[T], spare: bool) -> Vec<T> {
    let per = |(len, dtype): (usize, DType)| if dtype.is_complex() { 2 * len } else { len };
    assert_eq!(input.len(), per(fft.input()));
    let (mut input, mut output) = (input.to_vec(), vec![T::zero(); per(fft.output())]);
    let (passes, from) = (Passes::<T>::new(fft), input.as_mut_ptr().cast::<u8>());
    // SAFETY: the arrays have the lengths of the description.
    unsafe {
        match spare {
            false => passes.transform(from, output.as_mut_ptr().cast()),
            true => passes.through(from, output.as_mut_ptr().cast(), from.cast(), true),
        }
    };
    output
}

fn long_lines<T: Component + Into<f64>>(double: bool) {
    let points = 3usize << 17;
    let value = |k: usize| T::of((k as f64 * 0.7).sin() + (k as f64 * k as f64 * 1e-3).cos());
    let close = |got: &[T], want: &[T], what: &str| {
        let largest = want.iter().map(|&x| x.into().abs()).fold(0.0, f64::max);
        let apart = got.iter().zip(want).map(|(&a, &b)| (a - b).into().abs()).fold(0.0, f64::max);
        let tolerance = if double { 1e-14 } else { 4e-6 };
        assert!(got.len() == want.len() && apart <= tolerance * largest, "{what}: {apart}");
    };
    // One line is shared among threads; of many, each has its own.
    let many = 64;
    for kind in [Kind::Forward, Kind::Inverse, Kind::RealForward, Kind::RealInverse] {
        let fft = |outer| {
            let lens = SmallVec::from_slice(&[points]);
            Fft { kind, double, outer, lens, inner: 1 }
        };
        let reals = matches!(kind, Kind::RealForward);
        let numbers = if reals { points } else { 2 * fft(1).input().0 };
        let line: Vec<T> = (0..numbers).map(value).collect();
        let lines: Vec<T> = (0..many).flat_map(|_| line.iter().copied()).collect();
        pool::with_threads(16, || {
            let want = run_on(&fft(many), &lines, false);
            let want = &want[..want.len() / many];
            let alone = run_on(&fft(1), &line, false);
            close(&alone, want, &format!("{kind:?}"));
            assert!(run_on(&fft(1), &line, true) == alone, "{kind:?} over its input");
        });
    }
}

#[test]
fn a_long_line_is_what_it_is_among_others() {
    long_lines::<f32>(false);
    long_lines::<f64>(true);
}

#[test]
fn long_lines_among_other_axes() {
    // The second of three passes, in place, and lines in front of each other.
    for lens in [&[2usize, 1 << 17][..], &[3, 2, 1 << 17]] {
        for kind in [Kind::Forward, Kind::RealForward, Kind::RealInverse] {
            let lens = SmallVec::from_slice(lens);
            let fft = Fft { kind, double: true, outer: 1, lens, inner: 1 };
            let count = fft.input().0 * if fft.input().1.is_complex() { 2 } else { 1 };
            let input: Vec<f64> = (0..count).map(|k| (k as f64 * 0.3).sin()).collect();
            // On one thread no line is long.
            let want = pool::with_threads(1, || run_on(&fft, &input, false));
            for spare in [false, true] {
                let got = pool::with_threads(16, || run_on(&fft, &input, spare));
                let largest = want.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let far = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-14 * largest;
                assert!(!got.iter().zip(&want).any(far), "{fft:?}, {spare}");
            }
        }
    }
}
