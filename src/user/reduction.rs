//! Reductions from strings of CUDA C++.

use super::elementwise::{KernelOperands, resolved};
use super::strings::{
    Body, Bound, Definition, Parameter, bind, ctype, is_name, number, parameters,
};
use crate::array::args::AxisSet;
use crate::array::{Axes, DeviceArray, located, or_panic, record};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::function::{Fold, Function};
use crate::graph::{Arg, Args, Node};
use crate::shape::Shape;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::fmt;
use std::sync::Arc;

/// A reduction in CUDA C++, as CuPy's class of the same name: what makes its elements and what
/// follows it fuse with it into one kernel.
///
/// It is made of the parameters of an element, one output, and three pieces of C++: an expression
/// that maps the inputs to a state, an expression that combines the states `a` and `b`, and
/// statements that make the output from the last state `a`; then the identity of the combination,
/// a number. The combination is associative; it need not commute, as states are combined in the
/// order of their elements. A state has the output's type, unless
/// [`with_state`](Self::with_state) gives it another.
///
/// **Shape.** The arguments broadcast, then the axes disappear, or stay with length 1 in
/// [`keep`](crate::keep).
/// **Laziness.** Records; the code is compiled with the kernel that it becomes a part of, and what
/// does not compile is an error of the evaluation.
///
/// The code cannot run on the processor: for arrays there, a call is an error for which
/// [`Error::is_unsupported`] holds.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::ReductionKernel;
/// // SAFETY: the code reads its arguments and writes its output, and always ends.
/// let norm = unsafe {
///     ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")?
/// };
/// let x = DeviceArray::<f64>::linspace(1.0, 4.0, 4).reshape([2, 2]);
/// match norm.try_call::<f64>((&x,), 1) {
///     Ok(y) => assert_eq!(y.to_vec()?, [5f64.sqrt(), 5.0]),
///     Err(why) => assert!(why.is_unsupported()),
/// }
/// # Ok::<(), Error>(())
/// ```
pub struct ReductionKernel {
    name: String,
    inputs: Vec<Parameter>,
    output: Parameter,
    map: String,
    reduce: String,
    post: String,
    identity: String,
    state: Option<DType>,
    preamble: String,
    /// The functions for each list of types that was asked for.
    made: Mutex<FxHashMap<Vec<DType>, Arc<Made>>>,
}

/// What a reduction is made of, for given types.
struct Made {
    map: Arc<Function>,
    fold: Fold,
    post: Arc<Function>,
}

impl ReductionKernel {
    /// A reduction: the parameters of an element, the output, the expression that maps an element
    /// to a state, the expression that combines `a` and `b`, the statements that assign the output
    /// from `a`, the identity, and a name for messages and `explain`.
    ///
    /// # Safety
    /// As [`ElementwiseKernel::new`](super::ElementwiseKernel::new), for all three pieces.
    ///
    /// # Errors
    /// [`Error::is_compile`] where a list or the name is not well formed.
    ///
    /// # Example
    /// See [`ReductionKernel`].
    #[track_caller]
    pub unsafe fn new(
        inputs: &str,
        output: &str,
        map: &str,
        reduce: &str,
        post: &str,
        identity: &str,
        name: &str,
    ) -> Result<Self> {
        let lists = || {
            if !is_name(name) {
                return Err(Error::compile(format!("{name:?} is no C++ name")));
            }
            let (inputs, outputs) = (parameters(name, inputs)?, parameters(name, output)?);
            match <[Parameter; 1]>::try_from(outputs) {
                Ok([output]) if !inputs.is_empty() => Ok((inputs, output)),
                _ => Err(Error::compile(format!("{name}: a reduction has inputs and one output"))),
            }
        };
        let (inputs, output) = located(lists())?;
        Ok(ReductionKernel {
            name: name.to_string(),
            inputs,
            output,
            map: map.to_string(),
            reduce: reduce.to_string(),
            post: post.to_string(),
            identity: identity.to_string(),
            state: None,
            preamble: String::new(),
            made: Mutex::default(),
        })
    }

