//! Polynomials by their coefficients, the highest power first.

use super::join::concat;
use super::movement::insert_axis;
use crate::array::{DeviceArray, checked, checked_fns, located, record};
use crate::dtype::{Element, Factorable, Inexact, Number, Scalar};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View};
use crate::ops::convolve::Mode;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// The number of coefficients, which lie along the only axis.
pub(super) fn count(name: &str, a: &Arc<Node>) -> Result<usize> {
    match a.shape[..] {
        [n] => Ok(n),
        _ => {
            let shape = &a.shape;
            Err(Error::shape(format!("{name}: coefficients of shape {shape:?} have not one axis")))
        }
    }
}

/// One coefficient, without axes.
#[track_caller]
fn coefficient(a: &Arc<Node>, k: usize) -> Arc<Node> {
    record::view(a, View(smallvec![AxisMap::fixed(k as i64)]), Shape::new())
}

/// The coefficients with zeros in front, `n` of them.
#[track_caller]
fn padded(a: &Arc<Node>, n: usize) -> Result<Arc<Node>> {
    let zeros = record::full(record::number(a, 0.0), smallvec![n - a.len()], a.device);
    concat("poly", &[zeros, a.clone()], 0)
}

#[track_caller]
fn both<T: Number>(
    name: &'static str,
    op: Op,
    p: &DeviceArray<T>,
    q: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    if p.device().differs(q.device()) {
        return Err(record::devices_differ(name, p.device(), q.device()));
    }
    let n = count(name, p.node())?.max(count(name, q.node())?);
    record::binary(op, &padded(p.node(), n)?, &padded(q.node(), n)?).map(DeviceArray::from_node)
}

/// The exponents of `n` coefficients, from `n - 1 + first` down.
#[track_caller]
fn exponents(a: &Arc<Node>, n: usize, first: i64) -> Result<Arc<Node>> {
    let place = record::iota(0, smallvec![n], a.device);
    let falling = record::binary(Op::Subtract, Scalar::new(n as i64 - 1 + first), &place)?;
    Ok(record::cast(&falling, a.dtype))
}

