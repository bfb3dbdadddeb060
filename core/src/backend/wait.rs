//! Waiting for a device, whose kernels may have found something by then.

use super::{Device, faults};
use crate::error::Result;

impl Device {
    /// Waits until all work on the device is done, that of every [`Stream`](super::Stream).
    ///
    /// # Errors
    /// [`Error::is_device`](crate::error::Error::is_device) where the work failed.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 1000).exp();
    /// a.eval()?; // returns while a GPU is still at work
    /// a.device().synchronize()?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn synchronize(self) -> Result<()> {
        if let Some(placement) = self.placement() {
            let own = placement.devices.iter().filter(|device| !device.is_elsewhere());
            return own.copied().try_for_each(Device::synchronize);
        }
        self.backend().synchronize()?;
        faults::check(self)
    }
}
