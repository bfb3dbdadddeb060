//! # Percolation
//!
//! Cells are open by chance, with the probability at which a cluster first spans the plane;
//! brighter clusters are larger. The sizes come by the idiom of NumPy and SciPy,
//! `np.bincount(labels.ravel())[labels]`. The random numbers are made inside the kernel that
//! compares them, and a seed gives the same ones on every device.

use lazuli::ndimage::label;
use lazuli::prelude::*;
use lazuli::random::Generator;

pub fn clusters(n: usize) -> Result<DeviceArray<f64>> {
    let open = Generator::new(12).random::<f64>([n, n]).less(0.5927);
    let (labels, _) = label(&open, 1)?;
    let sizes = labels.bincount(0)?.take(&labels, 0).cast::<f64>();
    Ok(open.select(sizes.ln() + 2.0, 0.0))
}

#[test]
fn closed_cells_have_no_cluster() -> Result<()> {
    let closed = clusters(100)?.equal(0.0).mean(..).item()?;
    assert!((closed - 0.4073).abs() < 0.02);
    Ok(())
}
