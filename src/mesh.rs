//! Arrays over several devices.
//!
//! A [`Mesh`] is several devices that work on one array together: the GPUs of this machine, shares of
//! the processor, or the devices of several processes, one each. Its placements are [`Device`]s: [`Mesh::shard`] cuts arrays along an axis, of
//! which each device has a block of rows; [`Mesh::replicate`] gives each device all of an array. From
//! then on a program is written as for one device. Each operation says where its result lies, and
//! what a block needs of its neighbours is moved: halos of a stencil, parts of a sum, nothing for
//! arithmetic.
//!
//! ```
//! use lazuli::{Mesh, prelude::*};
//! let mesh = Mesh::processors(4)?; // or `Mesh::local(4)`: four GPUs
//! let mut u = DeviceArray::<f64>::zeros_on(mesh.shard(0), [64, 64]);
//! u.assign(s![0, ..], 1.0);
//! for _ in 0..10 {
//!     u = 0.25 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1));
//!     u.eval()?;
//! }
//! assert_eq!(u.sharding().unwrap().axis(), Some(0));
//! assert!((u.sum(..).item()? - 64.0).abs() < 1e-12);
//! # Ok::<(), Error>(())
//! ```
//!
//! - **Nothing is gathered silently.** Arrays that are cut along different axes, or that live on one
//!   device and on several, are no arguments of one operation: the error names both. Only what each
//!   device has whole goes with what is cut. An operation without a form over several devices is an
//!   error at evaluation that says so; [`gather`](DeviceArray::gather) takes an array to one device,
//!   [`to`](DeviceArray::to) cuts it along another axis.
//! - **Blocks** follow from the axis' length and the number of devices. Lengths need not divide, and a
//!   block may be empty.
//! - **The same bits for any number of devices** have what moves elements, and reductions and scans
//!   along the axis that is cut: they are taken by chunks whose length follows from the axis alone, in
//!   [strict](crate::Arithmetic::Strict) arithmetic, in another order than on one device without a
//!   mesh. [`with_arithmetic`](crate::with_arithmetic)`(Arithmetic::Fast, …)` is faster, for who does
//!   not care. Sums along other axes are as [`Arithmetic`](crate::Arithmetic) has them, in an order of
//!   each device's plan, and the same in `Strict`. Libraries' products, transforms and factorisations
//!   may differ in the last bits where a block has another shape.
//!
//! | operation | what is moved |
//! | --- | --- |
//! | elementwise, broadcast, users' functions, reductions, scans, sorts and transforms over other axes, batches of matrices | nothing |
//! | slices, rolls, pads, windows, assignments along the cut axis | the rows that a block needs of its neighbours |
//! | reductions over the cut axis, inner products, counts | a result for each chunk |
//! | scans along the cut axis | a total for each chunk |
//! | products: rows × whole, whole × columns, batches; along the inner axis | nothing; a product for each device |
//! | products of rows × rows, rows × columns, columns × columns | the blocks of one side, one after another |
//! | `take` from what each device has, along other axes | nothing |
//! | `take`, `take_along_axis` along the cut axis | positions to all, from each as many elements as there are positions |
//! | `put`, `scatter_add` and others along the cut axis | positions and values to all |
//! | `to(mesh.shard(other))` | each block's parts, to all |
//! | Fourier transforms and sorts along the cut axis, where there is another | the same, there and back |
//! | sorts of arrays of one axis, which are evaluated at once | samples; each element twice at most |
//! | `nonzero`, `extract`, `compress`, which count what a mask selects | a count from each, then each position once, and elements as by `take` |
//! | `unique` and what treats arrays as sets | a sort of one axis, and a selection |
//! | loops as nodes, whose turns are computed at once | what a turn moves |
//! | one system or decomposition | an error that says so |

use crate::array::{DeviceArray, IntoShape, checked_new, located, over};
use crate::backend::Device;
use crate::backend::placement::{Layout, bounds, in_words};
use crate::backend::world;
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result};
use std::borrow::Borrow;
use std::fmt;

/// Several devices that work on one array together.
///
/// Two meshes of the same devices are the same.
///
/// # Example
/// ```
/// use lazuli::{Mesh, prelude::*};
/// let mesh = Mesh::processors(3)?;
/// let a = DeviceArray::<f64>::arange_to(10.0).to(mesh.shard(0))?;
/// let lengths: Vec<_> = a.shards()?.iter().map(|block| block.len()).collect();
/// assert_eq!(lengths, [3, 3, 4]);
/// assert_eq!(a.sum(..).item()?, 45.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mesh {
    /// The placement that gives each device all.
    whole: Device,
}

