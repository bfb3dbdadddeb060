//! Linear equations of matrices, by triangles (R. Bartels and G. Stewart, 1972).

use super::decompose::schur;
use super::triangle::{Square, over};
use super::{C, matrices};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Factorable;
use crate::error::{Error, Result};

/// Rows of numbers.
type Rows = Vec<Vec<C>>;

fn product(a: &Square, adjoint: bool, b: &Rows) -> Rows {
    let n = a.n();
    let at = |i: usize, k: usize| if adjoint { a[(k, i)].conj() } else { a[(i, k)] };
    let width = b.first().map_or(0, Vec::len);
    let element = |i: usize, j: usize| (0..n).map(|k| at(i, k) * b[k][j]).sum();
    (0..n).map(|i| (0..width).map(|j| element(i, j)).collect()).collect()
}

fn adjoint(a: &Rows) -> Rows {
    let width = a.first().map_or(0, Vec::len);
    (0..width).map(|j| a.iter().map(|row| row[j].conj()).collect()).collect()
}

/// `zᴴ · q · w`, or back: `z · q · wᴴ`.
fn turned(z: &Square, q: &Rows, w: &Square, back: bool) -> Rows {
    let half = product(z, !back, q);
    // (wᴴ halfᴴ)ᴴ is half · w.
    adjoint(&product(w, !back, &adjoint(&half)))
}

/// The solution of `(r · factor + by) x = b` for an upper triangle `r`.
fn back_substitution(
    name: &str,
    r: &Square,
    [factor, by]: [C; 2],
    mut b: Vec<C>,
    least: f64,
) -> Result<Vec<C>> {
    for i in (0..r.n()).rev() {
        let known: C = (i + 1..r.n()).map(|k| r[(i, k)] * b[k]).sum();
        let pivot = r[(i, i)] * factor + by;
        if pivot.norm() <= least {
            return Err(Error::numeric(format!("{name}: the equation has no unique solution")));
        }
        b[i] = over(b[i] - known * factor, pivot);
    }
    Ok(b)
}

/// The rows of one matrix on the host.
fn rows<T: Factorable>(name: &str, a: &DeviceArray<T>, [m, n]: [usize; 2]) -> Result<Rows> {
    if a.shape() != [m, n] {
        let shape = a.shape();
        return Err(Error::shape(format!("{name}: shape {shape:?} in the place of [{m}, {n}]")));
    }
    let all = a.cast::<C>().to_vec()?;
    if !all.iter().all(|x| x.re.is_finite() && x.im.is_finite()) {
        return Err(Error::numeric(format!("{name}: a matrix holds what is not finite")));
    }
    Ok(all.chunks(n.max(1)).map(<[C]>::to_vec).collect())
}

/// One square matrix in Schur's form.
fn triangle<T: Factorable>(name: &str, a: &DeviceArray<T>) -> Result<(Square, Square)> {
    let (own, mut squares) = matrices(name, a)?;
    if !own.lead.is_empty() {
        let shape = a.shape();
        return Err(Error::shape(format!("{name}: shape {shape:?} is not of one matrix")));
    }
    schur(name, squares.swap_remove(0))
}

fn upload<T: Factorable>(
    like: &DeviceArray<T>,
    rows: &Rows,
    shape: [usize; 2],
) -> Result<DeviceArray<T>> {
    let all: Vec<C> = rows.iter().flatten().copied().collect();
    Ok(like.device().scope(|| DeviceArray::from_vec(shape, all))?.cast())
}

/// The solution of `r · y + y · s = f` for upper triangles.
fn sylvester(name: &str, r: &Square, s: &Square, f: &Rows) -> Result<Rows> {
    let least = f64::EPSILON * 0.5 * r.largest().max(s.largest());
    let mut columns: Vec<Vec<C>> = Vec::new();
    for j in 0..s.n() {
        let side = |i: usize| {
            let known: C = columns.iter().enumerate().map(|(k, y)| y[i] * s[(k, j)]).sum();
            f[i][j] - known
        };
        let side = (0..r.n()).map(side).collect();
        let one = C::new(1.0, 0.0);
        columns.push(back_substitution(name, r, [one, s[(j, j)]], side, least)?);
    }
    Ok((0..r.n()).map(|i| columns.iter().map(|y| y[i]).collect()).collect())
}

