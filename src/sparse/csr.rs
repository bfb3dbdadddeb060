//! Matrices of compressed rows.

use super::Coo;
use super::segments::Segments;
use crate::array::{AnyArray, DeviceArray, eval, located};
use crate::backend::Device;
use crate::dtype::{Element, Number};
use crate::error::{Error, Result};
use crate::ops::index::take_from_start;
use num_traits::PrimInt;
use std::fmt;
use std::sync::Arc;

/// A sparse matrix of compressed rows, SciPy's `csr_array`.
///
/// Row `i` has the entries `indptr[i]..indptr[i + 1]`, each with its column in `indices` and its value
/// in `data`. Where the entries are (the *structure*) stands on the host and on the device, and does not
/// change; the values are a [`DeviceArray`], recorded like any other: [`with_data`](Self::with_data)
/// gives a matrix of the same structure with values of any expression. A clone is another handle.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::Csr;
/// // ⎡1 0 2⎤
/// // ⎣0 3 0⎦
/// let data = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
/// let a = Csr::from_parts([2, 3], &[0, 2, 3], &[0, 2, 1], &data)?;
/// let x = DeviceArray::from_slice(&[1.0, 10.0, 100.0])?;
/// assert_eq!(a.dot(&x).to_vec()?, [201.0, 30.0]);
/// assert_eq!(a.transpose()?.to_dense().shape(), [3, 2]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Csr<T: Element> {
    pub(super) structure: Arc<Structure>,
    pub(super) data: DeviceArray<T>,
    /// The values by slices, `[width, rows]`.
    slices: Vec<DeviceArray<T>>,
}

/// Where the entries of a matrix are.
pub(super) struct Structure {
    pub(super) shape: [usize; 2],
    pub(super) indptr: Vec<usize>,
    pub(super) indices: Vec<i32>,
    pub(super) device: Device,
    rows: Segments,
    /// The columns by slices, `[width, rows]`.
    columns: Vec<DeviceArray<i32>>,
}

impl Structure {
    /// Puts a structure that was checked on the device.
    fn new(
        shape: [usize; 2],
        indptr: Vec<usize>,
        indices: Vec<i32>,
        device: Device,
    ) -> Result<Self> {
        device.scope(|| {
            let rows = Segments::new(&indptr)?;
            let all = DeviceArray::from_slice(&indices)?;
            let columns = rows.slices.iter().map(|slice| all.take_clipped(slice.entries(), 0));
            let columns: Vec<DeviceArray<i32>> = columns.collect();
            eval(&columns.iter().map(|c| c as &dyn AnyArray).collect::<Vec<_>>())?;
            Ok(Structure { shape, indptr, indices, device, rows, columns })
        })
    }
}

pub(super) fn wrong(why: String) -> Error {
    Error::shape(format!("sparse::Csr: {why}"))
}

/// An error where there are more rows or columns than numbers for them.
pub(super) fn check_count(count: usize) -> Result<()> {
    match count > i32::MAX as usize {
        true => Err(wrong(format!("{count} rows or columns, and there are at most 2³¹ − 1"))),
        false => Ok(()),
    }
}

/// Zeros for the ends of so many rows.
pub(super) fn room_for_ends(rows: usize) -> Result<Vec<usize>> {
    let mut ends = Vec::new();
    let full = |_| {
        let bytes = (rows + 1) * size_of::<usize>();
        Error::out_of_memory(format!("sparse::Csr: cannot allocate {bytes} bytes for {rows} rows"))
    };
    ends.try_reserve_exact(rows + 1).map_err(full)?;
    ends.resize(rows + 1, 0);
    Ok(ends)
}

/// Whole numbers of any type as those of a structure.
pub(super) fn whole<I: PrimInt>(name: &str, list: &[I], below: usize) -> Result<Vec<i32>> {
    check_count(below)?;
    let one = |(k, value): (usize, &I)| {
        value.to_usize().filter(|value| *value < below).map(|value| value as i32).ok_or_else(|| {
            let value = value.to_i128().unwrap_or(i128::MAX);
            wrong(format!("{name}[{k}] is {value}, and there are {below} of them"))
        })
    };
    list.iter().enumerate().map(one).collect()
}

