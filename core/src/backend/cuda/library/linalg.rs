//! Linear algebra on NVIDIA GPUs: products by cuBLASLt.

use super::super::device::CudaDevice;
use super::lt::{Description, Layout, Lt, Preference, failed};
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{Complex, DType, Scalar, bf16, f16};
use crate::error::Result;
use crate::library::linalg::{Activation, Matmul, Matrix, Precision};
use cudarc::cublaslt::{result, sys};
use smallvec::SmallVec;
use std::ffi::c_void;

/// The most bytes of work space that a product may take.
const WORKSPACE: usize = 32 << 20;

/// A product of batches with everything of its calls but addresses.
///
/// cuBLASLt takes matrices in columns, and a matrix in rows is its transpose in columns: what is
/// computed is `outᵀ = bᵀ · aᵀ`, so its left operand is our right one.
struct Product {
    device: &'static CudaDevice,
    lt: &'static Lt,
    description: Description,
    left: Layout,
    right: Layout,
    out: Layout,
    algorithm: sys::cublasLtMatmulAlgo_t,
    workspace: usize,
    /// What the product is, and the type of the factors.
    call: Matmul,
    scale: DType,
    /// The offsets in bytes of the left operand, the right one and the product in each call.
    calls: Vec<[u64; 3]>,
}

// SAFETY: descriptions and algorithms are plain data on the host, which calls only read.
unsafe impl Send for Product {}
// SAFETY: as above.
unsafe impl Sync for Product {}

/// Makes a product ready.
pub(super) fn matmul(device: &'static CudaDevice, call: &Matmul) -> Result<Box<dyn LibraryCall>> {
    let lt = device.handles().lt()?;
    let (compute, scale) = compute(call);
    let description = Description::new(compute, scale)?;
    use sys::cublasLtMatmulDescAttributes_t as Attribute;
    let transposed = |matrix: &Matrix| i32::from(matrix.col != 1);
    description.set(Attribute::CUBLASLT_MATMUL_DESC_TRANSA, &transposed(&call.b))?;
    description.set(Attribute::CUBLASLT_MATMUL_DESC_TRANSB, &transposed(&call.a))?;

    use sys::cublasLtEpilogue_t as Epilogue;
    let epilogue = match (call.bias, call.activation) {
        (false, None) => None,
        (true, None) => Some(Epilogue::CUBLASLT_EPILOGUE_BIAS),
        (false, Some(Activation::Relu)) => Some(Epilogue::CUBLASLT_EPILOGUE_RELU),
        (true, Some(Activation::Relu)) => Some(Epilogue::CUBLASLT_EPILOGUE_RELU_BIAS),
        (false, Some(Activation::Gelu)) => Some(Epilogue::CUBLASLT_EPILOGUE_GELU),
        (true, Some(Activation::Gelu)) => Some(Epilogue::CUBLASLT_EPILOGUE_GELU_BIAS),
    };
    if let Some(epilogue) = epilogue {
        description.set(Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue)?;
    }

    let (inner, calls) = split(call);
    let operand = |matrix: &Matrix, rows: usize, cols: usize| {
        let stride = inner.map_or(0, |axis| matrix.batch[axis]);
        let shape = match matrix.col {
            1 => [cols, rows, matrix.row],
            ld => [rows, cols, ld],
        };
        Layout::new(call.dtype, shape, (inner.map_or(1, |axis| call.batch[axis]), stride))
    };
    let left = operand(&call.b, call.k, call.n)?;
    let right = operand(&call.a, call.m, call.k)?;
    let count = inner.map_or(1, |axis| call.batch[axis]);
    let stride = inner.map_or(0, |axis| steps(call)[axis]);
    let out = Layout::new(call.dtype, [call.n, call.m, call.n], (count, stride))?;

    let begin = if call.part { 16 } else { 256 };
    let at = |k: usize| calls.iter().fold(begin, |all, call| all | call[k]);
    let alignments = [0, 1, 2, 2].map(|k| 1u32 << at(k).trailing_zeros().min(8));
    let preference = Preference::new(WORKSPACE, alignments, call.dtype)?;
    // SAFETY: all descriptions are alive.
    let found = unsafe {
        result::get_matmul_algo_heuristic(
            lt.0,
            description.0,
            left.0,
            right.0,
            out.0,
            out.0,
            preference.0,
        )
    };
    let found = found.map_err(|e| failed("find an algorithm", e))?;
    Ok(Box::new(Product {
        device,
        lt,
        description,
        left,
        right,
        out,
        algorithm: found.algo,
        workspace: found.workspaceSize,
        call: call.clone(),
        scale,
        calls,
    }))
}

/// How sums are made, and the type of the factors.
fn compute(call: &Matmul) -> (sys::cublasComputeType_t, DType) {
    let dtype = call.dtype;
    match dtype {
        DType::F32 | DType::C64 if call.precision == Precision::Tf32 => {
            (sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32, dtype)
        }
        DType::F64 | DType::C128 => (sys::cublasComputeType_t::CUBLAS_COMPUTE_64F, dtype),
        DType::C64 => (sys::cublasComputeType_t::CUBLAS_COMPUTE_32F, dtype),
        _ => (sys::cublasComputeType_t::CUBLAS_COMPUTE_32F, DType::F32),
    }
}

