//! Singular value decompositions of many small matrices in one call: the batched Jacobi routine of
//! cuSOLVER.

use super::sizes::mode;
use super::solver::{NO_SINGULAR_VALUES, Solver, check, copy, report};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::library::factor::{Factor, Task, Vectors};
use cudarc::cusolver::sys;
use std::ptr::{null, null_mut};

/// A batch of decompositions.
pub(super) struct Jacobi {
    device: &'static CudaDevice,
    solver: &'static Solver,
    call: Factor,
    /// How exact the routine is: as the type allows, unless it is told otherwise.
    parameters: sys::gesvdjInfo_t,
    /// The elements of work space on the device.
    workspace: i32,
}

// SAFETY: the parameters are any thread's to use, one at a time, which `Turn` sees to.
unsafe impl Send for Jacobi {}
// SAFETY: as above.
unsafe impl Sync for Jacobi {}

/// Runs one of the four routines of a name.
macro_rules! of_type {
    ($dtype:expr, [$s:ident, $d:ident, $c:ident, $z:ident], $run:ident) => {
        match $dtype {
            DType::F32 => $run!($s, f32, f32),
            DType::F64 => $run!($d, f64, f64),
            DType::C64 => $run!($c, sys::cuComplex, f32),
            _ => $run!($z, sys::cuDoubleComplex, f64),
        }
    };
}

impl Jacobi {
    pub(super) fn new(
        device: &'static CudaDevice,
        solver: &'static Solver,
        call: &Factor,
    ) -> Result<Jacobi> {
        let mut parameters = null_mut();
        // SAFETY: the pointer is to a live handle.
        check(call.name, unsafe { sys::cusolverDnCreateGesvdjInfo(&mut parameters) })?;
        let mut own = Jacobi { device, solver, call: call.clone(), parameters, workspace: 0 };
        own.workspace = own.workspace()?;
        Ok(own)
    }

    fn mode(&self) -> sys::cusolverEigMode_t {
        mode(self.call.task != Task::Svd(Vectors::None))
    }

    fn workspace(&self) -> Result<i32> {
        let Factor { name, dtype, batch, m, n, .. } = self.call;
        let (m, n, mut elements) = (m as i32, n as i32, 0);
        macro_rules! run {
            ($f:ident, $t:ty, $r:ty) => {
                sys::$f(
                    self.solver.handle,
                    self.mode(),
                    m,
                    n,
                    null(),
                    m,
                    null(),
                    null(),
                    m,
                    null(),
                    n,
                    &mut elements,
                    self.parameters,
                    batch as i32,
                )
            };
        }
        // SAFETY: the handles are alive, and no matrix is read or written here.
        let status = unsafe {
            of_type!(
                dtype,
                [
                    cusolverDnSgesvdjBatched_bufferSize,
                    cusolverDnDgesvdjBatched_bufferSize,
                    cusolverDnCgesvdjBatched_bufferSize,
                    cusolverDnZgesvdjBatched_bufferSize
                ],
                run
            )
        };
        check(name, status)?;
        Ok(elements.max(0))
    }
}

impl LibraryCall for Jacobi {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let (call, device) = (&self.call, self.device);
        device.bind()?;
        let bytes = call.batch * call.m * call.n * call.dtype.size();
        let info = device.allocate(4 * call.batch)?;
        let matrices = device.allocate(bytes)?;
        let workspace = device.allocate(self.workspace as usize * call.dtype.size())?;
        copy(device, inputs[0].address(), matrices.address(), bytes)?;
        let (m, n) = (call.m as i32, call.n as i32);
        // The routine writes vectors even where none are asked for.
        let unwanted = match outputs.len() {
            1 => {
                let square = |n: usize| device.allocate(call.batch * n * n * call.dtype.size());
                Some([square(call.m)?, square(call.n)?])
            }
            _ => None,
        };
        let (values, u, v) = match (outputs, &unwanted) {
            ([values], Some([u, v])) => (*values, u, v),
            ([u, values, v, ..], _) => (*values, *u, *v),
            _ => unreachable!("a decomposition has one output or three"),
        };
        macro_rules! run {
            ($f:ident, $t:ty, $r:ty) => {
                sys::$f(
                    self.solver.handle,
                    self.mode(),
                    m,
                    n,
                    matrices.address() as *mut $t,
                    m,
                    values.address() as *mut $r,
                    u.address() as *mut $t,
                    m,
                    v.address() as *mut $t,
                    n,
                    workspace.address() as *mut $t,
                    self.workspace,
                    info.address() as *mut i32,
                    self.parameters,
                    call.batch as i32,
                )
            };
        }
        // SAFETY: the buffers are as large as the call says, and the stream orders their release
        // after it.
        let status = unsafe {
            of_type!(
                call.dtype,
                [
                    cusolverDnSgesvdjBatched,
                    cusolverDnDgesvdjBatched,
                    cusolverDnCgesvdjBatched,
                    cusolverDnZgesvdjBatched
                ],
                run
            )
        };
        check(call.name, status)?;
        report(device, call, &info, Some(NO_SINGULAR_VALUES))
    }

    fn describe(&self) -> String {
        "cuSOLVER, batched".to_owned()
    }
}

impl Drop for Jacobi {
    fn drop(&mut self) {
        // SAFETY: the parameters were made once and are given back once.
        unsafe { sys::cusolverDnDestroyGesvdjInfo(self.parameters) };
    }
}
