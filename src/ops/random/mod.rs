//! Random arrays: a counter-based generator whose numbers are made inside the kernels that use
//! them.
//!
//! A [`Generator`] is a key and a place in a stream of numbers. Drawing an array only records
//! which part of the stream it is, and moves the generator on: nothing is computed, an array once
//! recorded keeps its numbers however often it is evaluated, and another seed or another draw
//! never compiles a kernel. Element `i` of a draw depends on the generator and on `i` alone, so
//! that a seed gives the same numbers on every device, fused or not.
//!
//! ```
//! use lazuli::prelude::*;
//! use lazuli::random::Generator;
//!
//! let mut rng = Generator::new(42);
//! let (u, v) = (rng.random::<f32>(100_000), rng.random::<f32>(100_000));
//! // Generated, squared, compared and summed in one kernel, with no array in memory.
//! let inside = (u.square() + v.square()).less(1.0);
//! let pi = 4.0 * inside.mean(..).item()?;
//! assert!((pi - 3.14).abs() < 0.02);
//! # Ok::<(), Error>(())
//! ```

mod choice;
mod continuous;
mod discrete;
mod library;
mod noncentral;
mod rejection;
mod transformed;
mod trials;

pub use crate::library::random::Kind;
pub use library::LibraryGenerator;

use crate::array::record;
use crate::backend::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, Node, NodeOp};
use crate::math::random::Seed;
use crate::shape::{Shape, broadcast, checked_len};
use crate::table::{Law, Op};
use std::sync::Arc;

/// The stream that keys of spawned generators come from; no generator jumps so far.
const KEYS: u64 = u64::MAX;

/// A source of random numbers: Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror
/// and Shaw (2011), under the seed as its key.
///
/// Every method draws new numbers, and none computes anything: see the [module](self). A clone
/// continues with the same numbers as the original; [`spawn`](Self::spawn) gives a generator with
/// numbers of its own, [`jump`](Self::jump) moves to another part of the same stream.
///
/// Draws lie one behind the other in the stream, each from a whole block of four words on. Before a
/// draw that would cross a multiple of 2³² blocks, those up to it are left out; a longer draw
/// begins at such a multiple.
///
/// NumPy: `numpy.random.Generator(Philox(key=seed))`; the words are Philox4x32's, as cuRAND's and
/// PyTorch's, and not those of NumPy's Philox4x64.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::random::Generator;
/// let mut rng = Generator::new(7);
/// let a = rng.random::<f64>([2, 3]);
/// let b = rng.random::<f64>([2, 3]);
/// assert_ne!(a.to_vec()?, b.to_vec()?);
/// assert_eq!(a.to_vec()?, Generator::new(7).random::<f64>(6).to_vec()?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Generator {
    next: Seed,
    spawned: u64,
}

impl Generator {
    /// A generator for a seed.
    ///
    /// # Example
    /// ```
    /// use lazuli::random::Generator;
    /// assert_eq!(Generator::new(1), Generator::new(1));
    /// assert_ne!(Generator::new(1), Generator::new(2));
    /// ```
    #[track_caller]
    pub fn new(seed: u64) -> Self {
        Generator { next: Seed { key: seed, first: 0, stream: 0 }, spawned: 0 }
    }

    /// A generator with numbers of its own, for another thread or another part of a program.
    ///
    /// Its key is drawn from a stream of this generator's key that is kept for the purpose, so
    /// that this generator's own numbers stay as they were; the same generator spawns the same
    /// generators again in the same order.
    ///
    /// # Example
    /// ```
    /// use lazuli::random::Generator;
    /// let mut rng = Generator::new(1);
    /// let (a, b) = (rng.spawn(), rng.spawn());
    /// assert_ne!(a, b);
    /// ```
    pub fn spawn(&mut self) -> Generator {
        let keys = Seed { key: self.next.key, first: 0, stream: KEYS };
        let at = self.spawned.wrapping_add(self.next.stream.rotate_left(32));
        self.spawned += 1;
        Generator::new(keys.word::<u64>(at))
    }

    /// Moves on by `times` · 2⁶⁴ blocks of four words, further than any program draws: the way to
    /// give parts of a program numbers of one stream that never meet.
    ///
    /// # Example
    /// ```
    /// use lazuli::random::Generator;
    /// let mut first = Generator::new(1);
    /// let mut second = first.clone();
    /// second.jump(1);
    /// assert_ne!(first.random::<f32>(4).to_vec()?, second.random::<f32>(4).to_vec()?);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[doc(alias = "jumped")]
    pub fn jump(&mut self, times: u64) {
        self.next.stream = self.next.stream.wrapping_add(times) % KEYS;
    }

