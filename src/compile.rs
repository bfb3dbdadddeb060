//! Functions that are recorded once and then run again and again.
//!
//! A function is run on stand-ins for its arguments; what it recorded is planned, and the plan kept
//! with a note of where each leaf and each scalar comes from. A later call with the same
//! [`Signature`] binds and launches (`eval/replay.rs`).
//!
//! - What the host computes from an argument's data would become part of the plan, so the stand-ins
//!   are watched (`eval::Watch`): every way to data begins with `eval::evaluate`, even where the
//!   data is there, and that tells the recordings of all threads, before anything can fail. Where
//!   it reaches a stand-in, where the recording thread itself has something computed, or launches a
//!   kernel, the function is called each time instead. With no recording under way, that costs an
//!   evaluation the reading of one number.
//! - A compiled function that is called while its thread records is simply called, so that the
//!   whole becomes one plan: a replay inside would hand out data that looks like a constant.
//! - While something is recorded no assignment runs in place, because a constant has to be there at
//!   the next call.

use crate::array::{Arrays, Flat, located};
use crate::backend::{Arithmetic, Buffer, Device};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::eval::{self, Recording};
use crate::graph::{Arg, Node, NodeOp};
use crate::library::linalg::Precision;
use crate::shape::Shape;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::marker::PhantomData;
use std::sync::Arc;

/// Records a function of arrays once for each signature, and then runs what it recorded.
///
/// A signature is what the arguments are without their values: shapes, element types, devices,
/// and which of them are one scalar everywhere, as [`DeviceArray::full`](crate::DeviceArray::full) makes it; with it goes the
/// [`Arithmetic`] of the call and the precision of its products
/// ([`with_precision`](crate::linalg::with_precision)), and where there are no arguments, the current
/// device. The first call with a signature runs the function, plans what it recorded and keeps the
/// plan; later ones bind the new data and the new scalars to it and launch, with nothing recorded and
/// nothing walked. A call costs what its launches cost, which is worth it where kernels take
/// microseconds. On a GPU the launches of several kernels go as one CUDA graph once they have come
/// some dozen times, as those of every plan that comes again: on an H100 a call with twelve kernels of
/// 4096 elements each took 26 µs, and 55 where they were launched one by one.
///
/// The function is called for the recording alone. What it does besides (printing, counting,
/// drawing random numbers, reading values of the host) happens then and not again, and what it
/// captures stays what it was: pass what changes as an argument.
///
/// It cannot be replayed where it asks for the data of an argument, or of what it computes from
/// one (`item`, `copy_to_host`, `digitize`, printing), in whatever thread and even if that fails.
/// Nor can it where it evaluates anything else in its own thread or launches a kernel. Then it is
/// simply called each time, and the first time twice. It may read what it captured and what has
/// its data by then. A compiled function that it calls is recorded as a part of it.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let step = lazuli::compile(|(z, dt): &(DeviceArray<f64>, DeviceArray<f64>)| z + z.sin() * dt);
/// let mut z = DeviceArray::<f64>::linspace(0.0, 1.0, 100);
/// for k in 0..10 {
///     z = step.call(&(z, DeviceArray::full((), 0.01 * k as f64)))?;
/// }
/// assert_eq!(step.signatures(), 1);
/// # Ok::<(), Error>(())
/// ```
pub fn compile<A: Arrays, R: Arrays, F: Fn(&A) -> R>(function: F) -> CompiledFunction<A, R, F> {
    CompiledFunction { function, known: Mutex::default(), types: PhantomData }
}

/// A function made by [`compile`].
pub struct CompiledFunction<A, R, F> {
    function: F,
    known: Mutex<FxHashMap<Signature, Option<Arc<Replay>>>>,
    types: PhantomData<fn(&A) -> R>,
}

/// What a recording depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Signature {
    /// What the arguments are.
    arguments: SmallVec<[Argument; 4]>,
    /// How they are nested.
    lengths: SmallVec<[usize; 2]>,
    arithmetic: Arithmetic,
    precision: Precision,
    /// Where there are no arguments, the device on which the function makes arrays.
    device: Option<Device>,
}

