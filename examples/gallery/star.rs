//! # A star in a telescope of eighteen hexagons
//!
//! The image of a star is the power spectrum of the mirror, and the mirror's edges give it six
//! rays. A function of numbers with `#[vectorize]` tells whether a point lies on the mirror, and its
//! result goes into the transform like any array. The rest is NumPy's
//! `np.log10(np.abs(np.fft.fftshift(f))**2)`: shift, cut and logarithm fuse behind the transform.

use lazuli::fft::{fft2, fftshift};
use lazuli::prelude::*;

/// One on the mirror: the hexagons of two rings, with gaps between them and three struts before them.
#[vectorize]
fn mirror(x: f64, y: f64) -> f64 {
    let (q, r) = (x * 2.0 / 3.0, y / 3f64.sqrt() - x / 3.0);
    let s = -q - r;
    // The hexagon's centre, by rounding two of three coordinates whose sum is zero.
    let (mut a, mut b, mut c) = (q.round(), r.round(), s.round());
    let (da, db, dc) = ((a - q).abs(), (b - r).abs(), (c - s).abs());
    if da > db && da > dc {
        a = -b - c;
    } else if db > dc {
        b = -a - c;
    } else {
        c = -a - b;
    }
    let ring = a.abs().max(b.abs()).max(c.abs());
    let edge = (a - q - b + r).abs().max((b - r - c + s).abs()).max((c - s - a + q).abs());
    let strut = if y < 0.0 { x.abs() } else { (0.5 * x.abs() - 0.866 * y).abs() };
    if ring >= 1.0 && ring <= 2.0 && edge < 0.97 && strut > 0.08 { 1.0 } else { 0.0 }
}

pub fn star(n: usize) -> DeviceArray<f64> {
    let x = DeviceArray::<f64>::linspace_open(-32.0, 32.0, 4 * n);
    let light = fft2(&mirror::call(&x, x.insert_axis(1)));
    let (low, high) = (3 * n as isize / 2, 5 * n as isize / 2);
    let power = fftshift(&light, ..).slice(s![low..high, low..high]).abs().square();
    (&power / power.max(..)).log10().clip(-5.0, 0.0)
}

#[test]
fn a_star_is_brightest_in_the_middle() -> Result<()> {
    let star = star(32);
    assert_eq!(star.argmax(..).item()?, 16 * 32 + 16);
    Ok(())
}