checked_fns! {
    /// The values of a polynomial, by Horner's rule.
    ///
    /// **Shape.** The array's at which it is evaluated; the coefficients have one axis, the highest
    /// power first. **Dtype.** The arrays'. One kernel. NumPy: `polyval`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[3.0, 0.0, 1.0])?;
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// assert_eq!(lazuli::polyval(&p, &x).to_vec()?, [1.0, 13.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn polyval | try_polyval<T: Number>(p: &DeviceArray<T>, x: &DeviceArray<T>) -> DeviceArray<T> {
        let n = count("polyval", p.node())?;
        let zero = record::number(p.node(), 0.0);
        let mut value = record::full(zero, x.node().shape.clone(), x.device());
        for k in 0..n {
            let term = coefficient(p.node(), k);
            value = match k {
                0 => record::binary(Op::Add, &value, &term)?,
                _ => record::binary(Op::Add, &record::binary(Op::Multiply, &value, x.node())?, &term)?,
            };
        }
        Ok(DeviceArray::from_node(value))
    }

    /// The sum of two polynomials.
    ///
    /// **Shape.** One axis, the longer of both. **Dtype.** The arrays'. NumPy: `polyadd`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (p, q) = (DeviceArray::from_slice(&[1, 2])?, DeviceArray::from_slice(&[9, 5, 4])?);
    /// assert_eq!(lazuli::polyadd(&p, &q).to_vec()?, [9, 6, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    fn polyadd | try_polyadd<T: Number>(p: &DeviceArray<T>, q: &DeviceArray<T>) -> DeviceArray<T> {
        both("polyadd", Op::Add, p, q)
    }

    /// The difference of two polynomials.
    ///
    /// **Shape.** One axis, the longer of both. **Dtype.** The arrays'. NumPy: `polysub`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (p, q) = (DeviceArray::from_slice(&[2, 10, -2])?, DeviceArray::from_slice(&[3, 10, -4])?);
    /// assert_eq!(lazuli::polysub(&p, &q).to_vec()?, [-1, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn polysub | try_polysub<T: Number>(p: &DeviceArray<T>, q: &DeviceArray<T>) -> DeviceArray<T> {
        both("polysub", Op::Subtract, p, q)
    }

    /// The product of two polynomials: the convolution of their coefficients.
    ///
    /// **Shape.** One axis, one less than both together. **Dtype.** The arrays'. NumPy: `polymul`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (p, q) = (DeviceArray::from_slice(&[1, 2, 3])?, DeviceArray::from_slice(&[9, 5, 1])?);
    /// assert_eq!(lazuli::polymul(&p, &q).to_vec()?, [9, 23, 38, 17, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn polymul | try_polymul<T: Number>(p: &DeviceArray<T>, q: &DeviceArray<T>) -> DeviceArray<T> {
        count("polymul", p.node()).and_then(|_| count("polymul", q.node()))?;
        crate::ops::convolve::try_convolve(p, q, Mode::Full)
    }

    /// The derivative of a polynomial.
    ///
    /// **Shape.** One axis, one shorter; empty for a constant. **Dtype.** The array's. NumPy:
    /// `polyder`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[1, 1, 1, 1])?;
    /// assert_eq!(lazuli::polyder(&p).to_vec()?, [3, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn polyder | try_polyder<T: Number>(p: &DeviceArray<T>) -> DeviceArray<T> {
        let n = count("polyder", p.node())?.saturating_sub(1);
        let view = View(smallvec![AxisMap::same(0)]);
        let left = record::view(p.node(), view, smallvec![n]);
        let exponents = exponents(p.node(), n, 1)?;
        record::binary(Op::Multiply, &left, &exponents).map(DeviceArray::from_node)
    }

    /// The antiderivative of a polynomial with a constant.
    ///
    /// **Shape.** One axis, one longer. **Dtype.** The array's. NumPy: `polyint(p, k=constant)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[3.0, 2.0, 1.0])?;
    /// assert_eq!(lazuli::polyint(&p, 7.0).to_vec()?, [1.0, 1.0, 1.0, 7.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn polyint | try_polyint<T: Inexact>(p: &DeviceArray<T>, constant: T) -> DeviceArray<T> {
        let n = count("polyint", p.node())?;
        let parts = record::binary(Op::Divide, p.node(), &exponents(p.node(), n, 1)?)?;
        let constant = record::full(Scalar::new(constant), smallvec![1], p.device());
        concat("polyint", &[parts, constant], 0).map(DeviceArray::from_node)
    }

    /// The matrix whose columns are powers of the elements, the highest power first.
    ///
    /// **Shape.** `[n, columns]` for `n` elements. **Dtype.** The array's. NumPy: `vander`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1, 2, 3])?;
    /// assert_eq!(lazuli::vander(&x, 3).to_vec()?, [1, 1, 1, 4, 2, 1, 9, 3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn vander | try_vander<T: Number>(x: &DeviceArray<T>, columns: usize) -> DeviceArray<T> {
        let n = count("vander", x.node())?;
        let column = insert_axis(x.node(), 1);
        // Products of the powers before, as an element of integers wraps.
        let shape: Shape = smallvec![n, columns];
        crate::shape::checked_len("vander", &shape)?;
        let place = record::iota(1, shape, x.device());
        let first = record::binary(Op::Equal, &place, Scalar::new(0i64))?;
        let factors = record::select(&first, record::number(x.node(), 1.0), &column)?;
        let powers = record::accumulate(Reduction::Prod, &factors, 1, false, false);
        DeviceArray::<T>::from_node(powers).try_flip(1)
    }
}

impl<T: Factorable> DeviceArray<T> {
    checked! {
        /// The coefficients of the polynomial of a degree that fits values best in the sense of least
        /// squares, at this array's elements.
        ///
        /// The columns of the [`vander`](crate::vander) matrix are scaled to length 1, and singular
        /// values below the number of points times the type's precision, relative to the largest,
        /// count as zero.
        ///
        /// **Shape.** `[n]` and values `[n]` or `[n, k]` give `[degree + 1]` or `[degree + 1, k]`.
        /// **Dtype.** The arrays'. NumPy: `polyfit(x, y, degree)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
        /// let p = x.polyfit(&(x.square() * 2.0 - 1.0), 2).to_vec()?;
        /// assert!((p[0] - 2.0).abs() < 1e-12 && p[1].abs() < 1e-12 && (p[2] + 1.0).abs() < 1e-12);
        /// # Ok::<(), Error>(())
        /// ```
        fn polyfit | try_polyfit(&self, values: &DeviceArray<T>, degree: usize) -> DeviceArray<T> {
            let n = count("polyfit", self.node())?;
            if n == 0 || values.shape().first() != Some(&n) || values.ndim() > 2 {
                let (x, y) = (self.shape(), values.shape());
                return Err(Error::shape(format!("polyfit: shapes {x:?} and {y:?} do not match")));
            }
            let matrix = try_vander(self, degree.saturating_add(1))?;
            let lengths = matrix.try_norm(0)?;
            let lengths = record::cast(lengths.node(), T::DTYPE);
            let scaled = record::binary(Op::Divide, matrix.node(), &lengths)?;
            let precision = T::Real::DTYPE.finfo().map_or(0.0, |info| info.eps);
            let fit = DeviceArray::<T>::from_node(scaled);
            let fit = fit.try_lstsq(values, Some(n as f64 * precision))?.x;
            let lengths = if values.ndim() == 2 { insert_axis(&lengths, 1) } else { lengths };
            record::binary(Op::Divide, fit.node(), &lengths).map(DeviceArray::from_node)
        }
    }

