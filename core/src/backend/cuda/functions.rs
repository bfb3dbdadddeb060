//! The kernel functions of a device, by source and options: loaded, or else compiled and loaded.

use std::borrow::Cow;
use std::sync::Arc;

use super::compile::{CompileOptions, compile_for_device};
use super::device::CudaDevice;
use super::launch::Function;
use super::prelude::with_prelude;
use crate::backend::Origin;
use crate::error::Result;

impl CudaDevice {
    /// The function `entry` of `source`, compiled and loaded where this is the first call.
    ///
    /// # Errors
    /// Where the source does not compile (the error holds it, with NVRTC's log), or where the
    /// driver refuses the machine code.
    pub fn function(
        &'static self,
        source: &str,
        entry: &str,
        options: &CompileOptions,
    ) -> Result<(Arc<Function>, Origin)> {
        let compile = |arch| compile_for_device(source, arch, options);
        let load = |image: &[u8]| Function::load(self, image, entry);
        self.kernels().get(source, entry, options, compile, load)
    }

    /// [`function`](Self::function) of a body with what it uses of the prelude, which is put before
    /// it where the function is not loaded yet.
    pub(super) fn function_of_body(
        &'static self,
        body: &str,
        entry: &str,
        options: &CompileOptions,
    ) -> Result<(Arc<Function>, Origin)> {
        let whole = || Cow::Owned(with_prelude(body));
        let compile = |arch| compile_for_device(&with_prelude(body), arch, options);
        let load = |image: &[u8]| Function::load(self, image, entry);
        self.kernels().get_or_build(body, entry, options, whole, compile, load)
    }
}
