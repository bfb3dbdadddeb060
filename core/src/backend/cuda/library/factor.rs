//! Factorisations on NVIDIA GPUs: cuSOLVER.

use super::batched::batched;
use super::sizes::{UPPER, complex, job, mode, sizes};
use super::solver::{
    Blas, NO_SINGULAR_VALUES, Solver, check, check_blas, copy, data_type, has_solver, report,
};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{Complex, DType, Scalar};
use crate::error::{Error, Result};
use crate::library::factor::{Factor, Task, Vectors};
use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ptr::null_mut;

/// A factorisation with everything of its calls but addresses.
struct Call {
    device: &'static CudaDevice,
    solver: &'static Solver,
    call: Factor,
    /// The bytes of work space on the device.
    workspace: usize,
    /// The work space on the host.
    host: Mutex<Vec<u8>>,
}

/// Makes a factorisation ready.
pub(super) fn factor(device: &'static CudaDevice, call: &Factor) -> Result<Box<dyn LibraryCall>> {
    if let Task::Triangular { .. } = call.task {
        return Ok(Box::new(Triangular {
            device,
            blas: device.handles().blas(device)?,
            call: call.clone(),
        }));
    }
    if let Some(call) = batched(device, call)? {
        return Ok(call);
    }
    let solver = device.handles().solver(device)?;
    if matches!(call.task, Task::Eig { .. }) && !has_solver(b"cusolverDnXgeev") {
        let name = call.name;
        return Err(Error::unsupported(format!(
            "{name}: needs the cuSOLVER of CUDA 12.6 or later"
        )));
    }
    let (workspace, host) = sizes(solver, call)?;
    let host = Mutex::new(vec![0; host]);
    Ok(Box::new(Call { device, solver, call: call.clone(), workspace, host }))
}

/// The addresses of one position of the batch.
struct Places {
    /// The matrix, and the right-hand sides.
    inputs: [u64; 2],
    outputs: [u64; 3],
    /// The matrix's copy, which is overwritten.
    copy: u64,
    /// The permutation, or the factors of the reflections.
    extra: u64,
    workspace: u64,
    info: u64,
}

impl LibraryCall for Call {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let (call, device) = (&self.call, self.device);
        device.bind()?;
        let size = call.dtype.size();
        let matrix = call.m * call.n * size;
        // One copy serves the whole batch, in stream order; so does the rest.
        let copy = device.allocate(matrix.max(call.m * call.basis() * size))?;
        let extra = device.allocate(call.n.max(call.m) * size.max(8) + 16)?;
        let workspace = device.allocate(self.workspace)?;
        let info = device.allocate(4 * call.batch)?;
        let mut host = self.host.lock();
        for k in 0..call.batch {
            let mut at = Places {
                inputs: [0; 2],
                outputs: [0; 3],
                copy: copy.address(),
                extra: extra.address(),
                workspace: workspace.address(),
                info: info.address() + 4 * k as u64,
            };
            let operands = [matrix, call.n * call.k * size];
            for ((place, buffer), bytes) in at.inputs.iter_mut().zip(inputs).zip(operands) {
                *place = buffer.address() + (bytes * k) as u64;
            }
            let own = call.outputs();
            for ((place, buffer), (len, dtype)) in at.outputs.iter_mut().zip(outputs).zip(own) {
                *place = buffer.address() + (len / call.batch * dtype.size() * k) as u64;
            }
            self.one(&at, &mut host)?;
        }
        report(device, call, &info, self.reason())
    }

    fn describe(&self) -> String {
        "cuSOLVER".to_owned()
    }
}

/// A matrix that the library is given, with its work space.
struct Matrix {
    m: i64,
    n: i64,
    /// The types of the elements and of their components.
    own: sys::cudaDataType,
    real: sys::cudaDataType,
    a: *mut c_void,
    work: *mut c_void,
    bytes: usize,
    host: *mut c_void,
    host_bytes: usize,
    /// The report.
    info: *mut i32,
}