impl<T: Element> Csr<T> {
    /// The matrix of these parts, SciPy's `csr_array((data, indices, indptr), shape)`. Columns may
    /// stand in any order, and more than once: such entries count together.
    ///
    /// **Shape.** `data` is of shape `[indices.len()]`, `indptr` has a number more than there are rows.
    /// **Laziness.** Arranges the parts, on the device of `data`, now.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the parts do not fit together, or one is out of range;
    /// [`Error::is_out_of_memory`].
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::sparse::Csr;
    /// let data = DeviceArray::from_slice(&[5.0, 7.0])?;
    /// let a = Csr::from_parts([2, 2], &[0i64, 1, 2], &[1i32, 0], &data)?;
    /// assert_eq!(a.get([0, 1])?, 5.0);
    /// assert!(Csr::from_parts([2, 2], &[0, 1, 2], &[1, 2], &data).is_err_and(|e| e.is_shape()));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_parts<I: PrimInt, J: PrimInt>(
        shape: [usize; 2],
        indptr: &[I],
        indices: &[J],
        data: &DeviceArray<T>,
    ) -> Result<Csr<T>> {
        located(Self::checked(shape, indptr, indices, data))
    }

    fn checked<I: PrimInt, J: PrimInt>(
        shape: [usize; 2],
        indptr: &[I],
        indices: &[J],
        data: &DeviceArray<T>,
    ) -> Result<Csr<T>> {
        let entries = indices.len();
        if Some(indptr.len()) != shape[0].checked_add(1) {
            let (there, rows) = (indptr.len(), shape[0]);
            return Err(wrong(format!(
                "indptr has {there} numbers for {rows} rows; it has one more"
            )));
        }
        let ends: Option<Vec<usize>> = indptr.iter().map(I::to_usize).collect();
        let ends =
            ends.filter(|ends| ends[0] == 0 && ends[shape[0]] == entries && ends.is_sorted());
        let Some(ends) = ends else {
            return Err(wrong(format!(
                "indptr does not rise from 0 to {entries}, the number of indices"
            )));
        };
        check_count(shape[0])?;
        let indices = whole("indices", indices, shape[1])?;
        if data.shape() != [entries] {
            return Err(wrong(format!(
                "data has shape {:?}, and there are {entries} indices",
                data.shape()
            )));
        }
        Self::sorted_out(shape, ends, indices, data)
    }

    /// The matrix of parts that are known to fit.
    pub(super) fn sorted_out(
        shape: [usize; 2],
        indptr: Vec<usize>,
        indices: Vec<i32>,
        data: &DeviceArray<T>,
    ) -> Result<Csr<T>> {
        let structure = Structure::new(shape, indptr, indices, data.device())?;
        let matrix = Self::of(Arc::new(structure), data);
        let values = matrix.slices.iter().chain([&matrix.data]);
        eval(&values.map(|v| v as &dyn AnyArray).collect::<Vec<_>>())?;
        Ok(matrix)
    }

    fn of(structure: Arc<Structure>, data: &DeviceArray<T>) -> Csr<T> {
        let slices = &structure.rows.slices;
        let values = |slice| crate::array::or_panic(take_from_start(data, slice, 0));
        let slices = slices.iter().map(|slice| values(slice.entries())).collect();
        Csr { structure, data: data.clone(), slices }
    }

    /// A matrix with the same structure and other values, of any type.
    ///
    /// **Shape.** `data` is of shape `[nnz]`. **Laziness.** Records.
    ///
    /// # Errors
    /// [`Error::is_shape`] where it is not, [`Error::is_device`] where it is on another device.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::sparse::Csr;
    /// let a = Csr::<f64>::eye(3)?;
    /// let roots = a.with_data(&(a.data() * 4.0).sqrt())?;
    /// assert_eq!(roots.diagonal().to_vec()?, [2.0; 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn with_data<U: Element>(&self, data: &DeviceArray<U>) -> Result<Csr<U>> {
        located(if data.shape() != [self.nnz()] {
            Err(wrong(format!(
                "data has shape {:?}, and there are {} entries",
                data.shape(),
                self.nnz()
            )))
        } else if data.device().differs(self.structure.device) {
            let (here, there) = (self.structure.device, data.device());
            Err(Error::device(format!(
                "sparse::Csr: the matrix is on {here}, and the data on {there}"
            )))
        } else {
            Ok(Csr::of(self.structure.clone(), data))
        })
    }

    /// The numbers of rows and columns.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(3)?.shape(), [3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shape(&self) -> [usize; 2] {
        self.structure.shape
    }

    /// The number of entries, zeros among them.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(3)?.nnz(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        self.structure.indices.len()
    }

    /// Where each row begins among the entries, and where the last one ends.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(2)?.indptr(), [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indptr(&self) -> &[usize] {
        &self.structure.indptr
    }

    /// The columns of the entries.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(2)?.indices(), [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indices(&self) -> &[i32] {
        &self.structure.indices
    }

    /// The values of the entries.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// assert_eq!(Csr::<f32>::eye(2)?.data().to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn data(&self) -> &DeviceArray<T> {
        &self.data
    }

    /// The device of the matrix.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Device::cpu().scope(|| Csr::<f32>::eye(2))?;
    /// assert_eq!(a.device(), Device::cpu());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> Device {
        self.structure.device
    }

    /// The row of each entry.
    pub(super) fn rows(&self) -> Vec<i32> {
        let ends = self.structure.indptr.windows(2).enumerate();
        ends.flat_map(|(row, ends)| (ends[0]..ends[1]).map(move |_| row as i32)).collect()
    }

    /// The entries with their rows and columns.
    ///
    /// **Laziness.** Takes the values as they are. SciPy: `tocoo`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let entries = Csr::<f32>::eye(2)?.to_coo();
    /// assert_eq!((entries.rows(), entries.cols()), (&[0, 1][..], &[0, 1][..]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_coo(&self) -> Coo<T> {
        Coo {
            shape: self.structure.shape,
            rows: self.rows(),
            cols: self.structure.indices.clone(),
            data: self.data.clone(),
        }
    }

    /// The transposed matrix, with sorted columns; SciPy's `csc_array` is the transpose of one of these.
    ///
    /// **Laziness.** Sorts the structure on the host now.
    ///
    /// # Errors
    /// [`Error::is_out_of_memory`].
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let a = Csr::from_parts([1, 3], &[0, 1], &[2], &DeviceArray::from_slice(&[5.0])?)?;
    /// assert_eq!(a.transpose()?.get([2, 0])?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "T")]
    #[track_caller]
    pub fn transpose(&self) -> Result<Csr<T>> {
        let [rows, cols] = self.structure.shape;
        let mut ends = located(room_for_ends(cols))?;
        self.structure.indices.iter().for_each(|&col| ends[col as usize + 1] += 1);
        (0..cols).for_each(|col| ends[col + 1] += ends[col]);
        let mut next = ends.clone();
        let (mut from, mut indices) = (vec![0i64; self.nnz()], vec![0i32; self.nnz()]);
        for (k, (&col, row)) in self.structure.indices.iter().zip(self.rows()).enumerate() {
            let to = &mut next[col as usize];
            (from[*to], indices[*to]) = (k as i64, row);
            *to += 1;
        }
        located(self.structure.device.scope(|| {
            let data = self.data.take_clipped(&DeviceArray::from_slice(&from)?, 0);
            Csr::sorted_out([cols, rows], ends, indices, &data)
        }))
    }
}

