//! NVIDIA GPUs.

use super::Backend;
use crate::error::{Error, Result};
use std::sync::Arc;

/// The CUDA devices of this machine, or what is missing.
pub(crate) fn devices() -> Result<Vec<Arc<dyn Backend>>> {
    Err(Error::device("CUDA: no backend in this build"))
}
