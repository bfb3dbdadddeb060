//! Arithmetic between arrays whose element types are known when a program runs, by NumPy's rules.

use crate::array::{AnyArray, DeviceArray, TypedArray, checked, located, or_panic, record};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::table::{Class, Op};
use std::sync::Arc;

fn node(array: &dyn AnyArray) -> &Arc<Node> {
    array.any_node().0
}

/// Several arrays with the element type that arithmetic between them has.
///
/// **Shape.** The arrays'. **Dtype.** As [`DType::result_type`] gives it. **Laziness.** Records the
/// conversions; nothing is computed. NumPy: `astype(result_type(…))` of each.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (a, b) = (DeviceArray::from_slice(&[1i32])?, DeviceArray::from_slice(&[0.5f32])?);
/// let both = lazuli::promote(&[&a, &b]);
/// assert_eq!(both[0].any_dtype(), DType::F64);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "result_type")]
pub fn promote(arrays: &[&dyn AnyArray]) -> Vec<TypedArray> {
    let Some(common) = DType::result_type(arrays.iter().map(|a| a.any_dtype())) else {
        return Vec::new();
    };
    arrays.iter().map(|a| TypedArray::from_node(record::cast(node(*a), common))).collect()
}

/// The operation and the element type in which NumPy does it for operands of a common type.
fn rule(op: Op, common: DType) -> Result<(Op, DType)> {
    if op == Op::Divide && (common == DType::Bool || common.is_integer()) {
        return Ok((op, DType::F64));
    }
    if op.class().contains(common) {
        return Ok((op, common));
    }
    match (op, common) {
        (Op::Add, DType::Bool) => Ok((Op::LogicalOr, common)),
        (Op::Multiply, DType::Bool) => Ok((Op::LogicalAnd, common)),
        (Op::Power | Op::FloorDivide | Op::Remainder, DType::Bool) => Ok((op, DType::I8)),
        _ => {
            let lack = if op.class() == Class::Ordered { "have no order" } else { "have none" };
            Err(Error::shape(format!("{}: elements of type {common} {lack}", op.name())))
        }
    }
}

fn binary(op: Op, a: &dyn AnyArray, b: &dyn AnyArray) -> Result<TypedArray> {
    if let Some(truth) = compared(op, node(a), node(b))? {
        return Ok(TypedArray::from_node(truth));
    }
    let (op, dtype) = rule(op, a.any_dtype().promote(b.any_dtype()))?;
    let [a, b] = [a, b].map(|x| record::cast(node(x), dtype));
    record::binary(op, &a, &b).map(TypedArray::from_node)
}

/// Comparisons between `u64` and signed integers, whose common type would round them.
fn compared(op: Op, a: &Arc<Node>, b: &Arc<Node>) -> Result<Option<Arc<Node>>> {
    // What a comparison gives where its left argument is the lesser one, and the greater one.
    let (lesser, greater) = match op {
        Op::Equal => (false, false),
        Op::NotEqual => (true, true),
        Op::Less | Op::LessEqual => (true, false),
        Op::Greater | Op::GreaterEqual => (false, true),
        _ => return Ok(None),
    };
    let is_signed = |x: &Arc<Node>| x.dtype.is_signed_integer();
    let (signed, far) = match (a.dtype, b.dtype) {
        (DType::U64, _) if is_signed(b) => (b, greater),
        (_, DType::U64) if is_signed(a) => (a, lesser),
        _ => return Ok(None),
    };
    let negative = record::binary(Op::Less, signed, record::number(signed, 0.0))?;
    let [a, b] = [a, b].map(|x| record::cast(x, DType::U64));
    let near = record::binary(op, &a, &b)?;
    record::select(&negative, Scalar::new(far), &near).map(Some)
}

