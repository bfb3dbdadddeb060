//! Modules in CUDA C++, PTX or machine code, launched on arrays.

use crate::array::{DeviceArray, located};
use crate::backend::{Buffer, Device, RawArg, RawFunctions, RawShape, RawSource, Touched, trace};
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result};
use crate::eval::count_launch;
use crate::graph::Node;
use crate::user::kernel::{HostSource, HostTarget, In, InOut, Out};
use smallvec::SmallVec;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// CUDA code on a device: what PyCUDA calls a `SourceModule`, and CuPy a `RawModule`.
///
/// **Shape.** Arrays of any shape; a kernel gets the address of their first element, and the
/// elements lie in C order.
/// **Dtype.** A kernel's parameters are pointers for arrays and the C++ type of the same size for
/// scalars: `float` for `f32`, `long long` for `i64`, `bool` for `bool`, `cuFloatComplex` for
/// `Complex<f32>`.
/// **Laziness.** Compiles and loads at once. A launch evaluates the arrays that it is given, then
/// starts the kernel in the device's order of work and does not wait for it.
///
/// There is no such thing on the processor: there every constructor returns an error for which
/// [`Error::is_unsupported`] holds.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::RawModule;
/// let module = RawModule::from_source(
///     r#"extern "C" __global__ void twice(float* y, const float* x, int n) {
///            int i = blockIdx.x * blockDim.x + threadIdx.x;
///            if (i < n) y[i] = 2.0f * x[i];
///        }"#,
/// );
/// match module {
///     Ok(module) => {
///         let x = DeviceArray::<f32>::arange(0.0, 1000.0, 1.0);
///         let mut y = DeviceArray::<f32>::zeros([1000]);
///         let twice = module.function("twice")?;
///         // SAFETY: the kernel writes y[i] and reads x[i] for i below 1000.
///         unsafe { twice.launch(4, 256, (&mut y, &x, 1000i32))? };
///         assert_eq!((y - 2.0 * x).abs().max(..).item()?, 0.0);
///     }
///     Err(why) => assert!(why.is_unsupported()),
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct RawModule {
    functions: Arc<dyn RawFunctions>,
    device: Device,
}

/// One kernel of a [`RawModule`].
#[derive(Clone)]
pub struct RawFunction {
    module: RawModule,
    name: Arc<str>,
}

impl RawModule {
    /// Compiles CUDA C++ for the current device and loads it.
    ///
    /// Kernels are found by name where they are `extern "C" __global__`. `#include` finds the
    /// toolkit's headers where a toolkit is installed. What was compiled is kept on disk, as
    /// every kernel is, unless it includes a header.
    ///
    /// # Errors
    /// [`Error::is_compile`] with the compiler's log, [`Error::is_unsupported`] on the processor,
    /// [`Error::is_device`] where the device fails.
    ///
    /// # Example
    /// ```
    /// use lazuli::{RawModule, prelude::*};
    /// let code = r#"extern "C" __global__ void number(int* y) { y[threadIdx.x] = threadIdx.x; }"#;
    /// match RawModule::from_source(code) {
    ///     Ok(module) => {
    ///         let mut y = DeviceArray::<i32>::zeros(4);
    ///         // SAFETY: the kernel writes an element for each of four threads.
    ///         unsafe { module.function("number")?.launch(1, 4, (&mut y,)) }?;
    ///         assert_eq!(y.to_vec()?, [0, 1, 2, 3]);
    ///     }
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_source(code: &str) -> Result<Self> {
        located(Self::compiled(code, Vec::new()))
    }

