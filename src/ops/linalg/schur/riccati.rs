//! Riccati's algebraic equations, of continuous and of discrete time.

use super::decompose::{rotation, schur};
use super::triangle::Square;
use super::{C, matrices};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Factorable;
use crate::error::{Error, Result};
use crate::ops::join::try_concatenate;

/// After so many doublings of a step an iteration has left the range of numbers or stands.
const MOST_DOUBLINGS: usize = 60;

/// Swaps neighbours on the diagonal of a triangle `t`, and keeps `z · t · zᴴ` (LAPACK's `ztrexc`).
fn swap(t: &mut Square, z: &mut Square, k: usize) {
    let n = t.n();
    let (here, next) = (t[(k, k)], t[(k + 1, k + 1)]);
    let (c, s) = rotation(t[(k, k + 1)], next - here);
    for j in k + 2..n {
        let (upper, lower) = (t[(k, j)], t[(k + 1, j)]);
        t[(k, j)] = upper * c + s * lower;
        t[(k + 1, j)] = lower * c - s.conj() * upper;
    }
    for (m, rows) in [(&mut *t, k), (z, n)] {
        for i in 0..rows {
            let (left, right) = (m[(i, k)], m[(i, k + 1)]);
            m[(i, k)] = left * c + s.conj() * right;
            m[(i, k + 1)] = right * c - s * left;
        }
    }
    (t[(k, k)], t[(k + 1, k + 1)]) = (next, here);
}

/// Brings the eigenvalues that are wanted to the front; how many they are.
fn order(t: &mut Square, z: &mut Square, wanted: impl Fn(C) -> bool) -> usize {
    let mut count = 0;
    for k in 0..t.n() {
        if wanted(t[(k, k)]) {
            (count..k).rev().for_each(|l| swap(t, z, l));
            count += 1;
        }
    }
    count
}

/// A part of one square matrix, as an array beside another one.
fn block(like: &DeviceArray<C>, z: &Square, from: usize, n: usize) -> Result<DeviceArray<C>> {
    let elements = (0..n * n).map(|p| z[(from + p / n, p % n)]).collect();
    like.device().scope(|| DeviceArray::from_vec([n, n], elements))
}

fn adjoint(a: &DeviceArray<C>) -> DeviceArray<C> {
    a.matrix_transpose().conj()
}

/// Half the sum of a matrix and its adjoint.
fn hermitian(a: &DeviceArray<C>) -> Result<DeviceArray<C>> {
    Ok(a.try_add(adjoint(a))? * C::new(0.5, 0.0))
}

/// `a`, `b r⁻¹ bᴴ` and `q`, in double precision.
fn weighted<T: Factorable>(
    name: &'static str,
    [a, b, q, r]: [&DeviceArray<T>; 4],
) -> Result<[DeviceArray<C>; 3]> {
    let (n, m) = match (a.shape(), b.shape()) {
        (&[n, k], &[l, m]) if n == k && n == l => (n, m),
        _ => (0, 0),
    };
    if n * m == 0 || q.shape() != [n, n] || r.shape() != [m, m] {
        return Err(Error::shape(format!(
            "{name}: shapes {:?}, {:?}, {:?} and {:?}: they must be [n, n], [n, m], [n, n] and [m, m], \
             without a 0",
            a.shape(),
            b.shape(),
            q.shape(),
            r.shape()
        )));
    }
    let all = [a.cast::<C>(), b.cast(), q.cast(), r.cast()];
    for one in &all {
        if one.to_vec()?.iter().any(|x| !x.is_finite()) {
            return Err(Error::numeric(format!("{name}: a matrix holds what is not finite")));
        }
    }
    let [a, b, q, r] = all;
    for (what, one) in [("q", &q), ("r", &r)] {
        let off = one.try_subtract(adjoint(one))?.abs().max(..).item()?;
        if off > 100.0 * f64::EPSILON * one.abs().max(..).item()? {
            return Err(Error::shape(format!("{name}: `{what}` is not its own adjoint")));
        }
    }
    let g = b.try_matmul(&r.try_solve(&adjoint(&b))?)?;
    Ok([a, hermitian(&g)?, q])
}

