//! The devices of this machine.

use super::{Backend, cpu, world};
use crate::error::{Error, Result};
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A device that arrays live on and expressions are evaluated on: the processor, or a GPU.
///
/// The default is the first CUDA device whose driver and run-time compiler load, else the
/// processor. The environment variable `LAZULI_DEVICE` (`cpu`, `cuda`, `cuda:1`) overrides it for
/// the process, [`Device::scope`] for a piece of code.
///
/// # Example
/// ```
/// use lazuli::Device;
/// for info in Device::list() {
///     println!("{info}");
/// }
/// assert_eq!(Device::cpu().to_string(), "cpu");
/// ```
///
/// `Mesh` makes devices that are several: arrays of such a device lie over all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device(u16);

/// What sets the numbers of placements apart from those of devices.
const PLACED: u16 = 1 << 15;
/// What sets the numbers of other processes' devices apart.
const ELSEWHERE: u16 = 1 << 14;

/// What is known of a device.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// `cpu`, `cuda:0`, …: the name by which it is chosen.
    pub device: String,
    /// The product's name.
    pub name: String,
    /// The compute capability of a GPU, such as `(9, 0)`.
    pub compute_capability: Option<(u32, u32)>,
    /// Multiprocessors of a GPU; threads of the processor's pool.
    pub multiprocessors: u32,
    /// The memory in bytes; 0 where it is unknown.
    pub memory: u64,
    /// The version of the driver, such as `13.0`.
    pub driver: Option<String>,
    /// The version of the run-time compiler NVRTC.
    pub nvrtc: Option<String>,
    /// The vector instructions in use on the processor.
    pub instructions: Option<String>,
}

/// What arrays have of a device's memory: see [`Device::memory_use`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUse {
    /// The bytes of what is alive: arrays, and what their evaluation needs besides.
    pub in_use: usize,
    /// The most that this has been.
    pub peak: usize,
    /// The bytes that wait to be used again.
    pub cached: usize,
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.device, self.name)?;
        if let Some((major, minor)) = self.compute_capability {
            write!(f, ", compute capability {major}.{minor}")?;
        }
        let unit = if self.compute_capability.is_some() { "multiprocessors" } else { "threads" };
        write!(f, ", {} {unit}", self.multiprocessors)?;
        if self.memory > 0 {
            write!(f, ", {:.1} GiB", self.memory as f64 / (1u64 << 30) as f64)?;
        }
        if let Some(driver) = &self.driver {
            write!(f, ", driver {driver}")?;
        }
        if let Some(nvrtc) = &self.nvrtc {
            write!(f, ", NVRTC {nvrtc}")?;
        }
        if let Some(instructions) = &self.instructions {
            write!(f, ", {instructions}")?;
        }
        Ok(())
    }
}

/// The devices: the processor first, then the GPUs, or why there are none.
struct Registry {
    backends: Vec<Arc<dyn Backend>>,
    cuda: Result<()>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    super::fork::watch();
    let mut backends: Vec<Arc<dyn Backend>> = vec![Arc::new(cpu::Cpu::new())];
    let cuda = match gpus() {
        Ok(devices) => {
            backends.extend(devices);
            Ok(())
        }
        Err(why) => Err(why),
    };
    Registry { backends, cuda }
});

