//! # The modes of a drum
//!
//! A round membrane swings in Bessel functions of the radius and cosines of the angle, and the zeros of
//! the Bessel functions give the pitches. [`jv`](lazuli::special::jv()) is `scipy.special.jv`, for any
//! real order; [`jn`](lazuli::special::jn()) takes whole ones. Arguments broadcast, the order as well,
//! so that six modes are one expression and one kernel: a stack of orders and zeros against a column
//! and a row of coordinates. The zeros are those of `scipy.special.jn_zeros`.

use lazuli::prelude::*;
use lazuli::special::jv;

/// The orders, with the first and the second zero of each.
const ORDERS: [f64; 6] = [0.0, 1.0, 2.0, 0.0, 1.0, 2.0];
const ZEROS: [f64; 6] = [
    2.404825557695773,
    3.831705970207512,
    5.135622301840683,
    5.520078110286311,
    7.015586669815619,
    8.417244140399865,
];

pub fn modes(n: usize) -> Result<DeviceArray<f64>> {
    let order = DeviceArray::from_vec([6, 1, 1], ORDERS.to_vec())?;
    let zero = DeviceArray::from_vec([6, 1, 1], ZEROS.to_vec())?;
    let x = DeviceArray::<f64>::linspace(-1.0, 1.0, n);
    let y = x.insert_axis(1);
    let radius = x.hypot(&y);
    let swing = jv(&order, zero * &radius) * (order * y.atan2(&x)).cos();
    Ok(radius.less_equal(1.0).select(swing, 0.0))
}

#[test]
fn the_edge_is_at_rest() -> Result<()> {
    let modes = modes(101)?;
    assert_eq!(explain(&[&modes]).kernels(), 1);
    assert!((modes.get([0, 50, 50])? - 1.0).abs() < 1e-14); // J₀(0)
    assert!(modes.slice(s![.., 50, 100]).abs().max(..).item()? < 1e-13);
    Ok(())
}
