//! Images with any number of axes: filters, geometry, morphology, measurements, by SciPy's names
//! (`scipy.ndimage`) and conventions.
//!
//! - **Filters**: [`correlate`], [`convolve`], [`gaussian_filter`], [`uniform_filter`], [`sobel`],
//!   [`laplace`] and their kin; [`minimum_filter`], [`median_filter`], [`rank_filter`],
//!   [`percentile_filter`]; any function of the elements around each one by [`generic_filter`],
//!   [`windows`] and [`neighbours`].
//! - **Morphology**: [`grey_erosion`], [`binary_erosion`], [`binary_propagation`],
//!   [`binary_fill_holes`] and their kin.
//! - **Geometry**, through splines of orders 0 to 5: [`map_coordinates`], [`affine_transform`],
//!   [`zoom`], [`rotate`], [`shift`], [`spline_filter`].
//! - **Regions**: [`label`], [`find_objects`], [`sum_labels`], [`mean`], [`minimum`],
//!   [`center_of_mass`] and their kin; [`distance_transform_edt`].
//!
//! What is beyond an array's edges ([`Border`]) is index arithmetic, never a copy: filters record,
//! as all operations do, and fuse with what they are computed from and with what reads them.
//! Functions whose documentation says that they evaluate do so.
//!
//! **Numbers.** Results have the array's type. Integers are computed in `f64`, and truncated by
//! filters, rounded by splines, as SciPy does. Sums of `f32` are computed in `f32`, where SciPy
//! computes in `f64`.
//!
//! [`guide::image_filters`](crate::guide::image_filters) shows it in pictures.
//!
//! # Example
//! ```
//! use lazuli::ndimage::{binary_opening, gaussian_filter, label, sum_labels};
//! use lazuli::prelude::*;
//! let x = DeviceArray::<f32>::linspace(-3.0, 3.0, 64);
//! let image = (x.insert_axis(0) * 2.0).sin() * x.insert_axis(1).cos();
//! // The blur, the bound and the opening are recorded, and fuse.
//! let bright = binary_opening(&gaussian_filter(&image, 1.0).greater(0.5), 1);
//! let (labels, count) = label(&bright, 1)?;
//! assert_eq!(count, 6);
//! let sizes = sum_labels(&labels.greater(0).cast::<u8>(), &labels, 1..=count as i64);
//! assert_eq!(sizes.sum(..).item()?, bright.cast::<f64>().sum(..).item()?);
//! # Ok::<(), Error>(())
//! ```

mod binary;
mod border;
mod derivatives;
mod distance;
mod fourier;
mod gaussian;
mod generic;
mod grey;
mod interpolate;
mod label;
mod labelled;
mod measure;
mod network;
mod rank;
mod select;
mod spline;
#[cfg(all(test, feature = "cuda"))]
mod tests;
mod transforms;
mod weighted;
mod window;

pub use binary::{
    Binary, Connectivity, binary_closing, binary_dilation, binary_erosion, binary_fill_holes,
    binary_hit_or_miss, binary_opening, binary_propagation, iterate_structure, try_binary_closing,
    try_binary_dilation, try_binary_erosion, try_binary_hit_or_miss, try_binary_opening,
};
pub use border::{Border, Placement};
pub use derivatives::{
    laplace, prewitt, sobel, try_laplace, try_prewitt, try_sobel, try_uniform_filter,
    try_uniform_filter1d, uniform_filter, uniform_filter1d,
};
pub use distance::{
    distance_transform_chessboard, distance_transform_edt, distance_transform_taxicab,
    nearest_background, try_distance_transform_taxicab,
};
pub use fourier::{
    RealAxis, fourier_ellipsoid, fourier_gaussian, fourier_shift, fourier_uniform,
    try_fourier_ellipsoid, try_fourier_gaussian, try_fourier_shift, try_fourier_uniform,
};
pub use gaussian::{
    Gaussian, gaussian_filter, gaussian_filter1d, gaussian_gradient_magnitude, gaussian_laplace,
    try_gaussian_filter, try_gaussian_filter1d, try_gaussian_gradient_magnitude,
    try_gaussian_laplace,
};
pub use generic::{
    generic_filter, generic_filter1d, generic_gradient_magnitude, generic_laplace, neighbours,
    try_generic_filter, try_generic_filter1d, try_neighbours, try_windows, windows,
};
pub use grey::{
    Structure, black_tophat, grey_closing, grey_dilation, grey_erosion, grey_opening,
    morphological_gradient, morphological_laplace, try_black_tophat, try_grey_closing,
    try_grey_dilation, try_grey_erosion, try_grey_opening, try_morphological_gradient,
    try_morphological_laplace, try_white_tophat, white_tophat,
};
pub use label::label;
pub use labelled::{
    histogram, labeled_comprehension, median, try_histogram, try_median, value_indices,
};
pub use measure::{
    center_of_mass, find_objects, maximum, maximum_position, mean, minimum, minimum_position,
    standard_deviation, sum_labels, try_center_of_mass, try_maximum, try_maximum_position,
    try_mean, try_minimum, try_minimum_position, try_standard_deviation, try_sum_labels,
    try_variance, variance,
};
pub use rank::{
    maximum_filter, median_filter, minimum_filter, percentile_filter, rank_filter,
    try_maximum_filter, try_median_filter, try_minimum_filter, try_percentile_filter,
    try_rank_filter,
};
pub use spline::{Spline, spline_filter, spline_filter1d, try_spline_filter, try_spline_filter1d};
pub use transforms::{
    Affine, Rotation, affine_transform, map_coordinates, rotate, shift, try_affine_transform,
    try_map_coordinates, try_rotate, try_shift, try_zoom, try_zoom_grid, zoom, zoom_grid,
};
pub use weighted::{
    convolve, convolve1d, correlate, correlate1d, try_convolve, try_convolve1d, try_correlate,
    try_correlate1d,
};
pub use window::Window;
