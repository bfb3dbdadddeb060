//! # A photograph of low rank
//!
//! The largest singular values hold most of a picture. [`svd`](lazuli::DeviceArray::svd) is
//! `np.linalg.svd(full_matrices=False)`: the vectors on the left, the values, descending, and the
//! vectors on the right. All three are recorded, one call computes them, and the product of parts of
//! them is another. Matrices may come in batches, along leading axes.
//!
//! The photograph by the 20 largest of 240 singular values.

use lazuli::prelude::*;

pub fn of_rank(photograph: &DeviceArray<f64>, rank: usize) -> DeviceArray<f64> {
    let (u, s, vh) = photograph.svd();
    let (u, vh) = (u.slice(s![.., ..rank]), vh.slice(s![..rank, ..]));
    (u * s.slice(s![..rank])).matmul(&vh)
}

#[test]
fn nothing_is_nearer() -> Result<()> {
    let x = DeviceArray::<f64>::linspace(0.0, 2.0, 50);
    let picture = (&x * x.insert_axis(1)).cos() + 0.1 * x.insert_axis(1);
    let rest = (&picture - of_rank(&picture, 2)).norm(..);
    // What is left is the root of the sum of the squares of the other values.
    let others = picture.svdvals().slice(s![2..]).norm(..);
    assert!((rest - others).abs().item()? < 1e-10);
    Ok(())
}