/// A factor where the library reads it: complex numbers at a multiple of their size.
#[repr(align(16))]
struct Aligned([u8; 16]);

impl Aligned {
    fn new(scalar: &Scalar) -> Aligned {
        let mut bytes = [0; 16];
        bytes[..scalar.bytes().len()].copy_from_slice(scalar.bytes());
        Aligned(bytes)
    }
}

/// A factor in the type that the library wants: singles for halves.
fn factor(scalar: &Scalar, dtype: DType) -> Scalar {
    match scalar.dtype() {
        DType::F16 => Scalar::new(scalar.get::<f16>().map_or(0.0, f16::to_f32)),
        DType::BF16 => Scalar::new(scalar.get::<bf16>().map_or(0.0, bf16::to_f32)),
        own => {
            debug_assert_eq!(own, dtype);
            *scalar
        }
    }
}

fn number(dtype: DType, value: f64) -> Scalar {
    match dtype {
        DType::C64 => Scalar::new(Complex::new(value as f32, 0.0)),
        DType::C128 => Scalar::new(Complex::new(value, 0.0)),
        dtype => Scalar::from_f64(dtype, value),
    }
}

/// The distances between products along each axis of the batch.
fn steps(call: &Matmul) -> SmallVec<[usize; 4]> {
    let mut steps = SmallVec::from_elem(call.m * call.n, call.batch.len());
    for axis in (1..call.batch.len()).rev() {
        steps[axis - 1] = steps[axis] * call.batch[axis];
    }
    steps
}

/// The axis of the batch that one call of the library covers, and the offsets of the calls for
/// each position on the others.
fn split(call: &Matmul) -> (Option<usize>, Vec<[u64; 3]>) {
    let inner = (0..call.batch.len()).max_by_key(|&axis| call.batch[axis]);
    let size = call.dtype.size() as u64;
    let steps = steps(call);
    let mut calls = vec![[call.b.offset as u64 * size, call.a.offset as u64 * size, 0]];
    for (axis, &extent) in call.batch.iter().enumerate() {
        if Some(axis) == inner {
            continue;
        }
        let moves = [call.b.batch[axis], call.a.batch[axis], steps[axis]];
        let at = |start: &[u64; 3], k: usize| {
            let mut place = *start;
            place.iter_mut().zip(moves).for_each(|(p, m)| *p += (k * m) as u64 * size);
            place
        };
        calls = calls.iter().flat_map(|start| (0..extent).map(move |k| at(start, k))).collect();
    }
    (inner, calls)
}

impl LibraryCall for Product {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], scalars: &[Scalar]) -> Result<()> {
        self.device.bind()?;
        let mut scalars = scalars.iter().map(|s| factor(s, self.scale));
        let mut next = |given: bool, else_: f64| match given {
            true => scalars.next().expect("the call names its scalars"),
            false => number(self.scale, else_),
        };
        let alpha = next(self.call.scaled, 1.0);
        let beta = match self.call.addend {
            Some(given) => next(given, 1.0),
            None => number(self.scale, 0.0),
        };
        if self.call.bias {
            let bias = inputs[inputs.len() - 1].address();
            use sys::cublasLtMatmulDescAttributes_t as Attribute;
            self.description.set(Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias)?;
        }
        // The work space goes back when this returns, in stream order.
        let workspace = self.device.allocate(self.workspace)?;
        let (alpha, beta) = (Aligned::new(&alpha), Aligned::new(&beta));
        let pointer = |factor: &Aligned| factor.0.as_ptr().cast::<c_void>();
        let addend = if self.call.addend.is_some() { inputs[2] } else { outputs[0] };
        for [left, right, at] in &self.calls {
            let out = (outputs[0].address() + at) as *mut c_void;
            let addend = (addend.address() + at) as *const c_void;
            // SAFETY: the operands and the product lie where the layouts say, and the stream
            // orders the release of the buffers after the call.
            unsafe {
                result::matmul(
                    self.lt.0,
                    self.description.0,
                    pointer(&alpha),
                    pointer(&beta),
                    (inputs[1].address() + left) as *const c_void,
                    self.left.0,
                    (inputs[0].address() + right) as *const c_void,
                    self.right.0,
                    addend,
                    self.out.0,
                    out,
                    self.out.0,
                    &self.algorithm,
                    workspace.address() as *mut c_void,
                    self.workspace,
                    self.device.raw_stream().cast(),
                )
            }
            .map_err(|e| failed("multiply", e))?;
        }
        Ok(())
    }

    fn describe(&self) -> String {
        let mut text = "cuBLASLt".to_owned();
        let parts = [
            (self.call.precision == Precision::Tf32, ", TF32"),
            (self.call.scaled, ", scaled"),
            (self.call.addend.is_some(), ", added"),
            (self.call.bias, ", with a bias"),
            (self.call.activation == Some(Activation::Relu), ", negative values cut"),
            (self.call.activation == Some(Activation::Gelu), ", gelu"),
        ];
        parts.iter().filter(|p| p.0).for_each(|p| text.push_str(p.1));
        text
    }
}