    /// The same reduction over states of another C++ type than the output's, such as `double`
    /// for an output of `float`.
    ///
    /// # Errors
    /// [`Error::is_compile`] where the type is unknown.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ReductionKernel, prelude::*};
    /// // SAFETY: the code reads its arguments and writes its output, and always ends.
    /// let sum = unsafe { ReductionKernel::new("float x", "float y", "x", "a + b", "y = a", "0", "total")? };
    /// let sum = sum.with_state("double")?;
    /// match sum.try_call::<f32>((&DeviceArray::from_slice(&[1.5f32, 2.5])?,), ..) {
    ///     Ok(y) => assert_eq!(y.item()?, 4.0),
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn with_state(self, state: &str) -> Result<Self> {
        let name = &self.name;
        let unknown = || Error::compile(format!("{name}: {state:?} is an unknown type"));
        let state = Some(located(ctype(state).ok_or_else(unknown))?);
        Ok(ReductionKernel { state, made: Mutex::default(), ..self })
    }

    /// The same reduction with definitions that its code uses: `__device__` functions, types.
    ///
    /// # Safety
    /// As [`new`](Self::new), for the code with these definitions.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ReductionKernel, prelude::*};
    /// // SAFETY: the code reads its arguments and writes its output, and always ends.
    /// let squares = unsafe {
    ///     ReductionKernel::new("float x", "float y", "sq(x)", "a + b", "y = a", "0", "squares")?
    ///         .with_preamble("__device__ float sq(float x) { return x * x; }")
    /// };
    /// match squares.try_call::<f32>((&DeviceArray::from_slice(&[3.0f32, 4.0])?,), ..) {
    ///     Ok(y) => assert_eq!(y.item()?, 25.0),
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub unsafe fn with_preamble(self, code: &str) -> Self {
        ReductionKernel { preamble: code.to_string(), made: Mutex::default(), ..self }
    }

    /// Reduces a tuple of arrays and scalars over some axes; `R` is the output's element type.
    ///
    /// **Shape.** The arguments broadcast, then the axes disappear. **Laziness.** Records; nothing
    /// is computed.
    ///
    /// # Panics
    /// Where the arguments or `R` do not fit the parameters, the shapes do not broadcast, there
    /// are no such axes, or the arrays are on the processor. [`try_call`](Self::try_call) returns
    /// an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ReductionKernel, prelude::*};
    /// // SAFETY: the code reads its arguments and writes its output, and always ends.
    /// let most = unsafe { ReductionKernel::new("T x", "T y", "x", "max(a, b)", "y = a", "0", "most")? };
    /// let x = DeviceArray::try_from([[1, 5], [7, 3]])?;
    /// if x.device().is_cuda() {
    ///     assert_eq!(most.call::<i32>((&x,), 1).to_vec()?, [5, 7]);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn call<R: Element>(&self, args: impl KernelOperands, axes: impl Axes) -> DeviceArray<R> {
        or_panic(self.record::<R>(args.list().0, axes))
    }

    /// As [`call`](Self::call), with an error in place of the panic.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the arguments or `R` do not fit the parameters, the shapes do not
    /// broadcast or there are no such axes, [`Error::is_unsupported`] where the arrays are on the
    /// processor.
    #[track_caller]
    pub fn try_call<R: Element>(
        &self,
        args: impl KernelOperands,
        axes: impl Axes,
    ) -> Result<DeviceArray<R>> {
        located(self.record::<R>(args.list().0, axes))
    }

    fn record<R: Element>(&self, args: Args, axes: impl Axes) -> Result<DeviceArray<R>> {
        let mut types: Vec<DType> = args.iter().map(Arg::dtype).collect();
        types.push(R::DTYPE);
        let made = self.made(types)?;
        let element = record::call(&made.map, args)?.remove(0);
        let axes: AxisSet = axes.resolve(&self.name, element.shape.len())?;
        let Fold { function, identity } = &made.fold;
        let states = record::fold(
            function.clone(),
            identity.clone(),
            smallvec![(&element).into()],
            axes.mask,
        )?;
        let result = record::call(&made.post, smallvec![(&states[0]).into()])?.remove(0);
        Ok(DeviceArray::from_node(kept(result, &element, axes)))
    }

    /// The functions for the types of the inputs and of the output.
    fn made(&self, types: Vec<DType>) -> Result<Arc<Made>> {
        if let Some(made) = self.made.lock().get(&types) {
            return Ok(made.clone());
        }
        let mut bound = Bound::new();
        let (output, inputs) = types.split_last().expect("the output's type stands last");
        bind(&self.name, &self.inputs, inputs, &mut bound)?;
        bind(&self.name, std::slice::from_ref(&self.output), &[*output], &mut bound)?;
        let state = self.state.unwrap_or(*output);
        let args = self.inputs.iter().map(|p| (resolved(p, &bound), p.name.as_str())).collect();
        let define = |args: Vec<(DType, &str)>, result: (DType, &str), body: Body| {
            let definition = Definition {
                name: &self.name,
                preamble: &self.preamble,
                args,
                results: vec![result],
                bound: &bound,
                body,
            };
            Arc::new(definition.function())
        };
        let result = (resolved(&self.output, &bound), self.output.name.as_str());
        let function =
            define(vec![(state, "a"), (state, "b")], (state, "_"), Body::Expression(&self.reduce));
        let identity = number(&self.name, &self.identity, state)?;
        let made = Arc::new(Made {
            map: define(args, (state, "_"), Body::Expression(&self.map)),
            fold: Fold::new(function, vec![identity])?,
            post: define(vec![(state, "a")], result, Body::Statements(&self.post)),
        });
        self.made.lock().insert(types, made.clone());
        Ok(made)
    }
}

