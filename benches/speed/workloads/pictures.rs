//! Workloads whose elements take as long as they need.

use super::{array_form, compare, kernel_form, places};
use crate::measure::{Bench, Check};
use crate::programs::mandelbrot::{self as program, steps};
use lazuli::prelude::*;

/// One pixel, for arrays.
#[vectorize]
fn pixel(re: f64, im: f64, most: u32) -> u8 {
    steps(Complex::new(re, im), most) as u8
}

/// The Mandelbrot set over [−2, 1] × [−1, 1], by a grid of 32×16 blocks whose threads walk on by
/// whole grids, and as an expression.
pub fn mandelbrot(bench: &mut Bench, height: usize, width: usize, most: u32) -> Result<()> {
    let (low, high) = (Complex::new(-2.0, -1.0), Complex::new(1.0, 1.0));
    let is_cuda = bench.device.is_cuda();
    let line = |low: f64, length: f64, n: usize| {
        low + DeviceArray::<i64>::arange_to(n as i64).cast::<f64>() * (length / n as f64)
    };
    let check = |image: DeviceArray<u8>| -> Check {
        let mut wrong = 0;
        for y in places(height) {
            let im = -1.0 + y as f64 * (2.0 / height as f64);
            let row = image.index_axis(0, y as isize).to_vec()?;
            let differs = |(x, got): (usize, u8)| {
                let re = -2.0 + x as f64 * (3.0 / width as f64);
                u32::from(got) != steps(Complex::new(re, im), most)
            };
            wrong += row.into_iter().enumerate().filter(|&pixel| differs(pixel)).count();
        }
        // A GPU fuses products and sums, which moves pixels on the edge, where the number of steps
        // jumps: it is allowed one in a thousand.
        let share = wrong as f64 / (places(height).len() * width) as f64;
        compare([(share, 0.0)], if is_cuda { 1e-3 } else { 0.0 })
    };
    let bytes = height * width;
    let one_each = (width.div_ceil(32), height.div_ceil(8));
    for (name, grid) in [("kernel", (32, 16)), ("kernel, a thread a pixel", one_each)] {
        let launch = |image: &mut DeviceArray<u8>| {
            program::mandelbrot.launch(grid, (32, 8), (low, high, image, most))
        };
        kernel_form(bench, name, bytes, DeviceArray::try_zeros([height, width])?, launch, check)?;
    }
    let vectorized = || {
        let (re, im) = (line(-2.0, 3.0, width), line(-1.0, 2.0, height));
        Ok(pixel::call(re.insert_axis(0), im.insert_axis(1), most))
    };
    array_form(bench, "vectorize", bytes, vectorized, check)
}