    /// As [`from_source`](Self::from_source), with options for the compiler: `-I/folder`,
    /// `-DNAME=value`, `--use_fast_math`, `--maxrregcount=32` and whatever else NVRTC takes.
    ///
    /// # Errors
    /// As [`from_source`](Self::from_source).
    ///
    /// # Example
    /// ```
    /// use lazuli::{RawModule, prelude::*};
    /// let code = r#"extern "C" __global__ void fill(int* y) { y[threadIdx.x] = VALUE; }"#;
    /// match RawModule::from_source_with(code, &["-DVALUE=7"]) {
    ///     Ok(module) => {
    ///         let mut y = DeviceArray::<i32>::zeros(2);
    ///         // SAFETY: the kernel writes an element for each of two threads.
    ///         unsafe { module.function("fill")?.launch(1, 2, (&mut y,)) }?;
    ///         assert_eq!(y.to_vec()?, [7, 7]);
    ///     }
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_source_with(code: &str, options: &[&str]) -> Result<Self> {
        located(Self::compiled(code, options.iter().map(|o| o.to_string()).collect()))
    }

    /// Loads PTX, which the driver compiles for the current device.
    ///
    /// # Errors
    /// [`Error::is_unsupported`] on the processor, [`Error::is_device`] where the driver refuses
    /// the code.
    ///
    /// # Example
    /// ```
    /// use lazuli::RawModule;
    /// let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }";
    /// match RawModule::from_ptx(ptx) {
    ///     // SAFETY: the kernel does nothing.
    ///     Ok(module) => unsafe { module.function("nothing")?.launch(1, 1, ()) }?,
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[track_caller]
    pub fn from_ptx(text: &str) -> Result<Self> {
        located(Self::load(&RawSource::Ptx(text.to_string())))
    }

    /// Loads machine code: a cubin for the architecture of the current device, or a fat binary
    /// that holds one.
    ///
    /// # Safety
    /// The bytes are a whole, undamaged cubin or fat binary: the driver reads as far as the
    /// tables inside say.
    ///
    /// # Errors
    /// [`Error::is_unsupported`] on the processor, [`Error::is_compile`] where the bytes are none,
    /// [`Error::is_device`] where the driver refuses them.
    ///
    /// # Example
    /// ```
    /// use lazuli::RawModule;
    /// // What is no cubin is refused by its first bytes.
    /// // SAFETY: the driver does not get these bytes.
    /// assert!(unsafe { RawModule::from_cubin(&[1, 2, 3]) }.is_err());
    /// ```
    #[track_caller]
    pub unsafe fn from_cubin(bytes: &[u8]) -> Result<Self> {
        located(Self::load(&RawSource::Cubin(bytes.to_vec())))
    }

    fn compiled(code: &str, options: Vec<String>) -> Result<Self> {
        Self::load(&RawSource::Cuda { code: code.to_string(), options, prelude: false })
    }

    fn load(source: &RawSource) -> Result<Self> {
        let device = Device::current()?.first();
        Ok(RawModule { functions: device.backend().load(source)?, device })
    }

    /// The kernel of that name.
    ///
    /// # Errors
    /// [`Error::is_compile`] where the module has none.
    ///
    /// # Example
    /// ```
    /// use lazuli::RawModule;
    /// match RawModule::from_source(r#"extern "C" __global__ void nothing() {}"#) {
    ///     Ok(module) => {
    ///         assert_eq!(module.function("nothing")?.name(), "nothing");
    ///         assert!(module.function("other").is_err_and(|e| e.is_compile()));
    ///     }
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    #[track_caller]
    pub fn function(&self, name: &str) -> Result<RawFunction> {
        located(self.functions.find(name))?;
        Ok(RawFunction { module: self.clone(), name: name.into() })
    }

    /// The device that the code was loaded onto.
    ///
    /// # Example
    /// ```
    /// use lazuli::{RawModule, prelude::*};
    /// match RawModule::from_source(r#"extern "C" __global__ void nothing() {}"#) {
    ///     Ok(module) => assert_eq!(module.device(), Device::current()?),
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.device
    }
}