    /// The next numbers of the stream, as a node.
    #[track_caller]
    fn draw(
        &mut self,
        name: &str,
        law: Law,
        dtype: DType,
        shape: Shape,
        device: Device,
    ) -> Result<Arc<Node>> {
        crate::eval::tell_of_draw();
        let len = checked_len(name, &shape)?;
        let blocks = len.div_ceil(16 / dtype.size()) as u64;
        let seed = self.next.with_room_for(blocks);
        self.next = Seed { first: seed.first.wrapping_add(blocks), ..seed };
        let word = |x: u64| Arg::Scalar(Scalar::new(x));
        let own = [seed.key, seed.first, seed.stream];
        let args: Args = own.into_iter().chain(seed.keys().into_iter().skip(1)).map(word).collect();
        Ok(record::record(NodeOp::Random(law), args, shape, dtype, device))
    }

    /// An operation on parameters and a new word for each element.
    #[track_caller]
    fn variates(&mut self, op: Op, shape: Shape, parameters: &[Arg]) -> Result<Arc<Node>> {
        let device = fit(op.name(), &shape, parameters)?;
        let words = self.draw(op.name(), Law::Uniform, DType::U64, shape, device)?;
        let mut args: Args = parameters.iter().cloned().collect();
        args.push(Arg::Node(words));
        record::map(op, args)
    }
}

/// Checks that parameters broadcast to the shape that was asked for, and says which device the
/// numbers are for.
fn fit(name: &str, shape: &[usize], parameters: &[Arg]) -> Result<Device> {
    checked_len(name, shape)?;
    let mut device = None;
    for parameter in parameters {
        let Arg::Node(node) = parameter else { continue };
        if broadcast(&node.shape, shape).is_none_or(|joined| joined[..] != *shape) {
            return Err(Error::shape(format!(
                "{name}: a parameter of shape {:?} does not broadcast to {shape:?}",
                &node.shape[..]
            )));
        }
        if device.get_or_insert(node.device).differs(node.device) {
            let (a, b) = (device.expect("just set"), node.device);
            return Err(record::devices_differ(name, a, b));
        }
    }
    match device {
        Some(device) => Ok(device),
        None => Device::current(),
    }
}

/// A parameter as `f64`.
fn double(parameter: Arg) -> Arg {
    match parameter {
        Arg::Node(node) => Arg::Node(record::cast(&node, DType::F64)),
        Arg::Scalar(value) => Arg::Scalar(Scalar::new(value.to_f64())),
    }
}

/// Refuses a scalar parameter for which `allowed` does not hold; an array's elements are seen by
/// the kernel alone.
fn check(
    name: &str,
    what: &str,
    parameter: &Arg,
    wanted: &str,
    allowed: fn(f64) -> bool,
) -> Result<()> {
    match parameter {
        Arg::Scalar(value) if !allowed(value.to_f64()) => {
            Err(Error::shape(format!("{name}: {what} is {value:?}, and must be {wanted}")))
        }
        _ => Ok(()),
    }
}

/// Whether a number is above zero and finite.
fn is_positive(x: f64) -> bool {
    x > 0.0 && x < f64::INFINITY
}

/// Whether a number is not negative and finite.
fn is_scale(x: f64) -> bool {
    (0.0..f64::INFINITY).contains(&x)
}

/// Whether a number is a probability.
fn is_probability(p: f64) -> bool {
    (0.0..=1.0).contains(&p)
}

/// Runs a closure that may take what it has captured.
#[track_caller]
fn attempt<R>(f: impl FnOnce() -> R) -> R {
    crate::array::recorded(f)
}

/// Defines drawing methods in pairs: `name` panics where `try_name` returns an error. A draw that
/// fails leaves the generator where it was.
macro_rules! draws {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident $(<$g:ident: $bound:path $(, $also:path)*>)?
            (&mut $this:ident $(, $arg:ident : $ty:ty)* $(,)?) -> $out:ty
        $body:block
    )*) => {$(
        $(#[$meta])*
        ///
        /// **Laziness.** Records; the numbers are made inside the kernels that use them.
        ///
        /// # Panics
        /// Where the arguments are no distribution or do not fit together; the message names the
        /// argument and the caller's line.
        #[doc = concat!("[`Self::", stringify!($try_name), "`] returns an error in place of the panic.")]
        ///
        /// # Example
        $(#[$example])*
        #[track_caller]
        pub fn $name $(<$g: $bound $(+ $also)*>)? (&mut $this $(, $arg: $ty)*) -> $out {
            $crate::array::or_panic($this.$try_name($($arg),*))
        }

        #[doc = concat!("[`Self::", stringify!($name), "`] for arguments that come from data.")]
        ///
        /// **Laziness.** Records; the numbers are made inside the kernels that use them.
        ///
        /// # Errors
        /// [`Error::is_shape`](crate::Error::is_shape) where the arguments are no distribution or
        /// do not fit together, [`Error::is_device`](crate::Error::is_device) where arrays live on
        /// several devices or the current device is not there. The generator stays where it was.
        #[track_caller]
        pub fn $try_name $(<$g: $bound $(+ $also)*>)? (&mut $this $(, $arg: $ty)*) -> $crate::Result<$out> {
            let before = $this.clone();
            let result = $crate::ops::random::attempt(|| -> $crate::Result<$out> { $body });
            if result.is_err() {
                *$this = before;
            }
            $crate::array::located(result)
        }
    )*};
}
use draws;
