//! Arrays whose element type is known when a program runs.

use super::{AnyArray, DeviceArray, located, or_panic, record, sealed};
use crate::dtype::{Complex, DType, Element, bf16, f16};
use crate::error::{Error, Result};
use crate::eval::evaluate;
use crate::graph::Node;
use ndarray::ArrayD;
use std::sync::Arc;

macro_rules! typed {
    ($($name:ident $t:ty;)*) => {
        /// An array of a type that is known when the program runs, to be matched on; the variants
        /// have the names of [`DType`]'s.
        ///
        /// [`AnyArray::any_typed`] makes one of any array. A clone is another handle.
        ///
        /// # Example
        /// ```
        /// use lazuli::prelude::*;
        /// fn rounded(array: &dyn AnyArray) -> TypedArray {
        ///     match array.any_typed() {
        ///         TypedArray::F32(a) => a.rint().into(),
        ///         TypedArray::F64(a) => a.rint().into(),
        ///         whole => whole,
        ///     }
        /// }
        /// let a = rounded(&DeviceArray::from_slice(&[1.25, 2.75])?);
        /// assert_eq!(a.cast::<i32>().to_vec()?, [1, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        #[derive(Clone)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        #[must_use = "operations only record; `eval` and `copy_to_host` compute"]
        pub enum TypedArray { $($name(DeviceArray<$t>)),* }

        /// An array on the host of a type that is known when the program runs.
        ///
        /// # Example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::HostArray;
        /// let a: &dyn AnyArray = &DeviceArray::<i64>::arange_to(3);
        /// let HostArray::I64(host) = a.any_to_host()? else { panic!("another type") };
        /// assert_eq!(host[[2]], 2);
        /// # Ok::<(), Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum HostArray { $($name(ArrayD<$t>)),* }

        impl TypedArray {
            fn any(&self) -> &dyn AnyArray {
                match self { $(TypedArray::$name(a) => a),* }
            }

            /// A handle to a node, with its type.
            pub(crate) fn from_node(node: Arc<Node>) -> TypedArray {
                match node.dtype {
                    $(DType::$name => TypedArray::$name(DeviceArray::from_node(node)),)*
                    other => unreachable!("no array holds {other}"),
                }
            }
        }

        /// Another handle to an array, with its type.
        fn typed(array: &dyn AnyArray) -> TypedArray {
            TypedArray::from_node(array.any_node().0.clone())
        }

        impl std::fmt::Debug for TypedArray {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(TypedArray::$name(a) => std::fmt::Debug::fmt(a, f)),* }
            }
        }

        fn to_host(array: &dyn AnyArray) -> Result<HostArray> {
            Ok(match typed(array) { $(TypedArray::$name(a) => HostArray::$name(a.copy_to_host()?)),* })
        }

        $(
            impl From<DeviceArray<$t>> for TypedArray {
                fn from(array: DeviceArray<$t>) -> Self {
                    TypedArray::$name(array)
                }
            }
        )*
    };
}
typed! {
    Bool bool; I8 i8; I16 i16; I32 i32; I64 i64; U8 u8; U16 u16; U32 u32; U64 u64;
    F16 f16; BF16 bf16; F32 f32; F64 f64; C64 Complex<f32>; C128 Complex<f64>;
}

impl TypedArray {
    /// Converts every element to another type, as [`DeviceArray::cast`].
    ///
    /// **Laziness.** Records; nothing is computed.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a: TypedArray = DeviceArray::from_slice(&[1.5, 2.5])?.into();
    /// assert_eq!(a.cast::<i32>().to_vec()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cast<T: Element>(&self) -> DeviceArray<T> {
        self.any().cast()
    }

    /// Converts every element to a type that is known when the program runs, as
    /// [`DeviceArray::cast`].
    ///
    /// **Laziness.** Records; nothing is computed. NumPy: `astype`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a: TypedArray = DeviceArray::from_slice(&[1.5, 2.5])?.into();
    /// let b = a.cast_to(DType::I8);
    /// assert_eq!((b.any_dtype(), b.cast::<f64>().to_vec()?), (DType::I8, vec![1.0, 2.0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cast_to(&self, dtype: DType) -> TypedArray {
        TypedArray::from_node(record::cast(self.any().any_node().0, dtype))
    }
}

impl sealed::HasNode for TypedArray {
    fn any_node(&self) -> sealed::NodeRef<'_> {
        self.any().any_node()
    }
}

impl AnyArray for TypedArray {
    fn any_shape(&self) -> &[usize] {
        self.any().any_shape()
    }

    fn any_dtype(&self) -> DType {
        self.any().any_dtype()
    }

    fn any_typed(&self) -> TypedArray {
        self.clone()
    }

    fn any_to_host(&self) -> Result<HostArray> {
        located(to_host(self.any()))
    }
}

