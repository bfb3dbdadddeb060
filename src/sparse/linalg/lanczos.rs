//! Bases of Krylov spaces of a symmetric map, which are begun anew with what they found.
//!
//! The host does not wait for the steps of a cycle; it reads their inner products at its end, and finds
//! the eigenvalues of the small matrix of these.

use super::LinearOperator;
use super::krylov::extended;
use super::minres::epsilon_of;
use crate::array::{DeviceArray, eval};
use crate::backend::Device;
use crate::dtype::Floating;
use crate::error::{Error, Result};
use ndarray::s;

/// Numbers between -1 and 1 that repeat nowhere, the same on every run.
pub(super) struct Numbers(pub u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        // SplitMix64 (G. L. Steele et al., OOPSLA 2014).
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A vector on the current device.
    pub fn vector<T: Floating>(&mut self, n: usize) -> Result<DeviceArray<T>> {
        DeviceArray::from_vec([n], (0..n).map(|_| T::from_f64(self.next())).collect())
    }
}

/// Orthonormal vectors, and the map between them.
pub(super) struct Basis<T: Floating> {
    /// The vectors are rows; the last one is where the next cycle goes on.
    vectors: DeviceArray<T>,
    /// The symmetric matrix of the map on all vectors but the last one.
    pub small: Vec<Vec<f64>>,
    /// How much of the last vector the map has of each of the others.
    pub beyond: Vec<f64>,
    /// The vectors that are there, the last one left out.
    pub count: usize,
    numbers: Numbers,
    n: usize,
}

impl<T: Floating> Basis<T> {
    /// A basis that holds so many vectors, of which this is the first.
    pub fn new(start: &DeviceArray<T>, room: usize, numbers: Numbers) -> Result<Basis<T>> {
        let n = start.len();
        let size = start.norm(0);
        let length = size.item()?.to_f64();
        if !(length > 0.0 && length.is_finite()) {
            return Err(Error::numeric(format!("eigsh: the first vector has the norm {length}")));
        }
        let mut vectors = DeviceArray::zeros([room + 1, n]);
        vectors.assign(s![0, ..], start / size);
        let small = vec![vec![0.0; room]; room];
        Ok(Basis { vectors, small, beyond: vec![0.0; room], count: 0, numbers, n })
    }

    /// Steps until the basis is full.
    pub fn fill(&mut self, a: &impl LinearOperator<T>) -> Result<()> {
        let room = self.small.len();
        while self.count < room {
            let columns = self.steps(a, room - self.count)?;
            for column in columns {
                let k = self.count;
                if column.iter().any(|x| !x.is_finite()) {
                    return Err(Error::numeric("eigsh: the product has a NaN or an infinity"));
                }
                // The lower part of the column is zero, or was found with the columns before.
                for (i, &value) in column[..=k].iter().enumerate() {
                    (self.small[i][k], self.small[k][i]) = (value, value);
                }
                self.count += 1;
                self.beyond = vec![0.0; room];
                self.beyond[k] = column[k + 1];
                let sizes = self.small.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
                let noise = epsilon_of::<T>() * (self.n as f64).sqrt().max(16.0);
                if column[k + 1] <= noise * sizes || self.count == self.n {
                    // The space is closed under the map: what follows is rounding. Another vector
                    // opens the next one, to which this one has no part.
                    self.beyond[k] = 0.0;
                    self.another()?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// So many steps: the columns of the matrix.
    fn steps(&mut self, a: &impl LinearOperator<T>, steps: usize) -> Result<Vec<Vec<f64>>> {
        let n = self.n;
        extended(&mut self.vectors, self.count, steps, |v| {
            let product = a.apply(v)?;
            match product.shape() {
                [m] if *m == n => Ok(product),
                shape => Err(Error::shape(format!(
                    "eigsh: the product with a vector of {n} is of shape {shape:?}"
                ))),
            }
        })
    }

    /// Puts a vector at the end that the others have no part in; zeros where they are all there are.
    pub fn another(&mut self) -> Result<()> {
        if self.count >= self.n {
            return Ok(());
        }
        let made = self.vectors.slice(s![..self.count, ..]);
        let mut w = self.numbers.vector::<T>(self.n)?;
        for _ in 0..2 {
            w -= made.t().try_matmul(&made.try_matmul(&w)?)?;
            w /= w.norm(0);
        }
        w.eval()?;
        drop(made);
        self.vectors.assign(s![self.count, ..], w);
        self.vectors.eval()
    }

    /// Combinations of the vectors, the rows of a matrix of weights.
    pub fn combined(&self, weights: &[Vec<f64>]) -> Result<DeviceArray<T>> {
        let all: Vec<T> = weights.iter().flatten().map(|&x| T::from_f64(x)).collect();
        let weights = DeviceArray::from_vec([weights.len(), self.count], all)?;
        weights.try_matmul(&self.vectors.slice(s![..self.count, ..]))
    }

    /// Keeps so many combinations, which the small matrix has the eigenvalues `values` for, and the last
    /// vector. Source: K. Wu and H. Simon, SIAM J. Matrix Anal. Appl. 22 (2000), 602.
    pub fn keep(&mut self, values: &[f64], weights: &[Vec<f64>]) -> Result<()> {
        let (kept, room) = (values.len(), self.small.len());
        let rows = self.combined(weights)?;
        let last = self.vectors.slice(s![self.count, ..]);
        eval(&[&rows, &last])?;
        self.vectors.assign(s![..kept, ..], rows);
        self.vectors.assign(s![kept, ..], last);
        self.vectors.eval()?;
        self.small = vec![vec![0.0; room]; room];
        values.iter().enumerate().for_each(|(i, &value)| self.small[i][i] = value);
        self.count = kept;
        Ok(())
    }

    /// The eigenvalues of the small matrix, rising, and its eigenvectors as rows.
    pub fn eigen(&self) -> Result<(Vec<f64>, Vec<Vec<f64>>)> {
        let m = self.count;
        let all: Vec<f64> = self.small[..m].iter().flat_map(|row| row[..m].to_vec()).collect();
        Device::cpu().scope(|| {
            let (values, vectors) = DeviceArray::from_vec([m, m], all)?.try_eigh()?;
            let vectors = vectors.t();
            eval(&[&values, &vectors])?;
            let rows = vectors.to_vec()?.chunks(m).map(<[f64]>::to_vec).collect();
            Ok((values.to_vec()?, rows))
        })
    }
}
