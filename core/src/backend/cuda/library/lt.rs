//! cuBLASLt: its handle, and the descriptions of matrices and products that it wants.

use super::load;
use crate::dtype::DType;
use crate::error::{Error, Result};
use cudarc::cublaslt::result::CublasError;
use cudarc::cublaslt::{result, sys};
use std::ffi::c_void;
use std::ptr;

/// A handle, which serves any number of products.
pub(super) struct Lt(pub sys::cublasLtHandle_t);

// SAFETY: cuBLASLt's handles may be used by several threads.
unsafe impl Send for Lt {}
// SAFETY: as above.
unsafe impl Sync for Lt {}

impl Lt {
    /// Loads the library and makes a handle in the current context.
    pub(super) fn new() -> Result<Lt> {
        load("cublasLt")?;
        result::create_handle().map(Lt).map_err(|e| failed("start", e))
    }
}

/// What cuBLASLt says in the crate's terms.
pub(super) fn failed(doing: &str, error: CublasError) -> Error {
    let message = format!("cuBLASLt, to {doing}: {error}");
    match error.0 {
        sys::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED => Error::unsupported(message),
        sys::cublasStatus_t::CUBLAS_STATUS_ALLOC_FAILED => Error::out_of_memory(message),
        _ => Error::device(message),
    }
}

/// CUDA's name of an element type.
pub(super) fn data_type(dtype: DType) -> sys::cudaDataType {
    match dtype {
        DType::F16 => sys::cudaDataType::CUDA_R_16F,
        DType::BF16 => sys::cudaDataType::CUDA_R_16BF,
        DType::F32 => sys::cudaDataType::CUDA_R_32F,
        DType::F64 => sys::cudaDataType::CUDA_R_64F,
        DType::C64 => sys::cudaDataType::CUDA_C_32F,
        DType::C128 => sys::cudaDataType::CUDA_C_64F,
        dtype => unreachable!("products of {dtype} are kernels"),
    }
}

/// A matrix in columns, or a batch of them.
pub(super) struct Layout(pub sys::cublasLtMatrixLayout_t);

impl Layout {
    /// `rows × cols`, columns `ld` apart, `count` of them `stride` apart.
    pub(super) fn new(
        dtype: DType,
        [rows, cols, ld]: [usize; 3],
        (count, stride): (usize, usize),
    ) -> Result<Layout> {
        let layout =
            result::create_matrix_layout(data_type(dtype), rows as u64, cols as u64, ld as i64);
        let layout = Layout(layout.map_err(|e| failed("describe a matrix", e))?);
        use sys::cublasLtMatrixLayoutAttribute_t as Attribute;
        layout.set(Attribute::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &(count as i32))?;
        layout.set(Attribute::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &(stride as i64))?;
        Ok(layout)
    }

    fn set<T>(&self, attribute: sys::cublasLtMatrixLayoutAttribute_t, value: &T) -> Result<()> {
        // SAFETY: the layout is alive, and the value has the attribute's type.
        unsafe {
            result::set_matrix_layout_attribute(self.0, attribute, bytes(value), size_of::<T>())
        }
        .map_err(|e| failed("describe a matrix", e))
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: the layout is destroyed once. A failure could only leak it.
        let _ = unsafe { result::destroy_matrix_layout(self.0) };
    }
}

/// What a product does besides multiplying.
pub(super) struct Description(pub sys::cublasLtMatmulDesc_t);

impl Description {
    /// Sums in the given way, scaled by factors of the given type.
    pub(super) fn new(compute: sys::cublasComputeType_t, scale: DType) -> Result<Description> {
        result::create_matmul_desc(compute, data_type(scale))
            .map(Description)
            .map_err(|e| failed("describe a product", e))
    }

    /// Sets one of its attributes.
    pub(super) fn set<T>(
        &self,
        attribute: sys::cublasLtMatmulDescAttributes_t,
        value: &T,
    ) -> Result<()> {
        // SAFETY: the description is alive, and the value has the attribute's type.
        unsafe {
            result::set_matmul_desc_attribute(self.0, attribute, bytes(value), size_of::<T>())
        }
        .map_err(|e| failed("describe a product", e))
    }
}

impl Drop for Description {
    fn drop(&mut self) {
        // SAFETY: the description is destroyed once. A failure could only leak it.
        let _ = unsafe { result::destroy_matmul_desc(self.0) };
    }
}

/// What the search for an algorithm may assume.
pub(super) struct Preference(pub sys::cublasLtMatmulPreference_t);

impl Preference {
    /// With so many bytes of work space, and matrices of a type that begin at multiples of
    /// `alignments`.
    ///
    /// Where a product of halves is split along the folded axis, its parts are added up in the type
    /// that products are computed in: sums of halves are wrong in more than the last digit.
    pub(super) fn new(workspace: usize, alignments: [u32; 4], dtype: DType) -> Result<Preference> {
        let preference = result::create_matmul_pref().map_err(|e| failed("search", e))?;
        let preference = Preference(preference);
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace)?;
        if matches!(dtype, DType::F16 | DType::BF16) {
            use sys::cublasLtReductionScheme_t::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as IN_F32;
            let scheme = IN_F32 as u32;
            preference.set(Attribute::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &scheme)?;
        }
        let attributes = [
            Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
            Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
            Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
            Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
        ];
        for (attribute, alignment) in attributes.into_iter().zip(alignments) {
            preference.set(attribute, &alignment)?;
        }
        Ok(preference)
    }

    fn set<T>(
        &self,
        attribute: sys::cublasLtMatmulPreferenceAttributes_t,
        value: &T,
    ) -> Result<()> {
        // SAFETY: the preference is alive, and the value has the attribute's type.
        unsafe {
            result::set_matmul_pref_attribute(self.0, attribute, bytes(value), size_of::<T>())
        }
        .map_err(|e| failed("search", e))
    }
}

impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: the preference is destroyed once. A failure could only leak it.
        let _ = unsafe { result::destroy_matmul_pref(self.0) };
    }
}

fn bytes<T>(value: &T) -> *const c_void {
    ptr::from_ref(value).cast()
}