impl Call {
    /// What a positive report means.
    fn reason(&self) -> Option<&'static str> {
        match self.call.task {
            Task::Solve => Some("is singular"),
            Task::Cholesky => Some("is not positive definite"),
            Task::Svd(_) => Some(NO_SINGULAR_VALUES),
            Task::Eigh { .. } | Task::Eig { .. } => {
                Some("has no eigenvalues: the iteration does not converge")
            }
            _ => None,
        }
    }

    /// One matrix.
    fn one(&self, at: &Places, host: &mut [u8]) -> Result<()> {
        let call = &self.call;
        // What is factorised in place goes straight to the output.
        let place = match call.task {
            Task::Lu | Task::Cholesky => at.outputs[0],
            Task::Qr { .. } => at.outputs[1],
            Task::Eigh { vectors: true } => at.outputs[1],
            _ => at.copy,
        };
        copy(self.device, at.inputs[0], place, call.m * call.n * call.dtype.size())?;
        let matrix = Matrix {
            m: call.m as i64,
            n: call.n as i64,
            own: data_type(call.dtype),
            real: data_type(call.dtype.real()),
            a: place as *mut c_void,
            work: at.workspace as *mut c_void,
            bytes: self.workspace,
            host: host.as_mut_ptr().cast(),
            host_bytes: host.len(),
            info: at.info as *mut i32,
        };
        match call.task {
            Task::Solve => self.solve(&matrix, at),
            Task::Lu => self.lu(&matrix, at.outputs[1] as *mut i64),
            Task::Cholesky => self.cholesky(&matrix),
            Task::Qr { .. } => self.qr(&matrix, at),
            Task::Svd(vectors) => self.svd(&matrix, vectors, at),
            Task::Eigh { vectors } => self.eigh(&matrix, vectors, at),
            Task::Eig { vectors } => self.eig(&matrix, vectors, at),
            Task::Triangular { .. } => unreachable!("cuBLAS solves triangles"),
        }
    }

    /// Factorises in place.
    fn lu(&self, matrix: &Matrix, pivots: *mut i64) -> Result<()> {
        let &Solver { handle, params } = self.solver;
        let &Matrix { n, own, a, work, bytes, host, host_bytes, info, .. } = matrix;
        // SAFETY: the buffers are as large as the call says, and the stream orders their release
        // after it.
        let status = unsafe {
            sys::cusolverDnXgetrf(
                handle, params, n, n, own, a, n, pivots, own, work, bytes, host, host_bytes, info,
            )
        };
        check(self.call.name, status)
    }

    /// Factorises, and solves for the right-hand sides.
    fn solve(&self, matrix: &Matrix, at: &Places) -> Result<()> {
        let call = &self.call;
        let &Solver { handle, params } = self.solver;
        let &Matrix { n, own, a, .. } = matrix;
        let pivots = at.extra as *mut i64;
        self.lu(matrix, pivots)?;
        copy(self.device, at.inputs[1], at.outputs[0], call.n * call.k * call.dtype.size())?;
        // The report of this second step stays apart from the first one's.
        let second = (at.extra + 8 * call.n as u64) as *mut i32;
        let transposed = sys::cublasOperation_t::CUBLAS_OP_T;
        let (b, k) = (at.outputs[0] as *mut c_void, call.k as i64);
        // SAFETY: as in `lu`.
        let status = unsafe {
            sys::cusolverDnXgetrs(
                handle, params, transposed, n, k, own, a, n, pivots, own, b, n, second,
            )
        };
        check(call.name, status)
    }

    /// Factorises in place.
    fn cholesky(&self, matrix: &Matrix) -> Result<()> {
        let &Solver { handle, params } = self.solver;
        let &Matrix { n, own, a, work, bytes, host, host_bytes, info, .. } = matrix;
        // SAFETY: as in `lu`.
        let status = unsafe {
            sys::cusolverDnXpotrf(
                handle, params, UPPER, n, own, a, n, own, work, bytes, host, host_bytes, info,
            )
        };
        check(self.call.name, status)
    }

    /// Factorises in place, and makes the basis.
    fn qr(&self, matrix: &Matrix, at: &Places) -> Result<()> {
        let call = &self.call;
        let &Solver { handle, params } = self.solver;
        let &Matrix { m, n, own, a, work, bytes, host, host_bytes, info, .. } = matrix;
        let factors = at.extra as *mut c_void;
        // SAFETY: as in `lu`.
        let status = unsafe {
            sys::cusolverDnXgeqrf(
                handle, params, m, n, own, a, m, own, factors, own, work, bytes, host, host_bytes,
                info,
            )
        };
        check(call.name, status)?;
        let columns = call.basis().min(call.n);
        copy(self.device, a as u64, at.outputs[0], call.m * columns * call.dtype.size())?;
        self.basis(at)
    }

    /// Singular values, and vectors where they are wanted.
    fn svd(&self, matrix: &Matrix, vectors: Vectors, at: &Places) -> Result<()> {
        let &Solver { handle, params } = self.solver;
        let &Matrix { m, n, own, real, a, work, bytes, host, host_bytes, info } = matrix;
        let (job, output) = (job(vectors), |k: usize| at.outputs[k] as *mut c_void);
        let (values, u, v) = match vectors {
            Vectors::None => (output(0), null_mut(), null_mut()),
            _ => (output(1), output(0), output(2)),
        };
        // SAFETY: as in `lu`.
        let status = unsafe {
            sys::cusolverDnXgesvd(
                handle, params, job, job, m, n, own, a, m, real, values, own, u, m, own, v, n, own,
                work, bytes, host, host_bytes, info,
            )
        };
        check(self.call.name, status)
    }

    /// Eigenvalues of a Hermitian matrix, and vectors in its place where they are wanted.
    fn eigh(&self, matrix: &Matrix, vectors: bool, at: &Places) -> Result<()> {
        let &Solver { handle, params } = self.solver;
        let &Matrix { n, own, real, a, work, bytes, host, host_bytes, info, .. } = matrix;
        let (mode, values) = (mode(vectors), at.outputs[0] as *mut c_void);
        // SAFETY: as in `lu`.
        let status = unsafe {
            sys::cusolverDnXsyevd(
                handle, params, mode, UPPER, n, own, a, n, real, values, own, work, bytes, host,
                host_bytes, info,
            )
        };
        check(self.call.name, status)
    }

    /// Eigenvalues of any matrix, and vectors where they are wanted.
    fn eig(&self, matrix: &Matrix, vectors: bool, at: &Places) -> Result<()> {
        let dtype = self.call.dtype;
        let &Solver { handle, params } = self.solver;
        let &Matrix { n, own, a, work, bytes, host, host_bytes, info, .. } = matrix;
        let (no, mode, kind) = (mode(false), mode(vectors), data_type(complex(dtype)));
        let values = at.outputs[0] as *mut c_void;
        let right = if vectors { at.outputs[1] as *mut c_void } else { null_mut() };
        // SAFETY: as in `lu`.
        let status = unsafe {
            sys::cusolverDnXgeev(
                handle,
                params,
                no,
                mode,
                n,
                own,
                a,
                n,
                kind,
                values,
                own,
                null_mut(),
                n,
                own,
                right,
                n,
                own,
                work,
                bytes,
                host,
                host_bytes,
                info,
            )
        };
        check(self.call.name, status)?;
        // Real matrices give real vectors, two for a pair of complex ones, in the first half of the
        // output.
        if vectors && !dtype.is_complex() { self.unpack(at) } else { Ok(()) }
    }

    /// Makes the basis `Q` of the reflections that stand in its place.
    fn basis(&self, at: &Places) -> Result<()> {
        let call = &self.call;
        let (m, q, k) = (call.m as i32, call.basis() as i32, call.m.min(call.n) as i32);
        let (handle, size) = (self.solver.handle, (self.workspace / call.dtype.size()) as i32);
        let (a, factors, work) = (at.outputs[0], at.extra, at.workspace);
        let info = at.info as *mut i32;
        macro_rules! basis {
            ($f:ident, $t:ty) => {
                sys::$f(
                    handle,
                    m,
                    q,
                    k,
                    a as *mut $t,
                    m,
                    factors as *const $t,
                    work as *mut $t,
                    size,
                    info,
                )
            };
        }
        // SAFETY: the buffers are as large as the call says, and the stream orders their release
        // after it.
        let status = unsafe {
            match call.dtype {
                DType::F32 => basis!(cusolverDnSorgqr, f32),
                DType::F64 => basis!(cusolverDnDorgqr, f64),
                DType::C64 => basis!(cusolverDnCungqr, sys::cuComplex),
                _ => basis!(cusolverDnZungqr, sys::cuDoubleComplex),
            }
        };
        check(call.name, status)
    }

    /// Takes the eigenvectors of a real matrix apart, on the host: where two eigenvalues are
    /// conjugate, the first column is the real part of both vectors, the second the imaginary one
    /// of the first.
    fn unpack(&self, at: &Places) -> Result<()> {
        match self.call.dtype {
            DType::F32 => self.unpack_as::<f32>(at),
            _ => self.unpack_as::<f64>(at),
        }
    }

    fn unpack_as<T: Copy + Default + std::ops::Neg<Output = T> + PartialOrd>(
        &self,
        at: &Places,
    ) -> Result<()> {
        let n = self.call.n;
        let mut values = vec![Complex::new(T::default(), T::default()); n];
        let mut packed = vec![T::default(); n * n];
        self.fetch(at.outputs[0], &mut values)?;
        self.fetch(at.outputs[1], &mut packed)?;
        let mut vectors = vec![Complex::new(T::default(), T::default()); n * n];
        let mut j = 0;
        while j < n {
            let pair = values[j].im != T::default() && j + 1 < n;
            for i in 0..n {
                let re = packed[j * n + i];
                if pair {
                    let im = packed[(j + 1) * n + i];
                    vectors[j * n + i] = Complex::new(re, im);
                    vectors[(j + 1) * n + i] = Complex::new(re, -im);
                } else {
                    vectors[j * n + i] = Complex::new(re, T::default());
                }
            }
            j += if pair { 2 } else { 1 };
        }
        // SAFETY: complex numbers are plain old data.
        let bytes = unsafe {
            std::slice::from_raw_parts(vectors.as_ptr().cast::<u8>(), size_of_val(&vectors[..]))
        };
        let staged = self.device.allocate(bytes.len())?;
        self.device.copy_to_device(bytes, &staged, 0)?;
        copy(self.device, staged.address(), at.outputs[1], bytes.len())
    }

    /// Reads numbers from the device.
    fn fetch<T: Copy>(&self, from: u64, to: &mut [T]) -> Result<()> {
        // SAFETY: the numbers are plain old data.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(to.as_mut_ptr().cast::<u8>(), size_of_val(to))
        };
        let staged = self.device.allocate(bytes.len())?;
        copy(self.device, from, staged.address(), bytes.len())?;
        self.device.copy_to_host(&staged, 0, bytes)
    }
}

