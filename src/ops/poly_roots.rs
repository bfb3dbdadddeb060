//! Polynomials from their roots, and their division.

use super::join::concat;
use super::polynomial::count;
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{Inexact, Number, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::table::Op;
use smallvec::smallvec;
use std::sync::Arc;

/// Zeros of the type and on the device of an array.
fn zeros(a: &Arc<Node>, n: usize) -> Arc<Node> {
    record::full(record::number(a, 0.0), smallvec![n], a.device)
}

checked_fns! {
    /// The coefficients of the polynomial with the given roots, the highest power first, which has
    /// the coefficient 1: the inverse of [`roots`](DeviceArray::roots).
    ///
    /// **Shape.** One axis, one longer than that of the roots. **Dtype.** The roots': those of
    /// complex roots in pairs are complex, too. NumPy: `poly` of a sequence; of a matrix first
    /// [`eigvals`](DeviceArray::eigvals).
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let roots = DeviceArray::from_slice(&[-1.0, 2.0])?;
    /// assert_eq!(lazuli::poly(&roots).to_vec()?, [1.0, -1.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn poly | try_poly<T: Number>(roots: &DeviceArray<T>) -> DeviceArray<T> {
        let n = count("poly", roots.node())?;
        let one = record::full(record::number(roots.node(), 1.0), smallvec![1], roots.device());
        let zero = zeros(roots.node(), 1);
        let mut all = one;
        for k in 0..n {
            let root = roots.try_slice(crate::prelude::s![k as isize])?;
            let raised = concat("poly", &[all.clone(), zero.clone()], 0)?;
            let kept = concat("poly", &[zero.clone(), all], 0)?;
            let part = record::binary(Op::Multiply, &kept, root.node())?;
            all = record::binary(Op::Subtract, &raised, &part)?;
        }
        Ok(DeviceArray::from_node(all))
    }

    /// The quotient and the remainder of the division of a polynomial by another one, by long
    /// division.
    ///
    /// **Shape.** Of `n` by `m` coefficients: `n - m + 1`, and `m - 1`, at least one each. NumPy
    /// leaves out zeros at the front of the remainder, which are data. **Dtype.** The arrays'. The
    /// divisor's first coefficient must not be zero: it would give infinities or NaN. NumPy: `polydiv`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (p, q) = (DeviceArray::from_slice(&[3.0, 5.0, 2.0])?, DeviceArray::from_slice(&[2.0, 1.0])?);
    /// let (quotient, rest) = lazuli::polydiv(&p, &q);
    /// assert_eq!((quotient.to_vec()?, rest.to_vec()?), (vec![1.5, 1.75], vec![0.25]));
    /// # Ok::<(), Error>(())
    /// ```
    fn polydiv | try_polydiv<T: Inexact>(
        p: &DeviceArray<T>,
        q: &DeviceArray<T>,
    ) -> (DeviceArray<T>, DeviceArray<T>) {
        if p.device().differs(q.device()) {
            return Err(record::devices_differ("polydiv", p.device(), q.device()));
        }
        let (n, m) = (count("polydiv", p.node())?, count("polydiv", q.node())?);
        if n == 0 || m == 0 {
            return Err(Error::shape(format!("polydiv: {n} coefficients by {m}")));
        }
        if n < m {
            return Ok((DeviceArray::from_node(zeros(p.node(), 1)), p.clone()));
        }
        divide(p, q)
    }
}

/// Long division by as many coefficients or fewer.
#[track_caller]
fn divide<T: Inexact>(
    p: &DeviceArray<T>,
    q: &DeviceArray<T>,
) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
    use crate::prelude::s;
    let m = q.len();
    let (lead, others) = (q.try_slice(s![0])?, q.try_slice(s![1..])?);
    let one = record::full(Scalar::new(T::ONE), smallvec![], q.device());
    let scale = record::binary(Op::Divide, &one, lead.node())?;
    let mut rest = p.clone();
    let mut quotient = Vec::new();
    while rest.len() >= m {
        let factor = record::binary(Op::Multiply, rest.try_slice(s![..1])?.node(), &scale)?;
        let part = record::binary(Op::Multiply, others.node(), &factor)?;
        let part = concat("polydiv", &[part, zeros(p.node(), rest.len() - m)], 0)?;
        let left = rest.try_slice(s![1..])?;
        rest = DeviceArray::from_node(record::binary(Op::Subtract, left.node(), &part)?);
        quotient.push(factor);
    }
    let quotient = concat("polydiv", &quotient, 0).map(DeviceArray::from_node)?;
    let rest = if m == 1 { DeviceArray::from_node(zeros(p.node(), 1)) } else { rest };
    Ok((quotient, rest))
}