impl<T: Number> Csr<T> {
    /// The product with a vector or with the columns of a matrix.
    ///
    /// Rows of about one length are multiplied side by side, in one kernel for each class of lengths
    /// (one where all rows are about as long as each other, as of stencils), with what stands around the
    /// product in it. The order of a row's sum is the same on every run.
    ///
    /// **Shape.** `[n, m]` and `[m]` give `[n]`, `[n, m]` and `[m, k]` give `[n, k]`. **Dtype.** The
    /// matrix's; integers wrap. **Laziness.** Records. SciPy: `A @ x`.
    ///
    /// # Panics
    /// Where the shapes do not fit; [`try_dot`](Self::try_dot) returns an error.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{prelude::*, sparse::Csr};
    /// let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
    /// let a = Csr::diags([3, 3], &[(0, &two), (1, &minus)])?;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(a.dot(&x).to_vec()?, [0.0, 1.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "matvec")]
    #[track_caller]
    pub fn dot(&self, x: &DeviceArray<T>) -> DeviceArray<T> {
        crate::array::or_panic(self.try_dot(x))
    }

    /// [`dot`](Self::dot) for shapes that come from data.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes do not fit, [`Error::is_device`].
    #[track_caller]
    pub fn try_dot(&self, x: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        let [rows, cols] = self.structure.shape;
        if !matches!(x.shape(), [n] | [n, _] if *n == cols) {
            return located(Err(wrong(format!(
                "the product of a matrix of shape {:?} and an array of shape {:?}",
                [rows, cols],
                x.shape()
            ))));
        }
        let columns = x.shape().get(1).copied();
        if cols == 0 {
            let mut shape = vec![rows];
            shape.extend(columns);
            return Ok(self.structure.device.scope(|| DeviceArray::zeros(shape)));
        }
        let places = &self.structure.columns;
        located(self.structure.device.scope(|| {
            self.structure.rows.sum(columns, |k, _| {
                let x = take_from_start(x, &places[k], 0)?;
                let values = &self.slices[k];
                Ok(if columns.is_some() { values.insert_axis(2) * x } else { values * x })
            })
        }))
    }
}

impl<T: Element> fmt::Debug for Csr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Structure { shape: [rows, cols], indices, device, .. } = &*self.structure;
        let dtype = T::DTYPE.name();
        write!(f, "Csr({rows} × {cols}, {} entries of {dtype}, {device})", indices.len())
    }
}
