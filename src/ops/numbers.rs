//! Parts and bounds of numbers: rounding, mantissas, finite values, clipping.

use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, checked, record};
use crate::dtype::{DType, Floating, Number, Ordered, Real, Scalar};
use crate::graph::Node;
use crate::table::Op;
use std::sync::Arc;

impl<T: Real> DeviceArray<T> {
    /// The nearest integer; of two that are equally near the even one, as NumPy and the array API
    /// standard have it. Rust's `round`, which takes the one farther from zero, is
    /// [`round_ties_away`](Self::round_ties_away); inside functions with
    /// [`vectorize`](macro@crate::vectorize) `round` is Rust's.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; integers stay. **Laziness.** Records;
    /// nothing is computed. NumPy: `round`, `rint`; by decimals
    /// [`round_to`](DeviceArray::round_to).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.5, 1.5, -2.5, 2.6])?;
    /// assert_eq!(a.round().to_vec()?, [0.0, 2.0, -2.0, 3.0]);
    /// assert_eq!(a.round_ties_away().to_vec()?, [1.0, 2.0, -3.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "rint")]
    #[track_caller]
    pub fn round(&self) -> DeviceArray<T> {
        self.rint()
    }
}

impl<T: Number> DeviceArray<T> {
    /// The array itself: the operator `+` with one operand.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Another handle; nothing is
    /// recorded. NumPy: `positive`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::from_slice(&[-1, 2])?.positive().to_vec()?, [-1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn positive(&self) -> DeviceArray<T> {
        self.clone()
    }

    /// Whether the imaginary part is zero: of all real numbers, NaN among them.
    ///
    /// **Shape.** The array's. **Dtype.** `bool`. **Laziness.** Records; nothing is computed. NumPy:
    /// `isreal`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[Complex::new(1.0, 1.0), Complex::new(2.0, 0.0)])?;
    /// assert_eq!(a.is_real().to_vec()?, [false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn is_real(&self) -> DeviceArray<bool> {
        imaginary(self.node(), Op::Equal)
    }

    /// Whether the imaginary part is not zero, as it is of no real number.
    ///
    /// **Shape.** The array's. **Dtype.** `bool`. **Laziness.** Records; nothing is computed. NumPy:
    /// `iscomplex`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[Complex::new(1.0, 1.0), Complex::new(2.0, 0.0)])?;
    /// assert_eq!(a.is_complex().to_vec()?, [true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn is_complex(&self) -> DeviceArray<bool> {
        imaginary(self.node(), Op::NotEqual)
    }
}

/// The imaginary part of each number compared with zero.
#[track_caller]
fn imaginary(a: &Arc<Node>, compare: Op) -> DeviceArray<bool> {
    if !a.dtype.is_complex() {
        let real = Scalar::new(compare == Op::Equal);
        return DeviceArray::from_node(record::full(real, a.shape.clone(), a.device));
    }
    let part = record::unary(Op::ImagPart, a);
    let compared = record::binary(compare, &part, record::number(&part, 0.0));
    DeviceArray::from_node(compared.expect("a number fits any shape"))
}

impl<T: Floating> DeviceArray<T> {
    checked! {
        /// The distance from each number to its neighbour farther from zero, with the number's sign;
        /// of zero the least number above it, of infinities NaN.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. NumPy: `spacing`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_slice(&[1.0, -4.0])?;
        /// assert_eq!(a.spacing().to_vec()?, [f64::EPSILON, -4.0 * f64::EPSILON]);
        /// # Ok::<(), Error>(())
        /// ```
        fn spacing | try_spacing(&self) -> DeviceArray<T> {
            let a = self.node();
            let size = record::unary(Op::Abs, a);
            let next = record::binary(Op::Nextafter, &size, record::number(a, f64::INFINITY))?;
            let step = record::binary(Op::Subtract, &next, &size)?;
            let below = record::binary(Op::Less, a, record::number(a, 0.0))?;
            record::select(&below, &record::unary(Op::Negative, &step), &step).map(DeviceArray::from_node)
        }
    }
}