/// The solution of Sylvester's equation `a · x + x · b = q`.
///
/// **Evaluates**, and works on the host. **Shape.** `[m, m]`, `[n, n]` and `[m, n]` give the last.
/// **Dtype.** The arrays'. SciPy: `linalg.solve_sylvester`.
///
/// # Errors
/// [`Error::is_shape`] where the shapes do not fit, [`Error::is_numeric`] where an eigenvalue of `a` is
/// the negative of one of `b`, so that there is no solution or more than one, or a matrix holds what is
/// not finite; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 2.0, 0.0, 3.0])?;
/// let b = DeviceArray::from_vec([1, 1], vec![1.0])?;
/// let q = DeviceArray::from_vec([2, 1], vec![6.0, 8.0])?;
/// let x = lazuli::linalg::solve_sylvester(&a, &b, &q)?.to_vec()?;
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn solve_sylvester<T: Factorable>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    q: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    const NAME: &str = "solve_sylvester";
    let find = || {
        let ((r, u), (s, v)) = (triangle(NAME, a)?, triangle(NAME, b)?);
        let shape = [r.n(), s.n()];
        let f = turned(&u, &rows(NAME, q, shape)?, &v, false);
        upload(q, &turned(&u, &sylvester(NAME, &r, &s, &f)?, &v, true), shape)
    };
    located(recorded(find))
}

/// The solution of Lyapunov's equation `a · x + x · aᴴ = q`.
///
/// **Evaluates**, and works on the host. **Shape.** `[n, n]` for both gives the same. **Dtype.** The
/// arrays'. SciPy: `linalg.solve_continuous_lyapunov`, `linalg.solve_lyapunov`.
///
/// # Errors
/// As [`solve_sylvester`], the second matrix being the first one's adjoint.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 0.0, 0.0, 2.0])?;
/// let q = DeviceArray::from_vec([2, 2], vec![2.0, 3.0, 3.0, 4.0])?;
/// let x = lazuli::linalg::solve_continuous_lyapunov(&a, &q)?.to_vec()?;
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14));
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "solve_lyapunov")]
#[track_caller]
pub fn solve_continuous_lyapunov<T: Factorable>(
    a: &DeviceArray<T>,
    q: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    const NAME: &str = "solve_continuous_lyapunov";
    let find = || {
        let (r, u) = triangle(NAME, a)?;
        let (n, q_rows) = (r.n(), rows(NAME, q, [r.n(), r.n()])?);
        let f = turned(&u, &q_rows, &u, false);
        // From the last column on: of the adjoint the triangle is a lower one.
        let least = f64::EPSILON * 0.5 * r.largest();
        let mut columns: Vec<Vec<C>> = vec![Vec::new(); n];
        for j in (0..n).rev() {
            let side = |i: usize| {
                let known: C = (j + 1..n).map(|k| columns[k][i] * r[(j, k)].conj()).sum();
                f[i][j] - known
            };
            let side = (0..n).map(side).collect();
            let factors = [C::new(1.0, 0.0), r[(j, j)].conj()];
            columns[j] = back_substitution(NAME, &r, factors, side, least)?;
        }
        let y: Rows = (0..n).map(|i| columns.iter().map(|y| y[i]).collect()).collect();
        upload(q, &turned(&u, &y, &u, true), [n, n])
    };
    located(recorded(find))
}

/// The solution of Lyapunov's equation of discrete time, `a · x · aᴴ - x + q = 0`.
///
/// **Evaluates**, and works on the host. **Shape.** `[n, n]` for both gives the same. **Dtype.** The
/// arrays'. SciPy: `linalg.solve_discrete_lyapunov`.
///
/// # Errors
/// [`Error::is_shape`] where the shapes do not fit, [`Error::is_numeric`] where the product of an
/// eigenvalue with the conjugate of one is 1, so that there is no solution or more than one, or a matrix
/// holds what is not finite; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::from_vec([1, 1], vec![0.5])?;
/// let x = lazuli::linalg::solve_discrete_lyapunov(&a, &DeviceArray::from_vec([1, 1], vec![3.0])?)?;
/// assert!((x.item()? - 4.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn solve_discrete_lyapunov<T: Factorable>(
    a: &DeviceArray<T>,
    q: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    const NAME: &str = "solve_discrete_lyapunov";
    let find = || {
        let (r, u) = triangle(NAME, a)?;
        let (n, q_rows) = (r.n(), rows(NAME, q, [r.n(), r.n()])?);
        let f = turned(&u, &q_rows, &u, false);
        let mut columns: Vec<Vec<C>> = vec![Vec::new(); n];
        for j in (0..n).rev() {
            let later =
                |i: usize| -> C { (j + 1..n).map(|k| columns[k][i] * r[(j, k)].conj()).sum() };
            let later: Vec<C> = (0..n).map(later).collect();
            let side = |i: usize| {
                let known: C = (i..n).map(|k| r[(i, k)] * later[k]).sum();
                -f[i][j] - known
            };
            let side = (0..n).map(side).collect();
            let factors = [r[(j, j)].conj(), C::new(-1.0, 0.0)];
            columns[j] = back_substitution(NAME, &r, factors, side, f64::EPSILON)?;
        }
        let y: Rows = (0..n).map(|i| columns.iter().map(|y| y[i]).collect()).collect();
        upload(q, &turned(&u, &y, &u, true), [n, n])
    };
    located(recorded(find))
}