/// The solution of Riccati's equation `aᴴ x + x a - x b r⁻¹ bᴴ x + q = 0` for which `a - b r⁻¹ bᴴ x`
/// is stable: the cost of the best control of a continuous system.
///
/// It stands in the space of the stable eigenvalues of `[a, -b r⁻¹ bᴴ; -q, -aᴴ]` (A. Laub, 1979).
///
/// **Evaluates**, and works on the host. **Shape.** `[n, n]`, `[n, m]`, `[n, n]` and `[m, m]` give
/// `[n, n]`. **Dtype.** The arrays'; computed in double precision. SciPy: `linalg.solve_continuous_are`.
///
/// # Errors
/// [`Error::is_shape`] where the shapes do not fit or `q` or `r` is not its own adjoint;
/// [`Error::is_numeric`] where `r` is singular, there is no such solution, or a matrix holds what is not
/// finite; what the evaluation fails with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let one = |x: f64| DeviceArray::from_vec([1, 1], vec![x]);
/// // 2 x - x² + 3 = 0.
/// let x = lazuli::linalg::solve_continuous_are(&one(1.0)?, &one(1.0)?, &one(3.0)?, &one(1.0)?)?;
/// assert!((x.item()? - 3.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn solve_continuous_are<T: Factorable>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    q: &DeviceArray<T>,
    r: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    const NAME: &str = "solve_continuous_are";
    let find = || {
        let [a, g, q] = weighted(NAME, [a, b, q, r])?;
        let upper = try_concatenate(&[a.clone(), -g], 1)?;
        let lower = try_concatenate(&[-q, -adjoint(&a)], 1)?;
        let both = try_concatenate(&[upper, lower], 0)?;
        let (_, mut squares) = matrices(NAME, &both)?;
        let (mut t, mut z) = schur(NAME, squares.swap_remove(0))?;
        // What lies so near to the imaginary axis is on it but for rounding.
        let (n, least) = (a.shape()[0], 10.0 * t.norm() * f64::EPSILON);
        let stable = order(&mut t, &mut z, |x| x.re < 0.0);
        if stable != n || (0..2 * n).any(|k| t[(k, k)].re.abs() <= least) {
            return Err(Error::numeric(format!("{NAME}: there is no solution that is stable")));
        }
        // x = lower · upper⁻¹.
        let (upper, lower) = (block(&a, &z, 0, n)?, block(&a, &z, n, n)?);
        let x = adjoint(&adjoint(&upper).try_solve(&adjoint(&lower))?);
        finished(NAME, &x)
    };
    located(recorded(find))
}

/// A solution, which is its own adjoint, in the type of the arrays.
fn finished<T: Factorable>(name: &str, x: &DeviceArray<C>) -> Result<DeviceArray<T>> {
    let x = hermitian(x)?;
    match x.to_vec()?.iter().all(|x| x.is_finite()) {
        true => Ok(x.cast()),
        false => Err(Error::numeric(format!("{name}: there is no solution that is stable"))),
    }
}

/// The solution of Riccati's equation `aᴴ x a - x - aᴴ x b (r + bᴴ x b)⁻¹ bᴴ x a + q = 0` for which
/// the system with the best control is stable: that control's cost for a discrete system.
///
/// Each turn doubles the number of steps that are looked ahead (E. Chu, H. Fan, W. Lin and C. Wang,
/// 2004). What is not stable without control must cost something by `q`, or no solution is found.
///
/// **Evaluates**. **Shape.** `[n, n]`, `[n, m]`, `[n, n]` and `[m, m]` give `[n, n]`. **Dtype.** The
/// arrays'; computed in double precision. SciPy: `linalg.solve_discrete_are`.
///
/// # Errors
/// As [`solve_continuous_are`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let one = |x: f64| DeviceArray::from_vec([1, 1], vec![x]);
/// let x = lazuli::linalg::solve_discrete_are(&one(1.0)?, &one(1.0)?, &one(1.0)?, &one(1.0)?)?;
/// // x² - x - 1 = 0: the golden ratio.
/// assert!((x.item()? - (1.0 + 5f64.sqrt()) / 2.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn solve_discrete_are<T: Factorable>(
    a: &DeviceArray<T>,
    b: &DeviceArray<T>,
    q: &DeviceArray<T>,
    r: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    const NAME: &str = "solve_discrete_are";
    let find = || {
        let [mut a, mut g, mut x] = weighted(NAME, [a, b, q, r])?;
        let one = a.device().scope(|| DeviceArray::<C>::eye(a.shape()[0]));
        for _ in 0..MOST_DOUBLINGS {
            let ahead = one.try_add(&g.try_matmul(&x)?)?;
            let (to_a, to_g) = (ahead.try_solve(&a)?, ahead.try_solve(&g)?);
            let more = adjoint(&a).try_matmul(&x.try_matmul(&to_a)?)?;
            let further = a.try_matmul(&to_g)?.try_matmul(&adjoint(&a))?;
            let next = hermitian(&x.try_add(&more)?)?;
            let moved = more.abs().max(..).item()?;
            let (size, left) = (next.abs().max(..).item()?, a.abs().max(..).item()?);
            if !size.is_finite() || !left.is_finite() {
                break;
            }
            // A system that has not forgotten where it began may still have costs to come.
            if moved <= f64::EPSILON * size && left < 1.0 {
                return finished(NAME, &next);
            }
            (a, g, x) = (a.try_matmul(&to_a)?, hermitian(&g.try_add(&further)?)?, next);
            for array in [&a, &g, &x] {
                array.eval()?;
            }
        }
        Err(Error::numeric(format!("{NAME}: there is no solution that is stable")))
    };
    located(recorded(find))
}
