//! Products of matrices. A row of the table counts operations, not bytes, so no rate is given.

use super::{array_form, at, compare, kernel_form, places, tolerance};
use crate::measure::{Bench, Check};
use crate::programs::matmul_shared::{TILE, product};
use lazuli::linalg::{Precision, with_precision};
use lazuli::prelude::*;
use lazuli::random::Generator;

/// Products of matrices up to this size take the host longer than the device.
const HOST_BOUND: usize = 64;

/// Two square matrices.
struct Factors<T: Floating> {
    a: DeviceArray<T>,
    b: DeviceArray<T>,
}

impl<T: Floating> Factors<T> {
    fn new(n: usize) -> Result<Self> {
        // Normal, as the peers' are: what a product's units draw, and so the clock, depends on the
        // numbers.
        let mut rng = Generator::new(1);
        let mut square = || rng.try_standard_normal::<f32>([n, n]).map(|a| a.cast::<T>());
        let (a, b) = (square()?, square()?);
        lazuli::eval(&[&a, &b])?;
        Ok(Factors { a, b })
    }

    /// Looks at some elements of a product.
    fn check(&self, c: DeviceArray<T>, tolerance: f64) -> Check {
        let (n, mut pairs) = (self.a.shape()[0], Vec::new());
        for p in places(n) {
            let q = (7 * p + 3) % n;
            let row = self.a.index_axis(0, p as isize).cast::<f64>();
            let sum = (row * self.b.index_axis(1, q as isize).cast::<f64>()).sum(..).item()?;
            // The error of a sum grows with the sizes of its terms, not with its own.
            pairs.push(((at(&c.index_axis(0, p as isize), q)? - sum) / n as f64, 0.0));
        }
        compare(pairs, tolerance)
    }
}

/// A square product as IEEE has it.
pub fn matmul<T: Floating>(bench: &mut Bench, n: usize) -> Result<()> {
    let factors = Factors::<T>::new(n)?;
    let tolerance = if T::DTYPE == DType::F16 { 1e-3 } else { tolerance::<T>() };
    let record = || Ok(factors.a.matmul(&factors.b));
    array_form(bench, "library", 0, record, |c| factors.check(c, tolerance))?;
    if n > HOST_BOUND {
        return Ok(());
    }
    let pair = (factors.a.clone(), factors.b.clone());
    let compiled = lazuli::compile(|(a, b): &(DeviceArray<T>, DeviceArray<T>)| a.matmul(b));
    array_form(
        bench,
        "library, compiled",
        0,
        || compiled.call(&pair),
        |c| factors.check(c, tolerance),
    )
}

/// The same of `f32` by tensor cores, which keep ten bits of each factor: workloads of their own,
/// so that each precision is compared with its like.
pub fn matmul_tf32(bench: &mut Bench, n: usize) -> Result<()> {
    let factors = Factors::<f32>::new(n)?;
    let record = || Ok(with_precision(Precision::Tf32, || factors.a.matmul(&factors.b)));
    array_form(bench, "library, TF32", 0, record, |c| factors.check(c, 1e-3))
}

/// A square product by a kernel with tiles in shared memory, which the peer has in CUDA C++.
pub fn matmul_shared(bench: &mut Bench, n: usize) -> Result<()> {
    let factors = Factors::<f32>::new(n)?;
    let blocks = n.div_ceil(TILE);
    let launch = |c: &mut DeviceArray<f32>| {
        product.launch((blocks, blocks), (TILE, TILE), (&factors.a, &factors.b, c))
    };
    let check = |c| factors.check(c, tolerance::<f32>());
    kernel_form(bench, "kernel", 0, DeviceArray::try_zeros([n, n])?, launch, check)
}
