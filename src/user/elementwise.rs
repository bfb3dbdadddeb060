//! Elementwise kernels from strings of CUDA C++.

use super::apply::{Nodes, Outputs};
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
    #[must_use]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::render::tests::check_planned;
    use crate::function::TileArg;
    use crate::kernel::AxisKind::Parallel;
    use crate::kernel::builder::{Builder, affine};

    #[test]
    fn what_is_written_is_what_the_device_computes() {
        let code = "T twice = both(x); low = twice < y ? twice : (T)y; above = x > y // done";
        let preamble = "template <class T> __device__ T both(T x) { return x + x; }";
        let (inputs, outputs) = ("T x, const float y", "T low, bool above");
        // SAFETY: the code assigns both outputs from the inputs.
        let kernel = unsafe {
            ElementwiseKernel::new(inputs, outputs, code, "clipped")
                .unwrap()
                .with_preamble(preamble)
        };
        let types = vec![DType::F32, DType::F32, DType::F32, DType::Bool];
        let made = kernel.function(types, 2).unwrap();
        let mut function = Function::new(
            "clipped",
            made.args.clone(),
            made.results.clone(),
            made.cuda.clone(),
            None,
            1.0,
        );
        unsafe fn tile(args: &[TileArg], outs: &[*mut u8], n: usize) {
            for k in 0..n {
                // SAFETY: the caller keeps the contract of TileFn.
                unsafe {
                    let at = |a: TileArg| a.ptr.cast::<f32>().add(k * usize::from(a.vector)).read();
                    let (x, y) = (at(args[0]), at(args[1]));
                    outs[0].cast::<f32>().add(k).write((x + x).min(y));
                    outs[1].cast::<bool>().add(k).write(x > y);
                }
            }
        }
        function.tile = Some(tile);
        let mut b = Builder::new(&[(Parallel, 1000)]);
        let x = b.input(DType::F32, 1000);
        let x = b.load(x, affine(&[(0, 1)], 0));
        let y = b.scalar(DType::F32);
        let both = b.call(&Arc::new(function), &[x, y]);
        b.store(both[0], affine(&[(0, 1)], 0), 1000);
        b.store(both[1], affine(&[(0, 1)], 0), 1000);
        check_planned("clipped", &b.kernel, (9, 0));
    }

    #[test]
    fn what_is_malformed_or_does_not_fit_is_refused() {
        // SAFETY: nothing of it is run.
        let new =
            |inputs, outputs| unsafe { ElementwiseKernel::new(inputs, outputs, "z = x", "f") };
        for (inputs, outputs, why) in [
            ("float x", "", "1 to 12 outputs"),
            ("float", "float z", "needs a type and a name"),
            ("raw float x", "float z", "RawModule"),
            ("float *x", "float z", "RawModule"),
            ("floot x", "float z", "unknown type"),
            ("float 2x", "float z", "no C++ name"),
            ("float x", "float x", "stands twice"),
        ] {
            let error = new(inputs, outputs).unwrap_err();
            assert!(error.is_compile() && error.to_string().contains(why), "{error}");
        }
        // SAFETY: as above.
        let unnamed = unsafe { ElementwiseKernel::new("", "int z", "z = 1", "a b") };
        assert!(unnamed.unwrap_err().is_compile());
        let kernel = new("T x, T y", "T z").unwrap();
        let refused = |types: &[DType], count| kernel.function(types.to_vec(), count).unwrap_err();
        assert!(refused(&[DType::F32, DType::F64, DType::F32], 2).is_shape());
        assert!(refused(&[DType::F32, DType::F32, DType::F64], 2).is_shape());
        assert!(refused(&[DType::F32, DType::F32], 1).is_shape());
        crate::Device::cpu().scope(|| {
            let x = DeviceArray::<f32>::ones([3]);
            let error = kernel.try_call::<f32>((&x, 1.0f32)).unwrap_err();
            assert!(error.is_unsupported() && error.to_string().contains("processor"), "{error}");
        });
    }
}