#[cfg(feature = "cuda")]
fn gpus() -> Result<Vec<Arc<dyn Backend>>> {
    super::nvtx::start();
    super::cuda::devices()
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> Result<Vec<Arc<dyn Backend>>> {
    Err(Error::device("this build of Lazuli has no GPUs: its feature `cuda` is off".to_owned()))
}

static DEFAULT: LazyLock<Result<Device>> = LazyLock::new(|| match std::env::var("LAZULI_DEVICE") {
    Ok(name) if !name.is_empty() => name.parse(),
    _ if REGISTRY.backends.len() > 1 => Ok(Device(1)),
    _ => Ok(Device(0)),
});

thread_local! {
    static SCOPE: Cell<Option<Device>> = const { Cell::new(None) };
}

impl Device {
    /// The processor.
    ///
    /// Work is shared by threads of Lazuli's own: as many as the environment variable
    /// `RAYON_NUM_THREADS` says, or as the program may use processors. Arrays may be evaluated from
    /// any thread, tasks of rayon's pools included. A process that is forked after the first array
    /// was made can read what was computed; everything else is an error there
    /// ([`Error::is_device`](crate::error::Error::is_device)).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(Device::cpu().to_string(), "cpu");
    /// ```
    pub fn cpu() -> Device {
        Device(0)
    }

    /// The GPU with the given number.
    ///
    /// # Errors
    /// [`Error::is_device`] where there is no such GPU; the message says what is missing.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// match Device::cuda(0) {
    ///     Ok(gpu) => println!("{}", gpu.info()),
    ///     Err(why) => assert!(why.is_device()),
    /// }
    /// ```
    pub fn cuda(ordinal: usize) -> Result<Device> {
        if let Err(why) = &REGISTRY.cuda {
            return Err(why.clone());
        }
        let count = REGISTRY.backends.len() - 1;
        if ordinal >= count {
            return Err(Error::device(format!(
                "cuda:{ordinal}: this machine has {count} CUDA devices"
            )));
        }
        Ok(Device::numbered(ordinal))
    }

    /// The device that new arrays are made on: that of the innermost [`Device::scope`], else the
    /// process's default.
    ///
    /// # Errors
    /// [`Error::is_device`] where `LAZULI_DEVICE` names a device that is not there.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(Device::cpu().scope(Device::current)?, Device::cpu());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn current() -> Result<Device> {
        match SCOPE.get() {
            Some(device) => Ok(device),
            // A process of a run has a device of its own.
            None => world::joined().map_or_else(|| DEFAULT.clone(), |world| Ok(world.device)),
        }
    }

    /// Runs `f` with this device as the one that new arrays are made on, in this thread.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = Device::cpu().scope(|| DeviceArray::<f32>::zeros([3]));
    /// assert_eq!(a.device(), Device::cpu());
    /// ```
    pub fn scope<R>(self, f: impl FnOnce() -> R) -> R {
        struct Restore(Option<Device>);
        impl Drop for Restore {
            fn drop(&mut self) {
                SCOPE.set(self.0);
            }
        }
        let _restore = Restore(SCOPE.replace(Some(self)));
        f()
    }

    /// Every device of this machine, the processor first.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(Device::list()[0].device, "cpu");
    /// ```
    pub fn list() -> Vec<DeviceInfo> {
        REGISTRY.backends.iter().map(|b| b.info()).collect()
    }

    /// Every device of this machine as a handle, the processor first.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// for device in Device::all() {
    ///     let sum = device.scope(|| DeviceArray::<f64>::ones(4).sum(..).item())?;
    ///     assert_eq!(sum, 4.0);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn all() -> Vec<Device> {
        (0..REGISTRY.backends.len()).map(|k| Device(k as u16)).collect()
    }

    /// What is known of this device.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(Device::cpu().info().multiprocessors > 0);
    /// ```
    pub fn info(self) -> DeviceInfo {
        self.backend().info()
    }

    /// The memory that arrays have of this device, in bytes, over all threads and streams. On a GPU
    /// blocks count with the size classes that they are rounded up to.
    ///
    /// Of CuPy this is the memory pool's `used_bytes` and `free_bytes`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::ones([512, 512]).sqrt();
    /// a.eval()?;
    /// let memory = a.device().memory_use();
    /// assert!(memory.in_use >= 512 * 512 * 8);
    /// assert!(memory.peak >= memory.in_use);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "used_bytes")]
    pub fn memory_use(self) -> MemoryUse {
        self.backend().memory_use()
    }

    /// Whether this is a CUDA device.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert!(!Device::cpu().is_cuda());
    /// ```
    pub fn is_cuda(self) -> bool {
        self.here().0 > 0
    }

    /// The number of this GPU, as the driver counts them; none for the processor.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// assert_eq!(Device::cpu().ordinal(), None);
    /// if let Ok(gpu) = Device::cuda(0) {
    ///     assert_eq!(gpu.ordinal(), Some(0));
    /// }
    /// ```
    pub fn ordinal(self) -> Option<usize> {
        let is_one = !self.is_placed() && !self.is_elsewhere();
        if is_one { (self.0 as usize).checked_sub(1) } else { None }
    }

    /// Gives the memory that the device keeps for later allocations back to the system. Arrays
    /// keep theirs. An allocation that fails does this by itself before it is tried once more.
    ///
    /// # Example
    /// ```
    /// use lazuli::Device;
    /// Device::cpu().release_memory();
    /// ```
    pub fn release_memory(self) {
        self.backend().release_caches();
    }

    /// The GPU with that number, whether it is there or not.
    #[doc(hidden)]
    pub fn numbered(ordinal: usize) -> Device {
        Device(ordinal as u16 + 1)
    }

    /// Whether this is several devices: see [`Device::placement`].
    #[inline(always)]
    #[doc(hidden)]
    pub fn is_placed(self) -> bool {
        self.0 & PLACED != 0
    }

    /// A number that is no other device's.
    #[doc(hidden)]
    pub fn code(self) -> u64 {
        self.0.into()
    }

    /// The number of the placement that this is.
    pub(super) fn placement_number(self) -> Option<usize> {
        self.is_placed().then_some((self.0 & !PLACED) as usize)
    }

    /// The placement with that number.
    pub(super) fn of_placement(number: usize) -> Device {
        Device(number as u16 | PLACED)
    }

    /// The most processes of a run.
    pub(super) const MOST_RANKS: usize = ELSEWHERE as usize;

    /// The device of another process.
    pub(super) fn of_rank(rank: usize) -> Device {
        Device(rank as u16 | ELSEWHERE)
    }

    /// Whether this is the device of another process: nothing is computed there by this one.
    #[inline(always)]
    #[doc(hidden)]
    pub fn is_elsewhere(self) -> bool {
        self.0 & (PLACED | ELSEWHERE) == ELSEWHERE
    }

    /// The process that has the device, if that is another one.
    #[doc(hidden)]
    pub fn rank_elsewhere(self) -> Option<usize> {
        self.is_elsewhere().then_some((self.0 & !ELSEWHERE) as usize)
    }

    /// The first of several devices that this process has, which are all alike; else the device itself.
    #[doc(hidden)]
    pub fn first(self) -> Device {
        self.placement().map_or(self, |placement| placement.devices[placement.own()])
    }

    /// The device whose backend this one has: of several the first, of another process's that of this
    /// one.
    fn here(self) -> Device {
        match self.is_elsewhere() {
            true => world::joined().map_or(Device::cpu(), |world| world.device),
            false => self.first(),
        }
    }

    /// The backend; of several devices that of the first, of another process's that of this one.
    #[inline]
    #[doc(hidden)]
    pub fn backend(self) -> &'static dyn Backend {
        let device = if self.0 & (PLACED | ELSEWHERE) == 0 { self } else { self.here() };
        &*REGISTRY.backends[device.0 as usize]
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(placement) = self.placement() {
            return placement.fmt(f);
        }
        if let Some(rank) = self.rank_elsewhere() {
            return write!(f, "rank {rank}");
        }
        match self.0 {
            0 => f.write_str("cpu"),
            k => write!(f, "cuda:{}", k - 1),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

impl std::str::FromStr for Device {
    type Err = Error;

    /// Parses `cpu`, `cuda` or `cuda:1`.
    fn from_str(name: &str) -> Result<Device> {
        match name.split_once(':') {
            None if name == "cpu" => Ok(Device::cpu()),
            None if name == "cuda" => Device::cuda(0),
            Some(("cuda", number)) => match number.parse() {
                Ok(ordinal) => Device::cuda(ordinal),
                Err(_) => Err(unknown(name)),
            },
            _ => Err(unknown(name)),
        }
    }
}

fn unknown(name: &str) -> Error {
    Error::device(format!("{name:?} is not a device: cpu, cuda and cuda:K are"))
}