impl RawFunction {
    /// The name.
    ///
    /// # Example
    /// ```
    /// use lazuli::RawModule;
    /// match RawModule::from_source(r#"extern "C" __global__ void nothing() {}"#) {
    ///     Ok(module) => assert_eq!(module.function("nothing")?.name(), "nothing"),
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Launches the kernel: `grid` blocks of `block` threads, each a number or a tuple of up to
    /// three, x first. `args` is a tuple of `&DeviceArray<T>`, `&mut DeviceArray<T>` and scalars,
    /// in the order of the kernel's parameters; arrays of the host stand there in
    /// [`In`](crate::gpu::In), [`Out`](crate::gpu::Out) and [`InOut`](crate::gpu::InOut), and are
    /// copied before and behind the launch.
    ///
    /// An array given by `&mut` may be written. Where another handle or a recorded expression
    /// sees the same data, the array gets a copy of its own first, so that nobody else sees the
    /// kernel's writes.
    ///
    /// **Laziness.** Evaluates the arrays, starts the kernel and does not wait for it, unless
    /// something is to be copied back.
    ///
    /// # Safety
    /// The kernel stays inside the arrays, writes none that was given by `&`, and leaves only
    /// 0 and 1 in arrays of `bool`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the arguments have another number or other sizes than the
    /// kernel's parameters, as far as the driver can tell; [`Error::is_device`] where an array
    /// lives elsewhere or the launch is refused.
    ///
    /// # Example
    /// ```
    /// use lazuli::{RawModule, gpu::*, prelude::*};
    /// let code = r#"extern "C" __global__ void add(float* y, const float* x, float by) {
    ///                   y[threadIdx.x] = x[threadIdx.x] + by;
    ///               }"#;
    /// match RawModule::from_source(code) {
    ///     Ok(module) => {
    ///         let add = module.function("add")?;
    ///         let x = DeviceArray::from_slice(&[1.0f32, 2.0])?;
    ///         let (mut y, mut host) = (DeviceArray::<f32>::zeros(2), [0.0f32; 2]);
    ///         // SAFETY: two threads read and write two elements.
    ///         unsafe { add.launch(1, 2, (&mut y, &x, 0.5f32)) }?;
    ///         assert_eq!(y.to_vec()?, [1.5, 2.5]);
    ///         // SAFETY: as above.
    ///         unsafe { add.launch(1, 2, (Out(&mut host[..]), &x, 1.0f32)) }?;
    ///         assert_eq!(host, [2.0, 3.0]);
    ///     }
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn launch(
        &self,
        grid: impl LaunchExtents,
        block: impl LaunchExtents,
        args: impl RawArguments,
    ) -> Result<()> {
        // SAFETY: the caller vouches for what the kernel does.
        located(unsafe { self.start(grid.extents(), block.extents(), 0, args) })
    }

    /// As [`launch`](Self::launch), with so many bytes of dynamic shared memory for each block.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    ///
    /// # Example
    /// ```
    /// use lazuli::{RawModule, prelude::*};
    /// let code = r#"extern "C" __global__ void reversed(int* y) {
    ///                   extern __shared__ int tile[];
    ///                   tile[threadIdx.x] = threadIdx.x;
    ///                   __syncthreads();
    ///                   y[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    ///               }"#;
    /// match RawModule::from_source(code) {
    ///     Ok(module) => {
    ///         let mut y = DeviceArray::<i32>::zeros(3);
    ///         // SAFETY: the kernel stays inside the array and its 12 bytes of shared memory.
    ///         unsafe { module.function("reversed")?.launch_with_shared(1, 3, 12, (&mut y,)) }?;
    ///         assert_eq!(y.to_vec()?, [2, 1, 0]);
    ///     }
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn launch_with_shared(
        &self,
        grid: impl LaunchExtents,
        block: impl LaunchExtents,
        shared_bytes: usize,
        args: impl RawArguments,
    ) -> Result<()> {
        // SAFETY: the caller vouches for what the kernel does.
        located(unsafe { self.start(grid.extents(), block.extents(), shared_bytes, args) })
    }