/// The methods of operations on two arrays.
macro_rules! methods {
    ($($(#[$meta:meta])* $name:ident $try_name:ident $op:ident, $words:literal, $a:literal $sign:literal $b:literal = $c:literal;)*) => {
        impl TypedArray {
            checked! {$(
                $(#[$meta])*
                ///
                #[doc = $words]
                ///
                /// **Shape.** The arrays broadcast against each other.
                example
                /// ```
                /// use lazuli::prelude::*;
                #[doc = concat!("let a: TypedArray = DeviceArray::from_slice(&[", $a, "])?.into();")]
                #[doc = concat!("let b = DeviceArray::from_slice(&[", $b, "])?;")]
                #[doc = concat!("let c = a.", stringify!($name), "(&b);")]
                #[doc = concat!("assert_eq!(c.cast::<f64>().to_vec()?, [", $c, "]); // ", $a, " ", $sign, " ", $b)]
                /// # Ok::<(), Error>(())
                /// ```
                fn $name | $try_name(&self, other: &dyn AnyArray) -> TypedArray {
                    binary(Op::$op, self, other)
                }
            )*}
        }
    };
}

methods! {
    /// Sum, by NumPy's rules for the element types.
    add try_add Add, "**Dtype.** The common type, see [`DType::promote`]; of `bool` whether either holds.", "3u8" "+" "0.5f32" = "3.5";
    /// Difference, by NumPy's rules for the element types.
    subtract try_subtract Subtract, "**Dtype.** The common type, see [`DType::promote`]; refused for `bool`.", "3i32" "-" "0.5f32" = "2.5";
    /// Product, by NumPy's rules for the element types.
    multiply try_multiply Multiply, "**Dtype.** The common type, see [`DType::promote`]; of `bool` whether both hold.", "3i8" "*" "200u8" = "600.0";
    /// Quotient, by NumPy's rules for the element types.
    divide try_divide Divide, "**Dtype.** The common type, see [`DType::promote`]; of integers and `bool` it is `f64`. NumPy: `true_divide`.", "3i8" "/" "2u8" = "1.5";
    /// Power, by NumPy's rules for the element types.
    power try_power Power, "**Dtype.** The common type, see [`DType::promote`]; of `bool` it is `i8`.", "3i8" "to the power of" "2.0f32" = "9.0";
    /// Quotient rounded down, by NumPy's rules for the element types.
    floor_divide try_floor_divide FloorDivide, "**Dtype.** The common type, see [`DType::promote`]; of `bool` it is `i8`; refused for complex types.", "-3i8" "//" "2u8" = "-2.0";
    /// Remainder of the quotient rounded down, by NumPy's rules for the element types.
    remainder try_remainder Remainder, "**Dtype.** The common type, see [`DType::promote`]; of `bool` it is `i8`; refused for complex types.", "-3i8" "modulo" "2u8" = "1.0";
    /// The smaller value, by NumPy's rules for the element types; NaN wins.
    minimum try_minimum Minimum, "**Dtype.** The common type, see [`DType::promote`]; refused for complex types.", "3i8" "or" "2.5f32" = "2.5";
    /// The larger value, by NumPy's rules for the element types; NaN wins.
    maximum try_maximum Maximum, "**Dtype.** The common type, see [`DType::promote`]; refused for complex types.", "3i8" "or" "2.5f32" = "3.0";
    /// Whether the values are equal, in their common type.
    equal try_equal Equal, "**Dtype.** `bool`.", "3i8" "==" "3.0f32" = "1.0";
    /// Whether the values differ, in their common type.
    not_equal try_not_equal NotEqual, "**Dtype.** `bool`.", "3i8" "!=" "3.5f32" = "1.0";
    /// Whether the values are less, in the common type.
    less try_less Less, "**Dtype.** `bool`; refused for complex types.", "3i8" "<" "3.5f32" = "1.0";
    /// Whether the values are less or equal, in the common type.
    less_equal try_less_equal LessEqual, "**Dtype.** `bool`; refused for complex types.", "3i8" "<=" "3.0f32" = "1.0";
    /// Whether the values are greater, in the common type.
    greater try_greater Greater, "**Dtype.** `bool`; refused for complex types.", "3i8" ">" "2.5f32" = "1.0";
    /// Whether the values are greater or equal, in the common type.
    greater_equal try_greater_equal GreaterEqual, "**Dtype.** `bool`; refused for complex types.", "3i8" ">=" "3.0f32" = "1.0";
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl<B: AnyArray> std::ops::$trait<B> for &TypedArray {
            type Output = TypedArray;

            #[track_caller]
            fn $method(self, right: B) -> TypedArray {
                or_panic(located(binary(Op::$op, self, &right)))
            }
        }

        impl<B: AnyArray> std::ops::$trait<B> for TypedArray {
            type Output = TypedArray;

            #[track_caller]
            fn $method(self, right: B) -> TypedArray {
                or_panic(located(binary(Op::$op, &self, &right)))
            }
        }

        impl<T: Element> std::ops::$trait<&DeviceArray<T>> for &TypedArray {
            type Output = TypedArray;

            #[track_caller]
            fn $method(self, right: &DeviceArray<T>) -> TypedArray {
                or_panic(located(binary(Op::$op, self, right)))
            }
        }

        impl<T: Element> std::ops::$trait<&DeviceArray<T>> for TypedArray {
            type Output = TypedArray;

            #[track_caller]
            fn $method(self, right: &DeviceArray<T>) -> TypedArray {
                or_panic(located(binary(Op::$op, &self, right)))
            }
        }

        impl std::ops::$trait<&TypedArray> for &TypedArray {
            type Output = TypedArray;

            #[track_caller]
            fn $method(self, right: &TypedArray) -> TypedArray {
                or_panic(located(binary(Op::$op, self, right)))
            }
        }

        impl std::ops::$trait<&TypedArray> for TypedArray {
            type Output = TypedArray;

            #[track_caller]
            fn $method(self, right: &TypedArray) -> TypedArray {
                or_panic(located(binary(Op::$op, &self, right)))
            }
        }
    )*};
}
operators! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
}
