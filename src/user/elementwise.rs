//! Elementwise kernels from strings of CUDA C++.

use super::outputs::{Nodes, Outputs};
use super::strings::{Body, Bound, Definition, Kind, Parameter, bind, is_name, parameters};
use crate::array::operand::sealed::Wrapped;
use crate::array::{DeviceArray, located, or_panic, record};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::graph::{Arg, Args};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// A function of elements in CUDA C++, as CuPy's class of the same name: it fuses with what
/// surrounds it, as any operation does.
///
/// The parameter lists give a C++ type (`float`, `long long`, `complex<double>`, or NumPy's name
/// for it, `float32`) and a name for each input and each output; a capital letter stands for the
/// type that the argument has, and one letter for one type. The operation is a list of statements
/// that assign the outputs.
///
/// Halves are `lz_f16` and `lz_bf16`, complex numbers `lz_c64` and `lz_c128` (with members `re`
/// and `im`); C++ has no operators for them, and `lz_add(a, b)`, `lz_subtract`, `lz_multiply`,
/// `lz_divide` stand in their place.
///
/// **Shape.** The arguments broadcast.
/// **Laziness.** Records; the code is compiled with the kernel that it becomes a part of, and what
/// does not compile is an error of the evaluation.
///
/// The code cannot run on the processor: for arrays there, a call is an error for which
/// [`Error::is_unsupported`] holds.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::ElementwiseKernel;
/// // SAFETY: the code reads its arguments and writes its output, and always ends.
/// let squared =
///     unsafe { ElementwiseKernel::new("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")? };
/// let x = DeviceArray::<f32>::linspace(0.0, 1.0, 5);
/// match squared.try_call::<f32>((&x, 0.5f32)) {
///     Ok(z) => assert_eq!(z.to_vec()?, [0.25, 0.0625, 0.0, 0.0625, 0.25]),
///     Err(why) => assert!(why.is_unsupported()),
/// }
/// # Ok::<(), Error>(())
/// ```
pub struct ElementwiseKernel {
    name: String,
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    operation: String,
    preamble: String,
    /// The function for each list of types that was asked for.
    made: Mutex<FxHashMap<Vec<DType>, Arc<Function>>>,
}

impl ElementwiseKernel {
    /// A kernel of the given inputs, outputs and statements; the name is for messages and
    /// `explain`.
    ///
    /// # Safety
    /// The code, which runs on the GPU as it is, does for all values of its inputs only what safe
    /// Rust could: it touches no memory but its variables, assigns every output a value of its
    /// type, and has no undefined behaviour in C++. Nothing checks that.
    ///
    /// # Errors
    /// [`Error::is_compile`] where a list or the name is not well formed.
    ///
    /// # Example
    /// See [`ElementwiseKernel`].
    #[track_caller]
    pub unsafe fn new(inputs: &str, outputs: &str, operation: &str, name: &str) -> Result<Self> {
        located(Self::parse(inputs, outputs, operation, name))
    }

    #[track_caller]
    fn parse(inputs: &str, outputs: &str, operation: &str, name: &str) -> Result<Self> {
        if !is_name(name) {
            return Err(Error::compile(format!("{name:?} is no C++ name")));
        }
        let (inputs, outputs) = (parameters(name, inputs)?, parameters(name, outputs)?);
        if outputs.is_empty() || outputs.len() > 12 {
            return Err(Error::compile(format!("{name}: a kernel has 1 to 12 outputs")));
        }
        let mut names: Vec<&str> = inputs.iter().chain(&outputs).map(|p| p.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(Error::compile(format!("{name}: {} stands twice in the lists", twice[0])));
        }
        Ok(ElementwiseKernel {
            name: name.to_string(),
            inputs,
            outputs,
            operation: operation.to_string(),
            preamble: String::new(),
            made: Mutex::default(),
        })
    }

    /// The same kernel with definitions that its code uses: `__device__` functions, types.
    ///
    /// # Safety
    /// As [`new`](Self::new), for the code with these definitions.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ElementwiseKernel, prelude::*};
    /// // SAFETY: the code reads its argument and writes its output, and always ends.
    /// let cubed = unsafe {
    ///     ElementwiseKernel::new("float x", "float y", "y = cube(x)", "cubed")?
    ///         .with_preamble("__device__ float cube(float x) { return x * x * x; }")
    /// };
    /// match cubed.try_call::<f32>((&DeviceArray::from_slice(&[2.0f32, 3.0])?,)) {
    ///     Ok(y) => assert_eq!(y.to_vec()?, [8.0, 27.0]),
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub unsafe fn with_preamble(self, code: &str) -> Self {
        ElementwiseKernel { preamble: code.to_string(), made: Mutex::default(), ..self }
    }