    /// # Safety
    /// As [`launch`](Self::launch).
    #[track_caller]
    unsafe fn start(
        &self,
        grid: [usize; 3],
        block: [usize; 3],
        shared: usize,
        mut args: impl RawArguments,
    ) -> Result<()> {
        let words = |what: &str, n: [usize; 3]| {
            let word = |n: usize| u32::try_from(n).ok();
            let [x, y, z] = n.map(word);
            x.zip(y).zip(z).map(|((x, y), z)| [x, y, z]).ok_or_else(|| {
                Error::shape(format!("{}: a {what} of {n:?} is too large", self.name))
            })
        };
        let (grid, block) = (words("grid", grid)?, words("block", block)?);
        let shared = words("block's shared memory", [shared; 3])?[0];
        let device = self.module.device;
        let mut passed = Passed { device, list: SmallVec::new(), finished: 0 };
        // Arrays of the host go where the module is.
        device.scope(|| args.pass(&mut passed))?;
        let list: SmallVec<[RawArg; 8]> = passed.list.iter().map(Owned::as_arg).collect();
        let (read, written) = (passed.buffers(false), passed.buffers(true));
        let touched = Touched { read: &read, written: &written };
        let shape = RawShape { grid, block, shared };
        let _span = trace::user_kernel(device, &self.name, Location::caller());
        // SAFETY: the caller vouches for what the kernel does.
        unsafe { self.module.functions.launch(&self.name, &shape, &list, touched)? };
        count_launch();
        drop((list, read, written));
        args.finish(&mut passed)
    }
}

impl fmt::Debug for RawModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawModule on {}", self.device)
    }
}

impl fmt::Debug for RawFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawFunction {} on {}", self.name, self.module.device)
    }
}

/// An argument that is held until the launch.
enum Owned {
    Buffer { data: Arc<Buffer>, written: bool },
    Scalar(Scalar),
}

impl Owned {
    fn as_arg(&self) -> RawArg<'_> {
        match self {
            Owned::Buffer { data, .. } => RawArg::Buffer(data),
            Owned::Scalar(scalar) => RawArg::Bytes(scalar.bytes()),
        }
    }
}

/// The arguments of a launch as they are gathered, out of reach for users.
pub struct Passed {
    device: Device,
    list: SmallVec<[Owned; 8]>,
    /// How many arguments have been told that the kernel was started.
    finished: usize,
}

impl Passed {
    fn array(&mut self, at: Device, data: Result<Arc<Buffer>>, written: bool) -> Result<()> {
        if at != self.device {
            let here = self.device;
            return Err(Error::device(format!("an array on {at} was given to a kernel on {here}")));
        }
        self.list.push(Owned::Buffer { data: data?, written });
        Ok(())
    }

    /// The buffer of the next argument behind the launch; none for a scalar.
    fn finished(&mut self) -> Option<Arc<Buffer>> {
        let argument = self.list.get(self.finished)?;
        self.finished += 1;
        match argument {
            Owned::Buffer { data, .. } => Some(data.clone()),
            Owned::Scalar(_) => None,
        }
    }

    /// The buffers that are written, or those that are not.
    fn buffers(&self, are_written: bool) -> SmallVec<[&Buffer; 8]> {
        let buffer = |arg| match arg {
            &Owned::Buffer { ref data, written } if written == are_written => Some(&**data),
            _ => None,
        };
        self.list.iter().filter_map(buffer).collect()
    }
}

mod sealed {
    use super::Passed;
    use crate::error::Result;

    pub trait Pass {
        /// Adds the argument to those of a launch.
        fn pass(&mut self, to: &mut Passed) -> Result<()>;
        /// What follows once the kernel was started, argument by argument.
        fn finish(&mut self, from: &mut Passed) -> Result<()> {
            from.finished();
            Ok(())
        }
    }
    pub trait Extents {
        fn extents(&self) -> [usize; 3];
    }
}
use sealed::{Extents, Pass};