/// What an argument is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Argument {
    shape: Shape,
    dtype: DType,
    device: Device,
    is_scalar: bool,
}

/// What was recorded for a signature.
struct Replay {
    /// The plan; none where every result is there before.
    recording: Option<Recording>,
    leaves: Vec<Source<Arc<Buffer>>>,
    scalars: Vec<Source<Scalar>>,
    results: Vec<(Made, Shape, DType)>,
    lengths: SmallVec<[usize; 2]>,
    device: Device,
}

/// Where a replay takes a value from.
enum Source<T> {
    Argument(usize),
    Constant(T),
}

/// Where a result comes from.
enum Made {
    /// The plan.
    Step,
    /// Data that was there before.
    Before(Source<Arc<Buffer>>),
}

impl<A: Arrays, R: Arrays, F: Fn(&A) -> R> CompiledFunction<A, R, F> {
    /// Runs the function on arguments: what was recorded for their signature, or the recording.
    ///
    /// **Laziness.** Evaluates the arguments that are not yet evaluated, and the results;
    /// asynchronous on a GPU. Inside of a function that is being recorded itself, nothing is
    /// evaluated: the call becomes a part of that recording.
    ///
    /// # Errors
    /// What an evaluation may fail with; [`Error::is_device`] where the arrays are on several
    /// devices. A failed call leaves everything as it was. What fails in a part of another
    /// recording is an error of the outer call.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let step = lazuli::compile(|x: &DeviceArray<f64>| x * 0.5 + 1.0);
    /// assert_eq!(step.call(&DeviceArray::full(2, 4.0))?.to_vec()?, [3.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn call(&self, args: &A) -> Result<R> {
        located(self.run(args))
    }

    /// Makes ready for calls with arguments like these: records the function for their signature and
    /// compiles its kernels, so that the first [`call`](Self::call) does not wait for that.
    ///
    /// **Laziness.** Evaluates the arguments that are not yet evaluated; calls the function once,
    /// where the signature is new, and runs none of its kernels. A function that reads data while it
    /// is recorded cannot be prepared: each call runs it.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let step = lazuli::compile(|x: &DeviceArray<f64>| (x * 0.5).sin() + 1.0);
    /// step.prepare(&DeviceArray::zeros([40, 960]))?;
    /// let before = lazuli::counters();
    /// let x = step.call(&DeviceArray::zeros([40, 960]))?;
    /// assert_eq!(lazuli::counters().plans, before.plans); // nothing is left to plan or compile
    /// assert_eq!(x.sum(..).item()?, 40.0 * 960.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn prepare(&self, args: &A) -> Result<()> {
        located(self.make_ready(args))
    }

    fn make_ready(&self, args: &A) -> Result<()> {
        let flat = Flat::of(args);
        if eval::is_recording() {
            return Ok(());
        }
        eval::ask(&flat.nodes);
        flat.evaluate()?;
        let scalars = flat.scalars();
        let signature = flat.signature(&scalars);
        if !self.known.lock().contains_key(&signature) {
            let recorded = self.record(&flat, &scalars)?;
            self.known.lock().insert(signature, recorded);
        }
        Ok(())
    }

    /// The number of signatures that were recorded so far.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let twice = lazuli::compile(|x: &DeviceArray<i64>| x * 2);
    /// for n in [3, 3, 5] {
    ///     twice.call(&DeviceArray::arange_to(n))?;
    /// }
    /// assert_eq!(twice.signatures(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn signatures(&self) -> usize {
        self.known.lock().len()
    }

    fn run(&self, args: &A) -> Result<R> {
        let flat = Flat::of(args);
        if eval::is_recording() {
            let results = (self.function)(args);
            // A function that is called each time may well bring devices together.
            if !eval::is_in_vain() {
                one_device(&flat, &Flat::of(&results))?;
            }
            return Ok(results);
        }
        // They may be what another thread records.
        eval::ask(&flat.nodes);
        flat.evaluate()?;
        // What lies over several devices is divided among them at each evaluation.
        let is_over_several = flat.nodes.iter().any(|node| node.device.is_placed());
        if eval::is_inspected() || is_over_several {
            return self.plainly(args);
        }
        // They are read once: another thread may evaluate an argument at any time.
        let scalars = flat.scalars();
        let signature = flat.signature(&scalars);
        let known = self.known.lock().get(&signature).cloned();
        let replay = match known {
            Some(Some(replay)) => replay,
            Some(None) => return self.plainly(args),
            None => {
                let recorded = self.record(&flat, &scalars)?;
                self.known.lock().insert(signature, recorded.clone());
                match recorded {
                    Some(replay) => replay,
                    None => return self.plainly(args),
                }
            }
        };
        replay.run(&flat, &scalars).map(|results| R::build(&mut results.into_reader()))
    }

    /// Calls the function itself and evaluates what it gives.
    fn plainly(&self, args: &A) -> Result<R> {
        let results = (self.function)(args);
        eval::evaluate(&Flat::of(&results).nodes)?;
        Ok(results)
    }

    /// Records the function on stand-ins for the arguments; `None` where somebody sees their data
    /// meanwhile.
    fn record(&self, flat: &Flat, scalars: &Scalars) -> Result<Option<Arc<Replay>>> {
        let stand_ins = flat.stand_ins(scalars);
        eval::while_watched(&stand_ins.nodes, |watch| {
            let results = {
                let args = A::build(&mut stand_ins.clone().into_reader());
                Flat::of(&(self.function)(&args))
            };
            let is_other = |node: &Arc<Node>| node.len() == 0 || node.device.is_placed();
            if watch.saw_data() || results.nodes.iter().any(is_other) {
                return Ok(None);
            }
            let replay = Replay::new(&stand_ins, &results);
            // Another thread may have asked until now, and have evaluated what was planned.
            if watch.saw_data() { Ok(None) } else { replay.map(|replay| Some(Arc::new(replay))) }
        })
    }
}

