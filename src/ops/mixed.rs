//! Operators between element types where one result alone makes sense: complex arrays with real ones
//! and with real numbers, halves with numbers of `f32`.
//!
//! They are operators alone and no [`Operand`](crate::Operand)s: a function that is generic over its
//! element type reads the type off its operands, so that each of them stands for one type.

use crate::array::{DeviceArray, record};
use crate::dtype::{Component, Element, bf16, f16};
use num_complex::Complex;

/// The real array as a complex one.
#[track_caller]
fn complex<P: Component>(real: &DeviceArray<P>) -> DeviceArray<P::Complex> {
    DeviceArray::from_node(record::cast(real.node(), P::Complex::DTYPE))
}

/// Operators whose sides become one type by the expressions behind them.
macro_rules! mixed {
    ($trait:ident $method:ident $out:ty; $($left:ty, $right:ty: |$a:ident, $b:ident| $x:expr, $y:expr;)*) => {$(
        impl std::ops::$trait<$right> for $left {
            type Output = DeviceArray<$out>;

            #[track_caller]
            #[inline]
            fn $method(self, right: $right) -> DeviceArray<$out> {
                let ($a, $b) = (self, right);
                std::ops::$trait::$method($x, $y)
            }
        }
    )*};
}

/// Assigning operators whose right side becomes the left side's type by the expression behind it.
macro_rules! assigning {
    ($trait:ident $method:ident $out:ty; $($right:ty: |$b:ident| $y:expr;)*) => {$(
        impl std::ops::$trait<$right> for DeviceArray<$out> {
            #[track_caller]
            #[inline]
            fn $method(&mut self, right: $right) {
                let $b = right;
                std::ops::$trait::$method(self, $y);
            }
        }
    )*};
}

macro_rules! complex_with_real {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $part:ident;)*) => {$(
        mixed! { $trait $method Complex<$part>;
            &DeviceArray<Complex<$part>>, $part: |z, x| z, Complex::new(x, 0.0);
            DeviceArray<Complex<$part>>, $part: |z, x| z, Complex::new(x, 0.0);
            $part, &DeviceArray<Complex<$part>>: |x, z| Complex::new(x, 0.0), z;
            $part, DeviceArray<Complex<$part>>: |x, z| Complex::new(x, 0.0), z;
            &DeviceArray<Complex<$part>>, &DeviceArray<$part>: |z, x| z, complex(x);
            &DeviceArray<Complex<$part>>, DeviceArray<$part>: |z, x| z, complex(&x);
            DeviceArray<Complex<$part>>, &DeviceArray<$part>: |z, x| z, complex(x);
            DeviceArray<Complex<$part>>, DeviceArray<$part>: |z, x| z, complex(&x);
            &DeviceArray<$part>, &DeviceArray<Complex<$part>>: |x, z| complex(x), z;
            &DeviceArray<$part>, DeviceArray<Complex<$part>>: |x, z| complex(x), z;
            DeviceArray<$part>, &DeviceArray<Complex<$part>>: |x, z| complex(&x), z;
            DeviceArray<$part>, DeviceArray<Complex<$part>>: |x, z| complex(&x), z;
            &DeviceArray<$part>, Complex<$part>: |x, z| complex(x), z;
            DeviceArray<$part>, Complex<$part>: |x, z| complex(&x), z;
            Complex<$part>, &DeviceArray<$part>: |z, x| z, complex(x);
            Complex<$part>, DeviceArray<$part>: |z, x| z, complex(&x);
        }
        assigning! { $assign $assign_method Complex<$part>;
            $part: |x| Complex::new(x, 0.0);
            &DeviceArray<$part>: |x| complex(x);
            DeviceArray<$part>: |x| complex(&x);
        }
    )*};
}
complex_with_real! {
    Add add AddAssign add_assign f32;
    Add add AddAssign add_assign f64;
    Sub sub SubAssign sub_assign f32;
    Sub sub SubAssign sub_assign f64;
    Mul mul MulAssign mul_assign f32;
    Mul mul MulAssign mul_assign f64;
    Div div DivAssign div_assign f32;
    Div div DivAssign div_assign f64;
}

