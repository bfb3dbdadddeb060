//! The operators: on arrays, references to arrays and scalars, on either side.

use crate::array::operand::arg;
use crate::array::{DeviceArray, Operand, or_panic, record};
use crate::dtype::{Bits, Element, Integer, Number, Real, Scalar, Signed};
use crate::error::Error;
use crate::graph::Arg;
use crate::table::Op;
use half::{bf16, f16};
use num_complex::Complex;

#[track_caller]
#[inline(always)]
fn binary<T: Element>(op: Op, a: Arg, b: Arg) -> DeviceArray<T> {
    DeviceArray::from_node(or_panic(record::binary(op, a, b)))
}

/// The operand as an argument beside an array.
#[track_caller]
#[inline(always)]
fn beside<T: Element>(array: &DeviceArray<T>, operand: impl Operand<T>) -> Arg {
    or_panic(arg(operand, array.device()))
}

/// One operator with an array on the left, its assigning form, and the forms with a scalar on the
/// left.
macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $op:ident: $($t:ty)*) => {
        impl<T: $class, R: Operand<T>> std::ops::$trait<R> for &DeviceArray<T> {
            type Output = DeviceArray<T>;

            #[track_caller]
            #[inline]
            fn $method(self, right: R) -> DeviceArray<T> {
                binary(Op::$op, self.arg(), beside(self, right))
            }
        }

        impl<T: $class, R: Operand<T>> std::ops::$trait<R> for DeviceArray<T> {
            type Output = DeviceArray<T>;

            #[track_caller]
            #[inline]
            fn $method(self, right: R) -> DeviceArray<T> {
                let right = beside(&self, right);
                binary(Op::$op, self.into_arg(), right)
            }
        }

        impl<T: $class, R: Operand<T>> std::ops::$assign<R> for DeviceArray<T> {
            /// Replaces this handle's array by the result; other handles keep what they have. The
            /// right side must broadcast to the shape of the left.
            #[track_caller]
            #[inline]
            fn $assign_method(&mut self, right: R) {
                let result: DeviceArray<T> = binary(Op::$op, self.arg(), beside(self, right));
                keeps_shape(stringify!($assign_method), self.shape(), result.shape());
                *self = result;
            }
        }

        $(
            impl std::ops::$trait<DeviceArray<$t>> for $t {
                type Output = DeviceArray<$t>;

                #[inline]
                #[track_caller]
                fn $method(self, right: DeviceArray<$t>) -> DeviceArray<$t> {
                    binary(Op::$op, Arg::Scalar(Scalar::new(self)), right.into_arg())
                }
            }

            impl std::ops::$trait<&DeviceArray<$t>> for $t {
                type Output = DeviceArray<$t>;

                #[inline]
                #[track_caller]
                fn $method(self, right: &DeviceArray<$t>) -> DeviceArray<$t> {
                    binary(Op::$op, Arg::Scalar(Scalar::new(self)), right.arg())
                }
            }
        )*
    };
}

#[track_caller]
#[inline]
fn keeps_shape(name: &str, left: &[usize], result: &[usize]) {
    if left != result {
        or_panic(Err(Error::shape(format!(
            "{name}: a result of shape {result:?} does not fit into shape {left:?}"
        ))))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $op:ident, $types:tt;)*) => {
        $(operators! { @one $trait $method $assign $assign_method $class $op $types })*
    };
    (@one $trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $op:ident numbers) => {
        operator! { $trait $method $assign $assign_method $class $op:
            i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex<f32> Complex<f64> }
    };
    (@one $trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $op:ident reals) => {
        operator! { $trait $method $assign $assign_method $class $op:
            i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 }
    };
    (@one $trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $op:ident bits) => {
        operator! { $trait $method $assign $assign_method $class $op:
            bool i8 i16 i32 i64 u8 u16 u32 u64 }
    };
    (@one $trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $op:ident integers) => {
        operator! { $trait $method $assign $assign_method $class $op:
            i8 i16 i32 i64 u8 u16 u32 u64 }
    };
}
operators! {
    Add add AddAssign add_assign Number Add, numbers;
    Sub sub SubAssign sub_assign Number Subtract, numbers;
    Mul mul MulAssign mul_assign Number Multiply, numbers;
    Div div DivAssign div_assign Number Divide, numbers;
    Rem rem RemAssign rem_assign Real Fmod, reals;
    BitAnd bitand BitAndAssign bitand_assign Bits BitwiseAnd, bits;
    BitOr bitor BitOrAssign bitor_assign Bits BitwiseOr, bits;
    BitXor bitxor BitXorAssign bitxor_assign Bits BitwiseXor, bits;
    Shl shl ShlAssign shl_assign Integer LeftShift, integers;
    Shr shr ShrAssign shr_assign Integer RightShift, integers;
}

macro_rules! prefix {
    ($trait:ident $method:ident $class:ident $op:ident) => {
        impl<T: $class> std::ops::$trait for &DeviceArray<T> {
            type Output = DeviceArray<T>;

            #[inline]
            #[track_caller]
            fn $method(self) -> DeviceArray<T> {
                DeviceArray::from_node(record::unary(Op::$op, self.node()))
            }
        }

        impl<T: $class> std::ops::$trait for DeviceArray<T> {
            type Output = DeviceArray<T>;

            #[inline]
            #[track_caller]
            fn $method(self) -> DeviceArray<T> {
                std::ops::$trait::$method(&self)
            }
        }
    };
}
prefix! { Neg neg Signed Negative }
prefix! { Not not Bits BitwiseNot }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_take_values_references_and_scalars() {
        let a = DeviceArray::<f64>::ones([2, 3]);
        let b = DeviceArray::<f64>::ones([3]);
        let c = 2.0 * (&a + &b) / (a.clone() - 1.0) % &b + -&a;
        assert_eq!(c.shape(), [2, 3]);
        let d = !(DeviceArray::<i32>::ones(4) << 2 & 12 | 1);
        assert_eq!(d.shape(), [4]);
        let mut e = Complex::new(1.0f32, 2.0) * DeviceArray::<Complex<f32>>::ones(2);
        e += Complex::new(1.0, 0.0);
        assert_eq!(e.len(), 2);
    }

    #[test]
    #[should_panic(
        expected = "add: shapes [3, 4] and [2, 4] cannot be broadcast (src/ops/operators.rs:"
    )]
    fn the_place_is_named() {
        let _ = DeviceArray::<f64>::zeros([3, 4]) + DeviceArray::<f64>::zeros([2, 4]);
    }

    #[test]
    #[should_panic(expected = "mul_assign: a result of shape [2, 3] does not fit into shape [3] (")]
    fn assignments_do_not_grow() {
        let mut a = DeviceArray::<i32>::ones(3);
        a *= DeviceArray::ones([2, 1]);
    }
}
