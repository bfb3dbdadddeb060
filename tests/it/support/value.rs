//! Arrays whose element type is a value: on a device, and on the host.

use lazuli::prelude::*;
use ndarray::ArrayD;

/// An element type that a [`Value`] can hold.
pub trait Typed: Element {
    /// The array in a value, which must be of this type.
    fn of(value: &Value) -> &DeviceArray<Self>;
    /// The array as a value.
    fn value(array: DeviceArray<Self>) -> Value;
    /// The host array as a value.
    fn host(array: ArrayD<Self>) -> Host;
}

macro_rules! define {
    ($($v:ident $t:ty, $name:literal;)*) => {
        /// An array on a device, of any element type.
        #[derive(Clone)]
        pub enum Value { $($v(DeviceArray<$t>)),* }

        /// An array on the host, of any element type.
        #[derive(Clone, Debug)]
        pub enum Host { $($v(ArrayD<$t>)),* }

        $(impl Typed for $t {
            fn of(value: &Value) -> &DeviceArray<Self> {
                match value {
                    Value::$v(a) => a,
                    other => panic!("{} where {} was expected", other.dtype(), $name),
                }
            }
            fn value(array: DeviceArray<Self>) -> Value { Value::$v(array) }
            fn host(array: ArrayD<Self>) -> Host { Host::$v(array) }
        })*

        impl Value {
            /// The element type's name in the manifest.
            pub fn dtype(&self) -> &'static str {
                match self { $(Value::$v(_) => $name),* }
            }
            /// The array, whatever its type.
            pub fn any(&self) -> &dyn AnyArray {
                match self { $(Value::$v(a) => a),* }
            }
            /// Evaluates and copies to the host.
            pub fn to_host(&self) -> Result<Host> {
                Ok(match self { $(Value::$v(a) => Host::$v(a.copy_to_host()?)),* })
            }
        }

        impl Host {
            /// The element type's name in the manifest.
            pub fn dtype(&self) -> &'static str {
                match self { $(Host::$v(_) => $name),* }
            }
            /// The lengths of the axes.
            pub fn shape(&self) -> &[usize] {
                match self { $(Host::$v(a) => a.shape()),* }
            }
            /// A copy on the current device.
            pub fn upload(&self) -> Result<Value> {
                Ok(match self { $(Host::$v(a) => Value::$v(DeviceArray::from_ndarray(a)?)),* })
            }
        }
    };
}
define! {
    Bool bool, "bool"; I8 i8, "i8"; I16 i16, "i16"; I32 i32, "i32"; I64 i64, "i64";
    U8 u8, "u8"; U16 u16, "u16"; U32 u32, "u32"; U64 u64, "u64";
    F16 f16, "f16"; BF16 bf16, "bf16"; F32 f32, "f32"; F64 f64, "f64";
    C64 Complex<f32>, "c64"; C128 Complex<f64>, "c128";
}

impl<T: Typed> From<DeviceArray<T>> for Value {
    fn from(array: DeviceArray<T>) -> Value {
        T::value(array)
    }
}

/// The array in `value`, which has the element type of `model`.
pub fn like<'a, T: Typed>(_model: &DeviceArray<T>, value: &'a Value) -> &'a DeviceArray<T> {
    T::of(value)
}

/// Runs an expression with the array of a [`Value`] (or a [`Host`]), once for each element type
/// of a class; `None` for the types outside the class.
macro_rules! on {
    (element $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128)
    };
    (number $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128)
    };
    (real $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64)
    };
    (signed $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; I8 I16 I32 I64 F16 BF16 F32 F64 C64 C128)
    };
    (integer $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; I8 I16 I32 I64 U8 U16 U32 U64)
    };
    (bits $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64)
    };
    (ordered $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64)
    };
    (inexact $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; F16 BF16 F32 F64 C64 C128)
    };
    (floating $of:ident, $x:expr, $a:ident => $e:expr) => {
        on!(@ $of, $x, $a, $e; F16 BF16 F32 F64)
    };
    (@ $of:ident, $x:expr, $a:ident, $e:expr; $($v:ident)*) => {{
        #[allow(unreachable_patterns)]
        match $x { $($of::$v($a) => Some($e),)* _ => None }
    }};
}
pub(crate) use on;
