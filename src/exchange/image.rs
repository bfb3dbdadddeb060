//! Pictures of the crate `image`.

use super::host::sealed::{IntoMemory, Parts};
use crate::array::{DeviceArray, located};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::shape::Shape;
use image::{ImageBuffer, Pixel};

// SAFETY: the elements lie on the heap, row by row, and the owner alone reaches them.
unsafe impl<T: Element, P: Pixel<Subpixel = T>> IntoMemory<T> for ImageBuffer<P, Vec<T>> {
    type Owner = Vec<T>;

    fn into_memory(self) -> Parts<T, Vec<T>> {
        let (width, height) = self.dimensions();
        let lengths = [height as usize, width as usize, usize::from(P::CHANNEL_COUNT)];
        // The vector may be longer than the picture.
        let owner = self.into_raw();
        let (pointer, shape) = (owner.as_ptr(), Shape::from_slice(&lengths));
        Parts { pointer, shape, strides: None, owner }
    }
}

impl<T: Element> DeviceArray<T> {
    /// Computes the array and copies it into a picture; with the feature `image`.
    ///
    /// **Shape.** `[height, width, channels]`; pictures of one channel may leave that axis out.
    /// **Laziness.** Evaluates and waits.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the array is no such picture, and as [`lazuli::eval`](crate::eval).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let picture = image::RgbImage::from_fn(3, 2, |x, y| image::Rgb([x as u8, y as u8, 100]));
    /// let a = DeviceArray::adopt(picture)?;
    /// assert_eq!(a.shape(), [2, 3, 3]);
    /// let negative: image::RgbImage = (255u8 - &a).to_image()?;
    /// assert_eq!(negative.get_pixel(2, 1).0, [253, 254, 155]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn to_image<P: Pixel<Subpixel = T>>(&self) -> Result<ImageBuffer<P, Vec<T>>> {
        let channels = usize::from(P::CHANNEL_COUNT);
        let size = match *self.shape() {
            [height, width, depth] if depth == channels => Some((width, height)),
            [height, width] if channels == 1 => Some((width, height)),
            _ => None,
        };
        let size = size.and_then(|(w, h)| Some((u32::try_from(w).ok()?, u32::try_from(h).ok()?)));
        let Some((width, height)) = size else {
            let why = format!(
                "to_image: an array of shape {:?} is no picture of {channels} channels",
                self.shape()
            );
            return located(Err(Error::shape(why)));
        };
        let picture = ImageBuffer::from_raw(width, height, self.to_vec()?);
        Ok(picture.expect("there are as many elements as the shape says"))
    }
}