    /// The roots of the polynomial with these coefficients, the highest power first: the eigenvalues
    /// of its companion matrix.
    ///
    /// **Shape.** One axis, as many as the degree: zeros in front are no coefficients. **Dtype.**
    /// Complex. **Laziness.** The shape depends on the data: evaluates and waits; the roots are
    /// recorded. NumPy: `roots`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the array has not one axis; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let roots = DeviceArray::from_slice(&[1.0, 0.0, -4.0, 0.0])?.roots()?;
    /// let mut real = roots.real().to_vec()?;
    /// real.sort_by(f64::total_cmp);
    /// assert!((real[0] + 2.0).abs() < 1e-12 && real[1] == 0.0 && (real[2] - 2.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn roots(&self) -> Result<DeviceArray<<T as Factorable>::Complex>> {
        located(roots(self))
    }
}

#[track_caller]
fn roots<T: Factorable>(p: &DeviceArray<T>) -> Result<DeviceArray<<T as Factorable>::Complex>> {
    count("roots", p.node())?;
    let complex = <T as Factorable>::Complex::DTYPE;
    let none = |n: usize| record::full(Scalar::from_f64(complex, 0.0), smallvec![n], p.device());
    let places = p.flat_nonzero()?.to_vec()?;
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
        return Ok(DeviceArray::from_node(none(0)));
    };
    // Zeros behind are roots at zero.
    let zeros = none(p.len() - 1 - last as usize);
    let degree = (last - first) as usize;
    if degree == 0 {
        return Ok(DeviceArray::from_node(zeros));
    }
    let (first, last) = (first as isize, last as isize);
    let lead = p.try_slice(crate::prelude::s![first])?;
    let rest = p.try_slice(crate::prelude::s![first + 1..last + 1])?;
    let row = record::unary(Op::Negative, rest.try_divide(&lead)?.node());
    let below = DeviceArray::<T>::try_eye_with(degree - 1, degree, 0);
    let below = p.device().scope(|| below)?;
    let companion = concat("roots", &[insert_axis(&row, 0), below.node().clone()], 0)?;
    let values = DeviceArray::<T>::from_node(companion).try_eigvals()?;
    concat("roots", &[values.node().clone(), zeros], 0).map(DeviceArray::from_node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_of_few_coefficients() {
        let none = DeviceArray::<f64>::zeros(0);
        let x = DeviceArray::from_vec([2, 1], vec![1.0, f64::INFINITY]).unwrap();
        assert_eq!(polyval(&none, &x).to_vec().unwrap(), [0.0, 0.0]);
        assert_eq!(polyval(&DeviceArray::full(1, 5.0), &x).to_vec().unwrap(), [5.0, 5.0]);
        assert_eq!(polyder(&none).len() + polyder(&DeviceArray::full(1, 5.0)).len(), 0);
        assert_eq!(polyint(&none, 2.0).to_vec().unwrap(), [2.0]);
        assert_eq!(polyadd(&none, &DeviceArray::full(2, 5.0)).to_vec().unwrap(), [5.0, 5.0]);
        assert_eq!(none.roots().unwrap().len(), 0);
        assert_eq!(DeviceArray::from_slice(&[0.0, 3.0]).unwrap().roots().unwrap().len(), 0);
        let zeros = DeviceArray::from_slice(&[0.0f32, 3.0, 0.0, 0.0]).unwrap().roots().unwrap();
        assert_eq!(zeros.to_vec().unwrap(), vec![crate::dtype::Complex::new(0.0, 0.0); 2]);
        assert_eq!(vander(&none, 3).shape(), [0, 3]);
        assert_eq!(vander(&DeviceArray::full(2, 3), 0).shape(), [2, 0]);
        for error in [
            try_polyval(&x, &x).unwrap_err(),
            try_polymul(&x, &none).unwrap_err(),
            none.try_polyfit(&none, 1).unwrap_err(),
            x.roots().unwrap_err(),
        ] {
            assert!(error.is_shape(), "{error}");
        }
    }
}