/// An argument of a kernel: `&DeviceArray<T>`, `&mut DeviceArray<T>`, a scalar, or an array of the
/// host in [`In`], [`Out`] or [`InOut`].
pub trait RawArgument: Pass {}

/// The arguments of a kernel: a tuple of up to sixteen [`RawArgument`]s.
pub trait RawArguments: Pass {}

/// How many blocks or threads: a number, or two or three of them as a tuple or an array, x first.
pub trait LaunchExtents: Extents {}

impl<T: Element> Pass for &DeviceArray<T> {
    fn pass(&mut self, to: &mut Passed) -> Result<()> {
        to.array(self.device(), self.data(), false)
    }
}
impl<T: Element> RawArgument for &DeviceArray<T> {}

impl<T: Element> Pass for &mut DeviceArray<T> {
    fn pass(&mut self, to: &mut Passed) -> Result<()> {
        let at = self.device();
        to.array(at, self.data_mut(), true)
    }
}
impl<T: Element> RawArgument for &mut DeviceArray<T> {}

impl<A: HostSource + ?Sized> Pass for In<'_, A> {
    fn pass(&mut self, to: &mut Passed) -> Result<()> {
        let array = self.0.upload()?;
        to.array(array.device(), array.data(), false)
    }
}
impl<A: HostSource + ?Sized> RawArgument for In<'_, A> {}

macro_rules! targets {
    ($($name:ident by $make:ident;)*) => {$(
        impl<A: HostTarget + ?Sized> Pass for $name<'_, A> {
            fn pass(&mut self, to: &mut Passed) -> Result<()> {
                let array = self.0.$make()?;
                to.array(array.device(), array.data(), true)
            }

            fn finish(&mut self, from: &mut Passed) -> Result<()> {
                let Some(data) = from.finished() else { return Ok(()) };
                let dtype = <A::Element as Element>::DTYPE;
                let node = Node::shared(data, self.0.lengths(), dtype, from.device);
                self.0.fetch(&DeviceArray::from_node(node))
            }
        }
        impl<A: HostTarget + ?Sized> RawArgument for $name<'_, A> {}
    )*};
}
targets! {
    Out by room;
    InOut by upload;
}

impl<T: Element> Pass for T {
    fn pass(&mut self, to: &mut Passed) -> Result<()> {
        to.list.push(Owned::Scalar(Scalar::new(*self)));
        Ok(())
    }
}
impl<T: Element> RawArgument for T {}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: RawArgument),*> Pass for ($($name,)*) {
            #[allow(non_snake_case, unused_variables)]
            fn pass(&mut self, to: &mut Passed) -> Result<()> {
                let ($($name,)*) = self;
                $($name.pass(to)?;)*
                Ok(())
            }
            #[allow(non_snake_case, unused_variables)]
            fn finish(&mut self, from: &mut Passed) -> Result<()> {
                let ($($name,)*) = self;
                $($name.finish(from)?;)*
                Ok(())
            }
        }
        impl<$($name: RawArgument),*> RawArguments for ($($name,)*) {}
    };
}
tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
tuples!(A B C D E F G H I J K L M);
tuples!(A B C D E F G H I J K L M N);
tuples!(A B C D E F G H I J K L M N O);
tuples!(A B C D E F G H I J K L M N O P);

macro_rules! extents {
    ($($t:ty, $this:ident => $all:expr;)*) => {$(
        impl Extents for $t {
            fn extents(&self) -> [usize; 3] {
                let $this = *self;
                $all
            }
        }
        impl LaunchExtents for $t {}
    )*};
}
extents! {
    usize, n => [n, 1, 1];
    (usize, usize), n => [n.0, n.1, 1];
    (usize, usize, usize), n => [n.0, n.1, n.2];
    [usize; 2], n => [n[0], n[1], 1];
    [usize; 3], n => n;
}