impl Replay {
    fn new(args: &Flat, results: &Flat) -> Result<Replay> {
        let device = match one_device(args, results)? {
            Some(device) => device,
            None => Device::current()?,
        };
        let argument = |node: &Arc<Node>| args.nodes.iter().position(|a| Arc::ptr_eq(a, node));
        let data = |node: &Arc<Node>| match (argument(node), node.data()) {
            (Some(k), _) => Ok(Source::Argument(k)),
            (None, Some(data)) => Ok(Source::Constant(data)),
            _ => Err(changed()),
        };
        let recording = eval::record(&results.nodes)?;
        let (mut leaves, mut scalars) = (Vec::new(), Vec::new());
        if let Some(recording) = &recording {
            leaves = recording.leaves.iter().map(data).collect::<Result<_>>()?;
            let scalar = |(node, value): &(Arc<Node>, Scalar)| match argument(node) {
                Some(k) => Source::Argument(k),
                None => Source::Constant(*value),
            };
            scalars = recording.scalars.iter().map(scalar).collect();
        }
        let made = |(k, node): (usize, &Arc<Node>)| {
            let planned = recording.as_ref().and_then(|r| r.places[k]).is_some();
            let made = match planned {
                true => Made::Step,
                false => Made::Before(match (argument(&eval::holder(node)), eval::held(node)) {
                    (Some(k), _) => Source::Argument(k),
                    (None, Some(data)) => Source::Constant(data),
                    (None, None) => return Err(changed()),
                }),
            };
            Ok((made, node.shape.clone(), node.dtype))
        };
        let results_made = results.nodes.iter().enumerate().map(made).collect::<Result<_>>()?;
        // The nodes of the recording are not needed any more, only its plan.
        let recording = recording.map(|mut recording| {
            (recording.leaves, recording.scalars) = (Vec::new(), Vec::new());
            recording
        });
        Ok(Replay {
            recording,
            leaves,
            scalars,
            results: results_made,
            lengths: results.lengths.clone(),
            device,
        })
    }

