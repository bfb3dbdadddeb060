//! Files of sparse matrices, as SciPy writes them.

use super::{Coo, Csr};
use crate::array::{DeviceArray, NpyElement, NpzFile, Packing, located, write_members};
use crate::backend::Device;
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use std::path::Path;

impl<T: NpyElement + Number> Csr<T> {
    /// Writes the matrix as SciPy's `save_npz` does, without compression.
    ///
    /// **Laziness.** Evaluates and waits.
    ///
    /// # Errors
    /// As [`write_npz`](crate::write_npz).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::sparse::Csr;
    /// let path = std::env::temp_dir().join(format!("lazuli-sparse-{}.npz", std::process::id()));
    /// (&Csr::<f64>::eye(3)? * 2.0).write_npz(&path)?;
    /// assert_eq!(Csr::<f64>::read_npz(&path)?.diagonal().to_vec()?, [2.0; 3]);
    /// # std::fs::remove_file(path).ok();
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "save_npz")]
    #[track_caller]
    pub fn write_npz(&self, path: impl AsRef<Path>) -> Result<()> {
        let (ends, shape) = (self.indptr(), self.shape());
        let ends: Vec<i64> = ends.iter().map(|&end| end as i64).collect();
        let arrays = Device::cpu().scope(|| -> Result<_> {
            Ok((
                DeviceArray::from_slice(self.indices())?,
                DeviceArray::from_slice(&ends)?,
                DeviceArray::from_slice(&shape.map(|n| n as i64))?,
            ))
        });
        let (indices, indptr, shape) = located(arrays)?;
        write_members(
            "write_npz",
            path.as_ref(),
            &[("indices", &indices), ("indptr", &indptr), ("shape", &shape), ("data", self.data())],
            &[("format", "csr")],
            Packing::Stored,
        )
    }

    /// Reads a matrix that SciPy's `save_npz` wrote, of the formats `csr`, `csc` and `coo`, onto the
    /// current device. Its element type must be `T`.
    ///
    /// # Errors
    /// [`Error::is_io`] where the file cannot be read, is damaged, or holds another format or element
    /// type; [`Error::is_shape`] where its parts do not fit together.
    ///
    /// # Example
    /// ```
    /// use lazuli::sparse::Csr;
    /// assert!(Csr::<f64>::read_npz("no/such/file.npz").is_err_and(|e| e.is_io()));
    /// ```
    #[doc(alias = "load_npz")]
    #[track_caller]
    pub fn read_npz(path: impl AsRef<Path>) -> Result<Csr<T>> {
        let path = path.as_ref();
        let mut file = NpzFile::open(path)?;
        let format = file.text("format")?;
        let [rows, cols] = whole(&mut file, "shape")?[..] else {
            let path = path.display();
            return located(Err(Error::io(format!("read_npz: {path}: a matrix has two axes"))));
        };
        let (Ok(rows), Ok(cols)) = (usize::try_from(rows), usize::try_from(cols)) else {
            let path = path.display();
            return located(Err(Error::io(format!(
                "read_npz: {path}: a matrix of {rows} × {cols}"
            ))));
        };
        let shape = [rows, cols];
        let data = file.read::<T>("data")?;
        match &*format {
            "csr" | "csc" => {
                let (indptr, indices) = (whole(&mut file, "indptr")?, whole(&mut file, "indices")?);
                if format == "csr" {
                    return Csr::from_parts(shape, &indptr, &indices, &data);
                }
                Csr::from_parts([shape[1], shape[0]], &indptr, &indices, &data)?.transpose()
            }
            "coo" => {
                let (rows, cols) = match file.names()?.iter().any(|name| name == "coords") {
                    true => {
                        let both = whole(&mut file, "coords")?;
                        let (rows, cols) = both.split_at(both.len() / 2);
                        (rows.to_vec(), cols.to_vec())
                    }
                    false => (whole(&mut file, "row")?, whole(&mut file, "col")?),
                };
                Coo::new(shape, &rows, &cols, &data)?.to_csr()
            }
            other => {
                let path = path.display();
                located(Err(Error::io(format!(
                    "read_npz: {path}: matrices of the format {other:?} are not read; `csr`, `csc` and \
                     `coo` are"
                ))))
            }
        }
    }
}

/// Whole numbers of 32 or 64 bits, of which SciPy chooses by the size.
#[track_caller]
fn whole(file: &mut NpzFile, name: &str) -> Result<Vec<i64>> {
    Device::cpu().scope(|| match file.header(name)?.dtype() {
        Some(DType::I32) => file.read::<i32>(name)?.cast::<i64>().to_vec(),
        _ => file.read::<i64>(name)?.to_vec(),
    })
}