impl Mesh {
    /// The first `count` GPUs of this machine.
    ///
    /// # Errors
    /// [`Error::is_device`] where there are fewer, [`Error::is_shape`] where `count` is 0.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// match Mesh::local(2) {
    ///     Ok(mesh) => println!("{mesh}"),
    ///     Err(why) => assert!(why.is_device()),
    /// }
    /// ```
    pub fn local(count: usize) -> Result<Mesh> {
        let devices: Vec<Device> = (0..count).map(Device::cuda).collect::<Result<_>>()?;
        Mesh::of(&devices)
    }

    /// So many shares of the processor: for tests, and for programs that run on one machine with
    /// GPUs and on another without.
    ///
    /// # Errors
    /// [`Error::is_shape`] where `shares` is 0.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// assert_eq!(Mesh::processors(2)?.len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn processors(shares: usize) -> Result<Mesh> {
        Mesh::of(&vec![Device::cpu(); shares])
    }

    /// All processes of a run, each with one device: `torchrun`, `srun` or `mpiexec` starts them, and
    /// each records the same program. Without a launcher the process is alone, on the device that it
    /// has.
    ///
    /// With GPUs each process takes the one whose number is its own within the host, and data goes by
    /// NCCL (`libnccl.so.2`, or the file that `LAZULI_NCCL` names). Without, or with
    /// `LAZULI_DEVICE=cpu`, it goes by MPI (`libmpi_abi.so` of MPICH 5 or another library with the
    /// standard's binary interface: the one beside `mpiexec`, the loader's, or that of `LAZULI_MPI`).
    /// From then on new arrays of the process are made on its device.
    ///
    /// The guide [many devices](crate::guide::many_devices) shows how programs are started, and what
    /// processes have to have in common. JAX: `jax.distributed.initialize`; PyTorch:
    /// `init_process_group`.
    ///
    /// # Errors
    /// [`Error::is_device`] where the launcher's variables make no sense, a library is missing, there
    /// is no GPU left for the process, or the processes do not come together within 30 s. Later, where
    /// one process fails or ends, what all others evaluate over the run is an error that names it.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let mesh = Mesh::world()?;
    /// let a = DeviceArray::<f64>::ones_on(mesh.shard(0), [1000, 3]);
    /// let sum = a.sum(..).item()?; // the same in each process
    /// if mesh.rank() == 0 {
    ///     println!("{sum} over {} processes", mesh.len());
    /// }
    /// assert_eq!(sum, 3000.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "distributed")]
    #[doc(alias = "init_process_group")]
    pub fn world() -> Result<Mesh> {
        let world = world::enter()?;
        Ok(Mesh { whole: Device::placed(&world.devices(), Layout::Whole) })
    }

    /// The number of this process among those that have the shares; 0 where it has them all.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// assert_eq!(Mesh::processors(2)?.rank(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.whole.placement().expect("a mesh is a placement").own()
    }

    /// The given devices, all GPUs or all the processor. One that comes several times has as many
    /// shares.
    ///
    /// # Errors
    /// [`Error::is_shape`] for no devices, [`Error::is_device`] for devices of both kinds, for those
    /// that are several themselves, and for those of other processes.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let mesh = Mesh::of(&[Device::cpu(), Device::cpu()])?;
    /// assert_eq!(mesh, Mesh::processors(2)?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn of(devices: &[Device]) -> Result<Mesh> {
        let Some(first) = devices.first() else {
            return Err(Error::shape("a mesh has at least one device"));
        };
        if let Some(other) = devices.iter().find(|device| device.is_elsewhere()) {
            return Err(Error::device(format!(
                "the device of {other} is another process's: `Mesh::world` is the mesh of all processes"
            )));
        }
        if let Some(several) = devices.iter().find(|device| device.is_placed()) {
            return Err(Error::device(format!(
                "a mesh is made of single devices, not of {several}"
            )));
        }
        if let Some(other) = devices.iter().find(|device| device.is_cuda() != first.is_cuda()) {
            return Err(Error::device(format!(
                "a mesh is of GPUs or of the processor, not of {first} and {other}"
            )));
        }
        Ok(Mesh { whole: Device::placed(devices, Layout::Whole) })
    }

    /// The placement of arrays that are cut along an axis: each device has a block of rows.
    ///
    /// An array with too few axes is refused where it is placed. In the placement's
    /// [`scope`](Device::scope) arrays of the host are cut on their way; what is made of numbers alone
    /// (`zeros`, `arange`, draws) is whole there, costs nothing, and lies as whatever it meets.
    ///
    /// JAX: `NamedSharding(mesh, PartitionSpec(…))`.
    ///
    /// # Panics
    /// Where the axis is 255 or more.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let mesh = Mesh::processors(2)?;
    /// let a = DeviceArray::<f32>::ones_on(mesh.shard(1), [3, 8]);
    /// assert_eq!(a.shards()?[0].shape(), [3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn shard(&self, axis: usize) -> Device {
        assert!(axis < 255, "shard: no array has an axis {axis}");
        self.whole.with_layout(Layout::Along(axis as u8))
    }

    /// The placement of arrays of which each device has all.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let mesh = Mesh::processors(2)?;
    /// let x = DeviceArray::<f64>::ones_on(mesh.shard(0), [4, 3]);
    /// let row = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?.to(mesh.replicate())?;
    /// assert_eq!((x * row).sum(..).item()?, 24.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn replicate(&self) -> Device {
        self.whole
    }

    /// The devices, one for each share; another process's is shown as its rank.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// assert_eq!(Mesh::processors(2)?.devices(), [Device::cpu(); 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn devices(&self) -> &'static [Device] {
        self.whole.placement().expect("a mesh is a placement").devices
    }

    /// The number of shares.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// assert_eq!(Mesh::processors(5)?.len(), 5);
    /// # Ok::<(), Error>(())
    /// ```
    #[allow(clippy::len_without_is_empty)] // There is always one.
    pub fn len(&self) -> usize {
        self.devices().len()
    }

    /// The rows of each share's block of an axis of length `n`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// assert_eq!(Mesh::processors(2)?.blocks(5), [0..2, 2..5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn blocks(&self, n: usize) -> Vec<std::ops::Range<usize>> {
        let at = bounds(n, self.len());
        (0..self.len()).map(|k| at(k)..at(k + 1)).collect()
    }
}

impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_words(self.devices()))
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mesh({self})")
    }
}

/// How an array lies over the devices of a mesh: see [`DeviceArray::sharding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharding {
    mesh: Mesh,
    layout: Layout,
}

impl Sharding {
    /// The devices.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let mesh = Mesh::processors(2)?;
    /// let a = DeviceArray::<f64>::ones_on(mesh.shard(0), 8);
    /// assert_eq!(a.sharding().unwrap().mesh(), mesh);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mesh(&self) -> Mesh {
        self.mesh
    }

    /// The axis along which the array is cut; none where each device has all of it.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let a = DeviceArray::<f64>::ones_on(Mesh::processors(2)?.shard(0), [8, 3]);
    /// assert_eq!(a.t().sharding().unwrap().axis(), Some(1));
    /// assert_eq!(a.sum(0).sharding().unwrap().axis(), None);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn axis(&self) -> Option<usize> {
        match self.layout {
            Layout::Along(axis) => Some(axis as usize),
            Layout::Whole | Layout::Nowhere => None,
        }
    }

    /// Whether the array can be computed over the devices: what an operation without such a form gives
    /// cannot.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let a = DeviceArray::<f64>::eye(8).to(Mesh::processors(2)?.shard(0))?;
    /// let inverse = a.inverse();
    /// assert!(a.sharding().unwrap().is_possible() && !inverse.sharding().unwrap().is_possible());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_possible(&self) -> bool {
        self.layout != Layout::Nowhere
    }
}

impl fmt::Display for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mesh.whole.with_layout(self.layout))
    }
}

impl<T: Element> DeviceArray<T> {
    checked_new! {
        /// An array on a device or over several, filled with one value.
        ///
        /// **Shape.** As given. NumPy: `full`; JAX: `full(…, device=…)`.
        example
        /// ```
        /// use lazuli::{Mesh, prelude::*};
        /// let mesh = Mesh::processors(2)?;
        /// let a = DeviceArray::full_on(mesh.shard(0), [2, 3], 1.5f64);
        /// assert_eq!(a.sum(..).item()?, 9.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn full_on | try_full_on(device: impl Borrow<Device>, shape: impl IntoShape, value: T) {
            over::full(*device.borrow(), shape.lengths(), Scalar::new(value))
        }

