//! Fourier transforms.

use super::{GOLDEN, SQRT_2, at, compare, places, spread};
use crate::measure::Bench;
use lazuli::fft::{fft2, ifft2};
use lazuli::prelude::*;

/// A circular convolution of two real planes by transforms: as they are, so that halves of the
/// spectra do, and made complex on the way in, as most peers write it.
pub fn fftconv(bench: &mut Bench, n: usize) -> Result<()> {
    let plane = |ratio| spread::<f32>(n * n, ratio, 0.0, 1.0).map(|a| a.reshape([n, n]));
    let (a, b) = (plane(GOLDEN)?, plane(SQRT_2)?);
    let real = || {
        let c = ifft2(&(fft2(&a) * fft2(&b))).real();
        c.eval().map(|()| c)
    };
    let check = |c: DeviceArray<f32>| {
        let mut pairs = Vec::new();
        for p in places(n) {
            // The sum over i, j of a[i, j] · b[p - i, q - j], in double precision.
            let q = (7 * p + 3) % n;
            let turned = b.flip(..).roll(p as isize + 1, 0).roll(q as isize + 1, 1);
            let sum = (a.cast::<f64>() * turned.cast::<f64>()).sum(..).item()?;
            let got = at(&c.index_axis(0, p as isize), q)?;
            pairs.push((got / sum, 1.0));
        }
        compare(pairs, 1e-5)
    };
    bench.form("lazy", 0, || real().map(drop), || check(real()?))?;
    let complex = || {
        let (x, y) = (a.cast::<Complex<f32>>(), b.cast::<Complex<f32>>());
        let c = ifft2(&(fft2(&x) * fft2(&y))).real();
        c.eval().map(|()| c)
    };
    bench.form("as complex", 0, || complex().map(drop), || check(complex()?))
}