    /// Calls the kernel on a tuple of arrays and scalars; `R` is the output's element type, or a
    /// tuple of the outputs' types, for which the call gives a tuple of arrays.
    ///
    /// **Shape.** The arguments broadcast. **Laziness.** Records; nothing is computed.
    ///
    /// # Panics
    /// Where the arguments or `R` do not fit the parameters, the shapes do not broadcast, or the
    /// arrays are on the processor. [`try_call`](Self::try_call) returns an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ElementwiseKernel, prelude::*};
    /// // SAFETY: the code reads its arguments and writes its outputs, and always ends.
    /// let both = unsafe { ElementwiseKernel::new("T x, T y", "T s, T d", "s = x + y; d = x - y", "both")? };
    /// let x = DeviceArray::from_slice(&[1, 2])?;
    /// if x.device().is_cuda() {
    ///     let (sum, difference) = both.call::<(i32, i32)>((&x, 10));
    ///     assert_eq!((sum.to_vec()?, difference.to_vec()?), (vec![11, 12], vec![-9, -8]));
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn call<R: Outputs>(&self, args: impl KernelOperands) -> R::Arrays {
        or_panic(self.record::<R>(args.list().0))
    }

    /// As [`call`](Self::call), with an error in place of the panic.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the arguments or `R` do not fit the parameters or the shapes do
    /// not broadcast, [`Error::is_unsupported`] where the arrays are on the processor.
    #[track_caller]
    pub fn try_call<R: Outputs>(&self, args: impl KernelOperands) -> Result<R::Arrays> {
        located(self.record::<R>(args.list().0))
    }

    fn record<R: Outputs>(&self, args: Args) -> Result<R::Arrays> {
        let mut types: Vec<DType> = args.iter().map(Arg::dtype).collect();
        R::dtypes(&mut types);
        let function = self.function(types, args.len())?;
        Ok(R::arrays(Nodes::new(record::call(&function, args)?.into_vec())))
    }

    /// The function for the types of the inputs, of which there are `count`, and of the outputs.
    fn function(&self, types: Vec<DType>, count: usize) -> Result<Arc<Function>> {
        if let Some(function) = self.made.lock().get(&types) {
            return Ok(function.clone());
        }
        let mut bound = Bound::new();
        bind(&self.name, &self.inputs, &types[..count], &mut bound)?;
        bind(&self.name, &self.outputs, &types[count..], &mut bound)?;
        let typed = |parameters: &'_ [Parameter]| -> Vec<(DType, String)> {
            parameters.iter().map(|p| (resolved(p, &bound), p.name.clone())).collect()
        };
        let (args, results) = (typed(&self.inputs), typed(&self.outputs));
        let definition = Definition {
            name: &self.name,
            preamble: &self.preamble,
            args: args.iter().map(|(t, name)| (*t, name.as_str())).collect(),
            results: results.iter().map(|(t, name)| (*t, name.as_str())).collect(),
            bound: &bound,
            body: Body::Statements(&self.operation),
        };
        let function = Arc::new(definition.function());
        self.made.lock().insert(types, function.clone());
        Ok(function)
    }
}

/// The type of a parameter whose placeholder is bound.
pub(super) fn resolved(parameter: &Parameter, bound: &Bound) -> DType {
    match &parameter.kind {
        Kind::Fixed(dtype) => *dtype,
        Kind::Any(letter) => {
            bound.iter().find(|b| b.0 == *letter).expect("every placeholder was bound").1
        }
    }
}

impl fmt::Debug for ElementwiseKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ElementwiseKernel {}: {}", self.name, self.operation)
    }
}

mod sealed {
    use crate::array::operand::sealed::Wrapped;
    use crate::graph::Args;

    /// The arguments of a call, out of reach for users.
    pub struct Listed(pub(crate) Args);

    /// Gives them.
    pub trait List {
        fn list(self) -> Listed;
    }

    /// One of them.
    pub trait One {
        fn one(self) -> Wrapped;
    }
}
use sealed::{List, Listed, One};

/// An argument of a kernel from a string: `&DeviceArray<T>`, `DeviceArray<T>` or a scalar, of any
/// element type.
pub trait KernelOperand: One {}

/// The arguments of a kernel from a string: a tuple of up to twelve [`KernelOperand`]s.
pub trait KernelOperands: List {}

impl<T: Element> One for T {
    fn one(self) -> Wrapped {
        Wrapped(Arg::Scalar(Scalar::new(self)))
    }
}
impl<T: Element> KernelOperand for T {}

impl<T: Element> One for DeviceArray<T> {
    fn one(self) -> Wrapped {
        Wrapped(self.arg())
    }
}
impl<T: Element> KernelOperand for DeviceArray<T> {}

impl<T: Element> One for &DeviceArray<T> {
    fn one(self) -> Wrapped {
        Wrapped(self.arg())
    }
}
impl<T: Element> KernelOperand for &DeviceArray<T> {}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: KernelOperand),*> List for ($($name,)*) {
            #[allow(non_snake_case)]
            fn list(self) -> Listed {
                let ($($name,)*) = self;
                Listed([$($name.one().0),*].into_iter().collect())
            }
        }
        impl<$($name: KernelOperand),*> KernelOperands for ($($name,)*) {}
    )*};
}
tuples! {
    ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
    A B C D E F G H I; A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}

#[cfg(all(test, feature = "cuda"))]
#[path = "elementwise_tests.rs"]
mod tests;