/// A system with a triangle.
struct Triangular {
    device: &'static CudaDevice,
    blas: &'static Blas,
    call: Factor,
}

impl LibraryCall for Triangular {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        let call = &self.call;
        let size = call.dtype.size();
        let (triangle, sides) = (call.n * call.n * size, call.n * call.k * size);
        copy(self.device, inputs[1].address(), outputs[0].address(), sides * call.batch)?;
        for k in 0..call.batch {
            let a = inputs[0].address() + (triangle * k) as u64;
            let b = outputs[0].address() + (sides * k) as u64;
            self.one(a, b)?;
        }
        Ok(())
    }

    fn describe(&self) -> String {
        "cuBLAS".to_owned()
    }
}

impl Triangular {
    fn one(&self, a: u64, b: u64) -> Result<()> {
        let Task::Triangular { upper, unit } = self.call.task else {
            unreachable!("this call solves triangles")
        };
        let (rows, n) = (self.call.k as i32, self.call.n as i32);
        let side = blas::cublasSideMode_t::CUBLAS_SIDE_RIGHT;
        let none = blas::cublasOperation_t::CUBLAS_OP_N;
        let fill = match upper {
            true => blas::cublasFillMode_t::CUBLAS_FILL_MODE_UPPER,
            false => blas::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER,
        };
        let diagonal = match unit {
            true => blas::cublasDiagType_t::CUBLAS_DIAG_UNIT,
            false => blas::cublasDiagType_t::CUBLAS_DIAG_NON_UNIT,
        };
        macro_rules! solve {
            ($f:ident, $t:ty, $one:expr) => {
                blas::$f(
                    self.blas.0,
                    side,
                    fill,
                    none,
                    diagonal,
                    rows,
                    n,
                    &$one,
                    a as *const $t,
                    n,
                    b as *mut $t,
                    rows,
                )
            };
        }
        // SAFETY: the buffers are as large as the call says, and the stream orders their release
        // after it.
        let status = unsafe {
            match self.call.dtype {
                DType::F32 => solve!(cublasStrsm_v2, f32, 1.0),
                DType::F64 => solve!(cublasDtrsm_v2, f64, 1.0),
                DType::C64 => {
                    solve!(cublasCtrsm_v2, blas::cuComplex, blas::cuComplex { x: 1.0, y: 0.0 })
                }
                _ => solve!(
                    cublasZtrsm_v2,
                    blas::cuDoubleComplex,
                    blas::cuDoubleComplex { x: 1.0, y: 0.0 }
                ),
            }
        };
        check_blas(self.call.name, status)
    }
}