macro_rules! halves_with_singles {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $half:ident;)*) => {$(
        mixed! { $trait $method $half;
            &DeviceArray<$half>, f32: |h, x| h, $half::from_f32(x);
            DeviceArray<$half>, f32: |h, x| h, $half::from_f32(x);
            f32, &DeviceArray<$half>: |x, h| $half::from_f32(x), h;
            f32, DeviceArray<$half>: |x, h| $half::from_f32(x), h;
        }
        assigning! { $assign $assign_method $half;
            f32: |x| $half::from_f32(x);
        }
    )*};
}
halves_with_singles! {
    Add add AddAssign add_assign f16;
    Add add AddAssign add_assign bf16;
    Sub sub SubAssign sub_assign f16;
    Sub sub SubAssign sub_assign bf16;
    Mul mul MulAssign mul_assign f16;
    Mul mul MulAssign mul_assign bf16;
    Div div DivAssign div_assign f16;
    Div div DivAssign div_assign bf16;
    Rem rem RemAssign rem_assign f16;
    Rem rem RemAssign rem_assign bf16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Floating;
    use std::panic::AssertUnwindSafe;

    type C = Complex<f64>;

    /// The values of each form, compared with num-complex's own operators between the same types.
    macro_rules! forms {
        ($($op:tt $assign:tt;)*) => {$({
            let (z, x) = (samples(), [0.0, -2.5, f64::INFINITY, 1e-3, f64::NAN]);
            let (dz, dx) = (array(&z), array(&x));
            let both = |f: &dyn Fn(C, C) -> C| {
                let of = |k: usize| f(z[k], Complex::new(x[k], 0.0));
                (0..5).map(of).collect::<Vec<_>>()
            };
            let left = both(&|z, x| z $op x);
            let right = both(&|z, x| x $op z);
            let mut assigned = [dz.clone(), dz.clone(), dz.clone()];
            assigned[0] $assign &dx;
            assigned[1] $assign dx.clone();
            for got in [&dz $op &dx, &dz $op dx.clone(), dz.clone() $op &dx, dz.clone() $op dx.clone()]
                .into_iter()
                .chain(assigned.into_iter().take(2))
            {
                close(&got, &left);
            }
            for got in [&dx $op &dz, &dx $op dz.clone(), dx.clone() $op &dz, dx.clone() $op dz.clone()] {
                close(&got, &right);
            }
            let (s, w) = (-1.5, C::new(0.5, 2.0));
            let number = |f: &dyn Fn(C) -> C| z.map(f).to_vec();
            let mut assigned = dz.clone();
            assigned $assign s;
            for got in [&dz $op s, dz.clone() $op s, assigned] {
                close(&got, &number(&|z| z $op C::new(s, 0.0)));
            }
            for got in [s $op &dz, s $op dz.clone()] {
                close(&got, &number(&|z| C::new(s, 0.0) $op z));
            }
            let reals = |f: &dyn Fn(C) -> C| x.map(|x| f(C::new(x, 0.0))).to_vec();
            for got in [&dx $op w, dx.clone() $op w] {
                close(&got, &reals(&|x| x $op w));
            }
            for got in [w $op &dx, w $op dx.clone()] {
                close(&got, &reals(&|x| w $op x));
            }
        })*};
    }

    fn samples() -> [C; 5] {
        [(3.0, -4.0), (0.0, 0.0), (1.0, 1e-8), (-2.0, 7.0), (0.25, -0.0)].map(|(a, b)| C::new(a, b))
    }

    fn array<T: Element>(values: &[T]) -> DeviceArray<T> {
        DeviceArray::from_slice(values).unwrap()
    }

    /// Where num-complex's quotient has no value, as of infinities, the array's own division may have
    /// one.
    fn close(got: &DeviceArray<C>, wanted: &[C]) {
        for (got, wanted) in got.to_vec().unwrap().into_iter().zip(wanted) {
            let near = (got - wanted).norm() <= 1e-15 * wanted.norm();
            assert!(near || !wanted.is_finite(), "{got} {wanted}");
        }
    }

    #[test]
    fn complex_arrays_meet_real_ones() {
        forms! { + +=; - -=; * *=; / /=; }
    }

    #[test]
    fn complex_arrays_take_real_scalars() {
        let z = DeviceArray::full([1], Complex::new(3.0f32, -4.0));
        let mut w = 2.0 * (&z * 3.0) / 4.0;
        assert_eq!(w.item().unwrap(), Complex::new(4.5, -6.0));
        w /= 1.5;
        assert_eq!((25.0 / &z).item().unwrap(), Complex::new(3.0, 4.0));
        assert_eq!((w - z).item().unwrap(), Complex::new(0.0, 0.0));
    }

    #[test]
    fn shapes_broadcast_and_refusals_name_the_place() {
        let (z, x) = (DeviceArray::<C>::ones([2, 1]), DeviceArray::<f64>::ones(3));
        assert_eq!((&z + &x).shape(), [2, 3]);
        assert_eq!((&x - DeviceArray::<C>::ones(0).reshape([0, 1])).shape(), [0, 3]);
        let panic = std::panic::catch_unwind(AssertUnwindSafe(|| &x * DeviceArray::<C>::ones(2)))
            .unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(
            message
                .starts_with("multiply: shapes [3] and [2] cannot be broadcast (src/ops/mixed.rs:")
        );
    }

    #[test]
    fn halves_take_literals() {
        fn check<T: Floating>(got: DeviceArray<T>, wanted: [f64; 3]) {
            assert_eq!(got.to_vec().unwrap().map_to(), wanted);
        }
        trait MapTo {
            fn map_to(self) -> Vec<f64>;
        }
        impl<T: Floating> MapTo for Vec<T> {
            fn map_to(self) -> Vec<f64> {
                self.into_iter().map(T::to_f64).collect()
            }
        }
        let h = array(&[1.0f32, -2.0, 0.5].map(f16::from_f32));
        check(&h * 2.0 + 1.0, [3.0, -3.0, 2.0]);
        check(1.0 - 2.0 * &h / 4.0, [0.5, 2.0, 0.75]);
        check(1.0 / h.clone() % 0.75, [0.25, -0.5, 0.5]);
        let mut b = array(&[1.0f32, -2.0, 0.5].map(bf16::from_f32));
        b += 1.0;
        b *= 3.0;
        b -= 1.0;
        b /= 0.5;
        b %= 8.0;
        check(b, [2.0, 0.0, 7.0]);
        // The number is rounded to the half first, as NumPy does with numbers of Python.
        let rounded = array(&[f16::ONE; 3]) * 2049.0;
        check(rounded, [2048.0; 3]);
    }
}