    /// Binds arguments to the plan and runs it.
    fn run(&self, args: &Flat, known: &Scalars) -> Result<Flat> {
        let buffer = |source: &Source<Arc<Buffer>>| match source {
            Source::Argument(k) => args.nodes[*k].data().expect("arguments were evaluated"),
            Source::Constant(data) => data.clone(),
        };
        let scalar = |source: &Source<Scalar>| match source {
            Source::Argument(k) => known[*k].expect("the signature says so"),
            Source::Constant(value) => *value,
        };
        let made = match &self.recording {
            Some(recording) => {
                let leaves: SmallVec<[Arc<Buffer>; 8]> = self.leaves.iter().map(buffer).collect();
                let scalars: SmallVec<[Scalar; 16]> = self.scalars.iter().map(scalar).collect();
                recording.run(self.device, &leaves, &scalars)?
            }
            None => vec![None; self.results.len()],
        };
        let node = |((from, shape, dtype), made): (&(Made, Shape, DType), Option<Arc<Buffer>>)| {
            let data = match from {
                Made::Step => made.expect("the plan makes it"),
                Made::Before(source) => buffer(source),
            };
            Node::shared(data, shape.clone(), *dtype, self.device)
        };
        let nodes = self.results.iter().zip(made).map(node).collect();
        Ok(Flat { nodes, lengths: self.lengths.clone() })
    }
}

/// The device of arguments and results, if there are any.
fn one_device(args: &Flat, results: &Flat) -> Result<Option<Device>> {
    let mut devices = args.nodes.iter().chain(&results.nodes).map(|node| node.device);
    let first = devices.next();
    if devices.any(|device| Some(device) != first) {
        return Err(Error::device("compile: the arrays live on different devices"));
    }
    Ok(first)
}

fn changed() -> Error {
    Error::unsupported("compile: another thread evaluated what was being recorded")
}

/// The scalar of an array that is one scalar everywhere and has no data.
fn scalar_of(node: &Node) -> Option<Scalar> {
    if node.op != NodeOp::Full || node.is_evaluated() {
        return None;
    }
    match node.state().args.first() {
        Some(Arg::Scalar(value)) => Some(*value),
        _ => None,
    }
}

/// For each argument, the scalar that it is everywhere, if it is one without data.
type Scalars = SmallVec<[Option<Scalar>; 4]>;

impl Flat {
    /// Evaluates the arrays that are not scalars.
    fn evaluate(&self) -> Result<()> {
        let waits = |node: &&Arc<Node>| !node.is_evaluated() && scalar_of(node).is_none();
        let waiting: Vec<Arc<Node>> = self.nodes.iter().filter(waits).cloned().collect();
        if waiting.is_empty() { Ok(()) } else { eval::evaluate(&waiting) }
    }

    fn scalars(&self) -> Scalars {
        self.nodes.iter().map(|node| scalar_of(node)).collect()
    }

    fn signature(&self, scalars: &Scalars) -> Signature {
        let argument = |(node, scalar): (&Arc<Node>, &Option<Scalar>)| Argument {
            shape: node.shape.clone(),
            dtype: node.dtype,
            device: node.device,
            is_scalar: scalar.is_some(),
        };
        Signature {
            arguments: self.nodes.iter().zip(scalars).map(argument).collect(),
            lengths: self.lengths.clone(),
            arithmetic: Arithmetic::current(),
            precision: Precision::current(),
            device: if self.nodes.is_empty() { Device::current().ok() } else { None },
        }
    }

    /// Nodes of their own with the same data, so that each argument is told from the others.
    fn stand_ins(&self, scalars: &Scalars) -> Flat {
        let stand_in = |(node, scalar): (&Arc<Node>, &Option<Scalar>)| match (scalar, node.data()) {
            (Some(value), _) => Node::new(
                NodeOp::Full,
                smallvec![Arg::Scalar(*value)],
                node.shape.clone(),
                node.dtype,
                node.device,
            ),
            (None, Some(data)) => Node::shared(data, node.shape.clone(), node.dtype, node.device),
            (None, None) => node.clone(),
        };
        let nodes = self.nodes.iter().zip(scalars).map(stand_in).collect();
        Flat { nodes, lengths: self.lengths.clone() }
    }
}

#[cfg(all(test, feature = "cuda"))]
#[path = "compile_tests.rs"]
mod tests;