        /// An array of zeros (`false` for `bool`) on a device or over several.
        ///
        /// **Shape.** As given. NumPy: `zeros`; JAX: `zeros(…, device=…)`.
        example
        /// ```
        /// use lazuli::{Mesh, prelude::*};
        /// let a = DeviceArray::<f32>::zeros_on(Mesh::processors(2)?.shard(0), [4, 4]);
        /// assert_eq!(a.shards()?[1].shape(), [2, 4]);
        /// # Ok::<(), Error>(())
        /// ```
        fn zeros_on | try_zeros_on(device: impl Borrow<Device>, shape: impl IntoShape) {
            over::full(*device.borrow(), shape.lengths(), Scalar::new(T::default()))
        }

        /// An array of ones (`true` for `bool`) on a device or over several.
        ///
        /// **Shape.** As given. NumPy: `ones`; JAX: `ones(…, device=…)`.
        example
        /// ```
        /// use lazuli::{Mesh, prelude::*};
        /// let a = DeviceArray::<i64>::ones_on(Mesh::processors(2)?.shard(0), 5);
        /// assert_eq!(a.cumsum(0).to_vec()?, [1, 2, 3, 4, 5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn ones_on | try_ones_on(device: impl Borrow<Device>, shape: impl IntoShape) {
            over::full(*device.borrow(), shape.lengths(), Scalar::from_f64(T::DTYPE, 1.0))
        }
    }

    /// How the array lies over several devices; none where it lives on one.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let a = DeviceArray::<f64>::ones_on(Mesh::processors(2)?.shard(0), [8, 3]);
    /// let sharding = (&a + 1.0).sharding().unwrap();
    /// assert_eq!(sharding.to_string(), "cut along axis 0 over 2 shares of cpu");
    /// assert!(a.gather()?.sharding().is_none());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sharding(&self) -> Option<Sharding> {
        let device = self.device();
        let layout = device.placement()?.layout;
        Some(Sharding { mesh: Mesh { whole: device.with_layout(Layout::Whole) }, layout })
    }

    /// The whole array on one device, the first of those that it lies over; an array of one device as
    /// it is. Of several processes each has it then on its own device.
    ///
    /// **Laziness.** Evaluates and copies. JAX: `device_get`, `jax.lax.all_gather`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let a = DeviceArray::<i32>::arange_to(5).to(Mesh::processors(2)?.shard(0))?;
    /// let all = a.gather()?;
    /// assert_eq!((all.device(), all.to_vec()?), (Device::cpu(), vec![0, 1, 2, 3, 4]));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "all_gather")]
    #[track_caller]
    pub fn gather(&self) -> Result<DeviceArray<T>> {
        self.to(self.device().first())
    }

    /// The block of each share that this process has, on the share's device; of an array on one device
    /// that array.
    ///
    /// **Laziness.** Evaluates; copies nothing. JAX: `addressable_shards`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let a = DeviceArray::<i32>::arange_to(5).to(Mesh::processors(2)?.shard(0))?;
    /// let blocks = a.shards()?;
    /// assert_eq!(blocks[0].to_vec()?, [0, 1]);
    /// assert_eq!(blocks[1].to_vec()?, [2, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "addressable_shards")]
    #[track_caller]
    pub fn shards(&self) -> Result<Vec<DeviceArray<T>>> {
        if !self.device().is_placed() {
            self.eval()?;
            return Ok(vec![self.clone()]);
        }
        let blocks = located(over::blocks(self.node()))?.into_iter();
        let own = blocks.filter(|block| !block.device.is_elsewhere());
        Ok(own.map(DeviceArray::from_node).collect())
    }

    /// This process's block, where it has one share of the array; of an array on one device that array.
    ///
    /// **Laziness.** Evaluates; copies nothing. PyTorch: `DTensor.to_local`.
    ///
    /// # Errors
    /// As [`lazuli::eval`](crate::eval); [`Error::is_device`] where the process has several shares:
    /// [`shards`](DeviceArray::shards) gives each.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let mesh = Mesh::world()?;
    /// let rows = mesh.blocks(5)[mesh.rank()].clone();
    /// let a = DeviceArray::<i32>::arange_to(5).to(mesh.shard(0))?;
    /// assert_eq!(a.local()?.len(), rows.len());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn local(&self) -> Result<DeviceArray<T>> {
        let mut blocks = self.shards()?;
        match blocks.len() {
            1 => Ok(blocks.remove(0)),
            count => located(Err(Error::device(format!(
                "local: this process has {count} shares of the array; `shards` gives each"
            )))),
        }
    }
}