impl<T: Element> AnyArray for DeviceArray<T> {
    fn any_shape(&self) -> &[usize] {
        self.shape()
    }

    fn any_dtype(&self) -> DType {
        T::DTYPE
    }

    fn any_typed(&self) -> TypedArray {
        typed(self)
    }

    fn any_to_host(&self) -> Result<HostArray> {
        located(to_host(self))
    }
}

impl dyn AnyArray + '_ {
    /// Converts every element to another type, as [`DeviceArray::cast`].
    ///
    /// **Laziness.** Records; nothing is computed.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let all: [&dyn AnyArray; 2] = [&DeviceArray::<i32>::ones(2), &DeviceArray::<f64>::ones(3)];
    /// let totals: Vec<f64> = all.iter().map(|a| a.cast::<f64>().sum(..).item().unwrap()).collect();
    /// assert_eq!(totals, [2.0, 3.0]);
    /// ```
    pub fn cast<T: Element>(&self) -> DeviceArray<T> {
        DeviceArray::from_node(record::cast(self.any_node().0, T::DTYPE))
    }

    /// Computes the array, if it is not yet.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.5, 2.5])?.square();
    /// let any: &dyn AnyArray = &a;
    /// any.eval()?;
    /// assert!(a.is_evaluated());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn eval(&self) -> Result<()> {
        located(evaluate(&[Arc::clone(self.any_node().0)]))
    }

    /// Another handle to the array, where its elements have the type `T`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where they have another type; the message names both.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a: &dyn AnyArray = &DeviceArray::<i32>::ones(2);
    /// assert_eq!(a.try_typed_as::<i32>()?.to_vec()?, [1, 1]);
    /// assert!(a.try_typed_as::<f32>().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn try_typed_as<T: Element>(&self) -> Result<DeviceArray<T>> {
        let node = self.any_node().0;
        if node.dtype != T::DTYPE {
            let (own, asked) = (node.dtype.name(), T::DTYPE.name());
            return located(Err(Error::shape(format!(
                "typed_as: the elements are {own}, and {asked} was asked for"
            ))));
        }
        Ok(DeviceArray::from_node(node.clone()))
    }

    /// `try_typed_as` where the type is known.
    ///
    /// # Panics
    /// Where the elements have another type.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.5, 2.5])?;
    /// let any: &dyn AnyArray = &a;
    /// assert_eq!(any.typed_as::<f64>().to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn typed_as<T: Element>(&self) -> DeviceArray<T> {
        or_panic(self.try_typed_as())
    }
}

impl sealed::HasNode for Box<dyn AnyArray> {
    fn any_node(&self) -> sealed::NodeRef<'_> {
        (**self).any_node()
    }
}

impl AnyArray for Box<dyn AnyArray> {
    fn any_shape(&self) -> &[usize] {
        (**self).any_shape()
    }

    fn any_dtype(&self) -> DType {
        (**self).any_dtype()
    }

    fn any_typed(&self) -> TypedArray {
        (**self).any_typed()
    }

    fn any_to_host(&self) -> Result<HostArray> {
        (**self).any_to_host()
    }
}

impl Clone for Box<dyn AnyArray> {
    /// Another handle to the same array.
    fn clone(&self) -> Self {
        Box::new(self.any_typed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::with_dtype;

    #[test]
    fn arrays_of_all_types_are_cloned_cast_evaluated_copied_and_matched_on() {
        let seven = DeviceArray::<f64>::full(3, 7.0);
        for dtype in DType::ALL {
            let array: Box<dyn AnyArray> = with_dtype!(dtype, T => Box::new(seven.cast::<T>()));
            let copy = array.clone();
            assert_eq!((copy.any_dtype(), copy.any_shape()), (dtype, &[3][..]));
            copy.eval().unwrap();
            assert!(copy.any_node().0.is_evaluated());
            let value = if dtype == DType::Bool { 1.0 } else { 7.0 };
            assert_eq!(copy.cast::<f64>().to_vec().unwrap(), [value; 3]);
            assert_eq!(copy.any_typed().cast::<f64>().to_vec().unwrap(), [value; 3]);
            let is_f32 = matches!(copy.any_typed(), TypedArray::F32(_));
            assert_eq!(is_f32, dtype == DType::F32);
            let host = copy.any_typed().any_to_host().unwrap();
            assert_eq!(host, array.any_to_host().unwrap());
            assert_eq!(matches!(host, HostArray::C64(_)), dtype == DType::C64);
            with_dtype!(dtype, T => assert_eq!(copy.typed_as::<T>().shape(), [3]));
            assert_eq!(copy.try_typed_as::<bool>().is_ok(), dtype == DType::Bool);
        }
        let error = DeviceArray::<i8>::ones(2);
        let error = (&error as &dyn AnyArray).try_typed_as::<f64>().unwrap_err().to_string();
        assert!(error.starts_with("typed_as: the elements are int8, and float64 was"), "{error}");
    }
}