impl<T: Ordered> DeviceArray<T> {
    checked! {
        /// No element less than `low`; NaN wins.
        ///
        /// **Shape.** Broadcast. **Dtype.** The array's. NumPy: `clip(a, low, None)`; it is
        /// [`maximum`](Self::maximum) by another name.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[-1, 2, 7])?.clip_min(0).to_vec()?, [0, 2, 7]);
        /// # Ok::<(), Error>(())
        /// ```
        fn clip_min | try_clip_min(&self, low: impl Operand<T>) -> DeviceArray<T> {
            record::binary(Op::Maximum, self.arg(), arg(low, self.device())?).map(DeviceArray::from_node)
        }

        /// No element greater than `high`; NaN wins.
        ///
        /// **Shape.** Broadcast. **Dtype.** The array's. NumPy: `clip(a, None, high)`; it is
        /// [`minimum`](Self::minimum) by another name.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// assert_eq!(DeviceArray::from_slice(&[-1, 2, 7])?.clip_max(4).to_vec()?, [-1, 2, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn clip_max | try_clip_max(&self, high: impl Operand<T>) -> DeviceArray<T> {
            record::binary(Op::Minimum, self.arg(), arg(high, self.device())?).map(DeviceArray::from_node)
        }
    }
}

impl<T: Floating> DeviceArray<T> {
    /// Rounded to a number of decimals, ties to even; negative numbers round before the point.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
    /// NumPy: `round(a, decimals)`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(DeviceArray::from_slice(&[1.255, 2.5])?.round_to(1).to_vec()?, [1.3, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "around")]
    #[track_caller]
    pub fn round_to(&self, decimals: i32) -> DeviceArray<T> {
        let scale = T::from_f64(10f64.powi(decimals.saturating_abs()));
        match decimals {
            0 => self.rint(),
            1.. => (self * scale).rint() / scale,
            _ => (self / scale).rint() * scale,
        }
    }

    /// The fractional and the integer part, both with the sign of the value.
    ///
    /// **Shape.** The array's. **Laziness.** Records; nothing is computed. NumPy: `modf`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (fraction, whole) = DeviceArray::from_slice(&[-1.5])?.modf();
    /// assert_eq!((fraction.item()?, whole.item()?), (-0.5, -1.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn modf(&self) -> (DeviceArray<T>, DeviceArray<T>) {
        let whole = self.trunc();
        let rest = select_infinite(self, self - &whole);
        (rest.copysign(self), whole)
    }

    /// The mantissa, from 0.5 to 1 in magnitude, and the exponent: the value is
    /// `mantissa * 2^exponent`. Zeros, infinities and NaN are their own mantissa, with exponent 0.
    ///
    /// **Shape.** The array's. **Dtype.** The array's own and `i32`. **Laziness.** Records; nothing
    /// is computed. NumPy: `frexp`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (mantissa, exponent) = DeviceArray::from_slice(&[-6.0])?.frexp();
    /// assert_eq!((mantissa.item()?, exponent.item()?), (-0.75, 3));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn frexp(&self) -> (DeviceArray<T>, DeviceArray<i32>) {
        (self.frexp_mantissa(), self.frexp_exponent())
    }

    /// NaN replaced by 0, infinities by the largest and the lowest finite value.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. **Laziness.** Records; nothing is computed.
    /// NumPy: `nan_to_num`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[f64::NAN, f64::INFINITY])?.nan_to_num();
    /// assert_eq!(a.to_vec()?, [0.0, f64::MAX]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn nan_to_num(&self) -> DeviceArray<T> {
        let largest = largest::<T>();
        let numbers = self.is_nan().select(T::ZERO, self);
        numbers.clip(T::from_f64(-largest), T::from_f64(largest))
    }
}

#[track_caller]
fn select_infinite<T: Floating>(a: &DeviceArray<T>, rest: DeviceArray<T>) -> DeviceArray<T> {
    a.is_inf().select(T::ZERO, rest)
}