/// Puts reduced axes back with length 1, if they are to stay.
fn kept(reduced: Arc<Node>, element: &Arc<Node>, axes: AxisSet) -> Arc<Node> {
    if !axes.keep {
        return reduced;
    }
    let lengths = element.shape.iter().enumerate();
    let shape: Shape = lengths.map(|(k, &n)| if axes.contains(k) { 1 } else { n }).collect();
    record::reshape(&reduced, shape)
}

impl fmt::Debug for ReductionKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReductionKernel {}: {} of {}", self.name, self.reduce, self.map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;

    fn norm() -> ReductionKernel {
        // SAFETY: the code assigns its output from its inputs.
        let made = unsafe {
            ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
        };
        made.unwrap()
    }

    #[test]
    fn identities_are_numbers_of_the_states_type() {
        let of = |text: &str, dtype| number("f", text, dtype);
        assert_eq!(of("1.5f", DType::F32).unwrap(), Scalar::new(1.5f32));
        assert_eq!(of(" -INFINITY ", DType::F64).unwrap(), Scalar::new(f64::NEG_INFINITY));
        assert_eq!(of("9223372036854775807LL", DType::I64).unwrap(), Scalar::new(i64::MAX));
        assert_eq!(of("18446744073709551615ULL", DType::U64).unwrap(), Scalar::new(u64::MAX));
        assert_eq!(of("true", DType::Bool).unwrap(), Scalar::new(true));
        for (text, dtype) in [("one", DType::F32), ("1.5", DType::I32), ("300", DType::U8)] {
            assert!(of(text, dtype).unwrap_err().is_compile(), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        // SAFETY: nothing of it is run.
        let new = |inputs, output| unsafe {
            ReductionKernel::new(inputs, output, "x", "a+b", "y=a", "0", "f")
        };
        assert!(new("", "T y").unwrap_err().is_compile());
        assert!(new("T x", "T y, T z").unwrap_err().is_compile());
        assert!(norm().with_state("quad").unwrap_err().is_compile());
        assert!(norm().made(vec![DType::F32, DType::F64]).is_err());
        let made = norm().with_state("double").unwrap().made(vec![DType::F32, DType::F32]).unwrap();
        assert_eq!(made.fold.types(), [DType::F64]);
        assert_eq!((made.map.results[0], made.post.results[0]), (DType::F64, DType::F32));
        crate::Device::cpu().scope(|| {
            let x = DeviceArray::<f32>::ones([3]);
            assert!(norm().try_call::<f32>((&x,), 0).unwrap_err().is_unsupported());
        });
    }
}
