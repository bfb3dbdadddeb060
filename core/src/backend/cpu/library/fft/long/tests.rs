//! Long lines against the plans for one thread.

use super::*;

/// Numbers that look random, in `-1.0..1.0`.
fn noise<T: Component>(n: usize) -> Vec<Complex<T>> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        T::of((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    (0..n).map(|_| Complex::new(next(), next())).collect()
}

fn close<T: Component + Into<f64>>(got: &[Complex<T>], want: &[Complex<T>], eps: f64, what: &str) {
    let size = |z: &Complex<T>| z.re.into().hypot(z.im.into());
    let norm = |list: &mut dyn Iterator<Item = f64>| list.map(|x| x * x).sum::<f64>().sqrt();
    let apart = norm(&mut got.iter().zip(want).map(|(a, b)| size(&(*a - *b))));
    let whole = norm(&mut want.iter().map(size));
    // Rounding errors of both add up with the steps of a transform.
    let steps = (want.len() as f64).log2();
    assert!(apart <= steps * eps * whole, "{what}: {} of the whole", apart / whole);
    let largest = want.iter().map(size).fold(0.0, f64::max);
    let worst = got.iter().zip(want).map(|(a, b)| size(&(*a - *b))).fold(0.0, f64::max);
    assert!(worst <= 2.0 * steps * eps * largest, "{what}: {worst} of {largest}");
}

const LENGTHS: [usize; 9] = [
    1 << 12,
    1 << 17,
    3 << 13,
    3 * 5 * 7 * 11 * 64,
    67 * 71,
    97 * 97,
    64 * 4096,
    1000 * 125,
    81 * 243,
];

fn complex_lines<T: Component + Into<f64>>(eps: f64) {
    for n in LENGTHS {
        for direction in [FftDirection::Forward, FftDirection::Inverse] {
            let long = Long::<T>::of(n, direction).unwrap();
            let input = noise::<T>(n);
            let mut want = input.clone();
            T::complex(n, direction).process(&mut want);
            let zeros = vec![Complex::new(T::zero(), T::zero()); n];
            let (mut room, mut got) = (zeros.clone(), zeros);
            let what = format!("{n} {direction:?}");
            // SAFETY: all have the points of the plan.
            unsafe { long.transform(input.as_ptr(), room.as_mut_ptr(), got.as_mut_ptr()) };
            close(&got, &want, eps, &what);
            let mut scratch = input.clone();
            let own = scratch.as_mut_ptr();
            let first = std::mem::take(&mut got);
            got = vec![Complex::new(T::zero(), T::zero()); n];
            // SAFETY: as above; the line that is read is the room.
            unsafe { long.transform(own, own, got.as_mut_ptr()) };
            assert!(got == first, "{what}");
            let mut line = input;
            let own = line.as_mut_ptr();
            // SAFETY: as above; the result takes the place of the line.
            unsafe { long.transform(own, room.as_mut_ptr(), own) };
            assert!(line == first, "{what}");
        }
    }
}

fn real_lines<T: Component + Into<f64>>(eps: f64) {
    for n in LENGTHS.map(|n| 2 * n) {
        let long = LongReal::<T>::of(n, FftDirection::Forward).unwrap();
        let mut input: Vec<T> = noise::<T>(n).iter().map(|z| z.re).collect();
        let zeros = |n: usize| vec![Complex::new(T::zero(), T::zero()); n];
        let (mut room, mut got, mut want) = (zeros(n / 2), zeros(n / 2 + 1), zeros(n / 2 + 1));
        // SAFETY: all have the points of the plan.
        unsafe { long.forward(input.as_ptr(), room.as_mut_ptr(), got.as_mut_ptr()) };
        let plan = T::forward(n);
        plan.process(&mut input.clone(), &mut want).unwrap();
        close(&got, &want, eps, &format!("{n} forward"));
        let own = input.as_mut_ptr();
        let mut again = zeros(n / 2 + 1);
        // SAFETY: as above; the line that is read is the room.
        unsafe { long.forward(own, own.cast(), again.as_mut_ptr()) };
        assert!(again == got, "{n}");
        let long = LongReal::<T>::of(n, FftDirection::Inverse).unwrap();
        // What does not belong at the ends of the spectrum is left out.
        let mut spectrum = noise::<T>(n / 2 + 1);
        let mut back = vec![T::zero(); n];
        // SAFETY: all have the points of the plan.
        unsafe { long.inverse(spectrum.as_ptr(), room.as_mut_ptr(), back.as_mut_ptr()) };
        let mut right = spectrum.clone();
        (right[0].im, right[n / 2].im) = (T::zero(), T::zero());
        let mut want = vec![T::zero(); n];
        T::inverse(n).process(&mut right, &mut want).unwrap();
        let wide = |list: &[T]| -> Vec<Complex<T>> { list.iter().map(|x| x.into()).collect() };
        close(&wide(&back), &wide(&want), eps, &format!("{n} inverse"));
        let own = spectrum.as_mut_ptr();
        let mut again = vec![T::zero(); n];
        // SAFETY: as above; the spectrum that is read is the room.
        unsafe { long.inverse(own, own, again.as_mut_ptr()) };
        assert!(again == back, "{n}");
    }
}

#[test]
fn long_lines_agree_with_the_plans_for_one_thread() {
    complex_lines::<f32>(f32::EPSILON.into());
    complex_lines::<f64>(f64::EPSILON);
}

#[test]
fn long_real_lines_agree_with_the_plans_for_one_thread() {
    real_lines::<f32>(f32::EPSILON.into());
    real_lines::<f64>(f64::EPSILON);
}

#[test]
fn lengths_that_fall_apart_badly_are_left_to_one_thread() {
    assert_eq!(balanced(1 << 20), Some((1 << 10, 1 << 10)));
    assert_eq!(balanced(3 << 20), Some((1536, 2048)));
    for n in [1_048_573, 2 * 524_287, 63 * 65_537, 65 * 1_000_003] {
        assert_eq!(balanced(n), None, "{n}");
    }
    assert!(LongReal::<f64>::new((1 << 21) + 1, 1, FftDirection::Forward).is_none());
    assert!(Long::<f64>::new(1 << 10, 1, FftDirection::Forward).is_none());
}

/// The time of a line on all threads beside that on one.
#[test]
#[ignore = "a measurement"]
fn speed_of_long_lines() {
    fn time(mut run: impl FnMut()) -> f64 {
        run();
        let one = |_| {
            let start = std::time::Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        };
        (0..9).map(one).fold(f64::INFINITY, f64::min)
    }
    fn lines<T: Component>(n: usize) {
        let plan = T::complex(n, FftDirection::Forward);
        let long = Long::<T>::of(n, FftDirection::Forward).unwrap();
        let mut from = noise::<T>(n);
        let (mut to, mut room) = (from.clone(), from.clone());
        let mut own = vec![from[0]; plan.get_outofplace_scratch_len()];
        let one = time(|| plan.process_outofplace_with_scratch(&mut from, &mut to, &mut own));
        // SAFETY: all have the points of the plan.
        let all = time(|| unsafe {
            long.transform(from.as_ptr(), room.as_mut_ptr(), to.as_mut_ptr());
        });
        let bytes = size_of::<Complex<T>>();
        eprintln!("{n} of {bytes} bytes: one thread {one:.3} ms, all {all:.3} ms");
    }
    for bits in 12..24 {
        for n in [1 << bits, 3 << (bits - 1)] {
            lines::<f32>(n);
            lines::<f64>(n);
        }
    }
}
