//! Eigenvalues and eigenvectors of real matrices in real numbers.

use crate::array::{DeviceArray, located, recorded};
use crate::dtype::{Complex, Element, Factorable};
use crate::error::{Error, Result};

type C = Complex<f64>;

/// Eigenvalues that differ by less than this part are each other's conjugates, in single precision
/// too.
const SAME: f64 = 1e-4;

/// The first places of pairs among the eigenvalues of one matrix.
fn pairs(w: &[C]) -> Result<Vec<usize>> {
    let (mut found, mut k) = (Vec::new(), 0);
    while k < w.len() {
        if w[k].im == 0.0 {
            k += 1;
            continue;
        }
        let fits =
            w.get(k + 1).is_some_and(|next| (next.conj() - w[k]).norm() <= SAME * w[k].norm());
        if !fits {
            return Err(Error::numeric(format!(
                "cdf2rdf: the eigenvalue {} does not stand before its conjugate",
                w[k]
            )));
        }
        found.push(k);
        k += 2;
    }
    Ok(found)
}

/// The block of a pair in a diagonal, and both columns of vectors, in real numbers.
fn real(w: &[C], v: &[C], n: usize) -> Result<[Vec<f64>; 2]> {
    let mut vectors: Vec<f64> = v.iter().map(|x| x.re).collect();
    let mut diagonal = vec![0.0; n * n];
    (0..n).for_each(|k| diagonal[k * n + k] = w[k].re);
    for k in pairs(w)? {
        diagonal[k * n + k + 1] = w[k].im;
        diagonal[(k + 1) * n + k] = w[k + 1].im;
        for i in 0..n {
            let (left, right) = (v[i * n + k], v[i * n + k + 1]);
            vectors[i * n + k] = 0.5 * (right.im - left.im);
            vectors[i * n + k + 1] = 0.5 * (left.re + right.re);
        }
    }
    Ok([diagonal, vectors])
}

/// What [`eig`](DeviceArray::eig) gives of a real matrix, or of each of a batch, in real numbers: a
/// matrix with blocks of one or two rows on its diagonal, the second for pairs of eigenvalues, and real
/// vectors with `a · v = v · w`. A pair stands side by side.
///
/// **Evaluates**, and works on the host. **Shape.** `[…, n]` and `[…, n, n]` give two of the second.
/// **Dtype.** Real, of the arrays' precision. SciPy: `linalg.cdf2rdf`.
///
/// # Errors
/// [`Error::is_shape`] where the shapes do not fit, [`Error::is_numeric`] where an eigenvalue that is not
/// real does not stand beside its conjugate; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let (i, half) = (Complex::new(0.0, 1.0), Complex::new(0.5, 0.0));
/// let w = DeviceArray::from_slice(&[i, -i])?;
/// let v = DeviceArray::from_vec([2, 2], vec![half, half, half * i, -half * i])?;
/// let (w, v) = lazuli::linalg::cdf2rdf(&w, &v)?;
/// assert_eq!(w.to_vec()?, [0.0, 1.0, -1.0, 0.0]);
/// assert_eq!(v.to_vec()?, [0.0, 0.5, -0.5, 0.0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn cdf2rdf<T: Factorable>(
    w: &DeviceArray<T>,
    v: &DeviceArray<T>,
) -> Result<(DeviceArray<<T as Element>::Real>, DeviceArray<<T as Element>::Real>)> {
    let find = || {
        let n = w.shape().last().copied().unwrap_or(0);
        let fits = v.shape().strip_prefix(w.shape()).is_some_and(|rest| rest == [n]);
        if !fits || w.ndim() == 0 {
            return Err(Error::shape(format!(
                "cdf2rdf: eigenvalues of the shape {:?} and vectors of the shape {:?}",
                w.shape(),
                v.shape()
            )));
        }
        let (values, vectors) = (w.cast::<C>().to_vec()?, v.cast::<C>().to_vec()?);
        let (mut diagonals, mut columns) = (Vec::new(), Vec::new());
        for (w, v) in values.chunks(n.max(1)).zip(vectors.chunks((n * n).max(1))) {
            let [diagonal, vectors] = real(w, v, n)?;
            diagonals.extend(diagonal);
            columns.extend(vectors);
        }
        v.device().scope(|| {
            let of = |values| DeviceArray::<f64>::from_vec(v.shape(), values);
            Ok((of(diagonals)?.cast(), of(columns)?.cast()))
        })
    };
    located(recorded(find))
}