/// The largest finite value of a floating-point type.
fn largest<T: Floating>() -> f64 {
    match T::DTYPE {
        DType::F16 => half::f16::MAX.to_f64(),
        DType::BF16 => half::bf16::MAX.to_f64(),
        DType::F32 => f32::MAX.into(),
        _ => f64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{Complex, Element};
    use half::f16;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn parts_of_numbers() {
        let a = DeviceArray::from_slice(&[2.75, -2.75, INF, -0.0]).unwrap();
        let (fraction, whole) = a.modf();
        assert_eq!(fraction.to_vec().unwrap(), [0.75, -0.75, 0.0, 0.0]);
        assert_eq!(whole.to_vec().unwrap(), [2.0, -2.0, INF, 0.0]);
        assert_eq!(a.round_to(1).to_vec().unwrap()[..2], [2.8, -2.8]);
        assert_eq!(DeviceArray::full(1, 1250.0f64).round_to(-2).item().unwrap(), 1200.0);
        let h = DeviceArray::from_slice(&[f16::NAN, f16::NEG_INFINITY]).unwrap().nan_to_num();
        assert_eq!(h.to_vec().unwrap(), [f16::ZERO, f16::MIN]);
    }

    #[test]
    fn whole_numbers_are_rounded_already() {
        for dtype in DType::ALL.into_iter().filter(|d| d.is_integer()) {
            fn all<T: Element + Real>(dtype: DType) {
                let a = DeviceArray::<f64>::from_slice(&[3.0, 100.0]).unwrap().cast::<T>();
                let none = DeviceArray::<T>::zeros([0, 2]);
                let rounded = [
                    a.floor(),
                    a.ceil(),
                    a.trunc(),
                    a.rint(),
                    a.round(),
                    a.round_ties_away(),
                    a.conj(),
                    a.positive(),
                ];
                for b in rounded {
                    assert_eq!(b.to_vec().unwrap(), a.to_vec().unwrap(), "{dtype}");
                }
                assert_eq!(a.real().cast::<f64>().to_vec().unwrap(), [3.0, 100.0], "{dtype}");
                assert_eq!(a.imag().cast::<f64>().to_vec().unwrap(), [0.0; 2], "{dtype}");
                assert_eq!(a.is_nan().to_vec().unwrap(), [false; 2], "{dtype}");
                assert_eq!(a.is_inf().to_vec().unwrap(), [false; 2], "{dtype}");
                assert_eq!(a.is_finite().to_vec().unwrap(), [true; 2], "{dtype}");
                assert_eq!(none.is_finite().shape(), [0, 2]);
            }
            match dtype {
                DType::I8 => all::<i8>(dtype),
                DType::I16 => all::<i16>(dtype),
                DType::I32 => all::<i32>(dtype),
                DType::I64 => all::<i64>(dtype),
                DType::U8 => all::<u8>(dtype),
                DType::U16 => all::<u16>(dtype),
                DType::U32 => all::<u32>(dtype),
                _ => all::<u64>(dtype),
            }
        }
        assert!(DeviceArray::from(true).is_finite().item().unwrap());
        let z = DeviceArray::from(Complex::new(1.0, f64::NAN));
        assert!(z.is_nan().item().unwrap() && !z.is_finite().item().unwrap());
    }

    #[test]
    fn halves_are_rounded_to_even() {
        let values: [f64; 9] =
            [-2.5, -1.5, -0.5, -0.2, 0.5, 1.5, 2.5, 0.49999999999999994, 4503599627370497.0];
        let a = DeviceArray::from_slice(&values).unwrap();
        let even: Vec<f64> = values.iter().map(|v| v.round_ties_even()).collect();
        let away: Vec<f64> = values.iter().map(|v| v.round()).collect();
        assert_eq!(a.round().to_vec().unwrap(), even);
        assert_eq!(a.round_ties_away().to_vec().unwrap(), away);
        let signs = |v: &[f64]| v.iter().map(|v| v.is_sign_negative()).collect::<Vec<_>>();
        assert_eq!(signs(&a.round().to_vec().unwrap()), signs(&even));
        let odd = DeviceArray::from_slice(&[f64::NAN, INF, -INF]).unwrap().round();
        assert!(odd.to_vec().unwrap()[0].is_nan());
        assert_eq!(odd.to_vec().unwrap()[1..], [INF, -INF]);
        assert_eq!(DeviceArray::from(2.5f32).round().item().unwrap(), 2.0);
        assert_eq!(
            DeviceArray::from(f16::from_f32(2.5)).round().item().unwrap(),
            f16::from_f32(2.0)
        );
    }

    #[test]
    fn bounds_on_one_side() {
        let a = DeviceArray::from_slice(&[f64::NAN, -1.0, 3.0]).unwrap();
        let (low, high) = (a.clip_min(0.0).to_vec().unwrap(), a.clip_max(0.0).to_vec().unwrap());
        assert!(low[0].is_nan() && high[0].is_nan());
        assert_eq!((&low[1..], &high[1..]), (&[0.0, 3.0][..], &[-1.0, 0.0][..]));
        let each = DeviceArray::from_vec([2, 1], vec![0.0, 2.0]).unwrap();
        assert_eq!(a.clip_min(&each).shape(), [2, 3]);
        assert!(a.try_clip_max(DeviceArray::zeros(2)).unwrap_err().is_shape());
    }
}
