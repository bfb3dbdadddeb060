//! Roots, logarithms, powers and signs of matrices, by the functions of triangles (N. J. Higham,
//! "Functions of matrices", 2008).

use super::decompose::schur;
use super::triangle::{Square, over};
use super::{C, matrices, upload};
use crate::array::{DeviceArray, located, recorded};
use crate::dtype::Factorable;
use crate::error::{Error, Result};

const ZERO: C = C::new(0.0, 0.0);
const ONE: C = C::new(1.0, 0.0);

/// The square root of a triangle, column by column (Å. Björck and S. Hammarling, 1983).
fn root(name: &str, t: &Square) -> Result<Square> {
    let n = t.n();
    let mut r = Square::zeros(n);
    for j in 0..n {
        r[(j, j)] = t[(j, j)].sqrt();
        for i in (0..j).rev() {
            let known: C = (i + 1..j).map(|k| r[(i, k)] * r[(k, j)]).sum();
            let (left, sum) = (t[(i, j)] - known, r[(i, i)] + r[(j, j)]);
            r[(i, j)] = match (sum == ZERO, left == ZERO) {
                (false, _) => over(left, sum),
                (true, true) => ZERO,
                (true, false) => {
                    return Err(Error::numeric(format!("{name}: the matrix has no square root")));
                }
            };
        }
    }
    Ok(r)
}

/// `e^z - 1`, exact near zero.
fn exp_m1(z: C) -> C {
    let (half, grown) = ((0.5 * z.im).sin(), z.re.exp_m1());
    C::new(grown * z.im.cos() - 2.0 * half * half, z.re.exp() * z.im.sin())
}

/// How many turns around zero the logarithms' difference leaves out.
fn unwinding(z: C) -> f64 {
    ((z.im - std::f64::consts::PI) / std::f64::consts::TAU).ceil()
}

/// The divided difference of the logarithm, `(ln b - ln a) / (b - a)` (Higham, 11.28).
fn log_difference(a: C, b: C) -> C {
    if a == b {
        return over(ONE, a);
    }
    let z = over(b - a, b + a);
    if (b - a).norm() > 0.5 * (a.norm() + b.norm()) || !z.is_finite() {
        return over(b.ln() - a.ln(), b - a);
    }
    let turns = C::new(0.0, std::f64::consts::PI * unwinding(b.ln() - a.ln()));
    over((z.atanh() + turns) * 2.0, b - a)
}

/// The divided difference of a power, `(b^p - a^p) / (b - a)` (N. J. Higham and L. Lin, 2011, 5.6).
fn power_difference(a: C, b: C, p: f64) -> C {
    let (log_a, log_b) = (a.ln(), b.ln());
    if a == b {
        return ((p - 1.0) * log_a).exp() * p;
    }
    if (b - a).norm() > 0.5 * (a.norm() + b.norm()) {
        return over((log_b * p).exp() - (log_a * p).exp(), b - a);
    }
    let turns = C::new(0.0, std::f64::consts::PI * unwinding(log_b - log_a));
    let angle = (over(b - a, b + a).atanh() + turns) * p;
    over(((log_a + log_b) * (0.5 * p)).exp() * angle.sinh() * 2.0, b - a)
}

/// The nodes and weights of Gauss and Legendre's quadrature on `[0, 1]` with 7 places.
const NODES: [(f64, f64); 7] = [
    (0.025_446_043_828_620_74, 0.06474248308443485),
    (0.12923440720030277, 0.13985269574463833),
    (0.2970774243113014, 0.19091502525255947),
    (0.5, 0.208_979_591_836_734_7),
    (0.7029225756886985, 0.19091502525255947),
    (0.8707655927996972, 0.13985269574463833),
    (0.9745539561713793, 0.06474248308443485),
];

/// The distance from the identity up to which the approximant is exact to rounding (Higham, table
/// 11.1, degree 7).
const NEAR: f64 = 0.26;

/// The logarithm of a triangle: square roots until it is near the identity, and a Padé approximant by
/// partial fractions (A. Al-Mohy and N. Higham, "Improved inverse scaling and squaring algorithms for
/// the matrix logarithm", 2012, with a fixed degree). The diagonal and the one above are computed by
/// themselves.
fn log(name: &str, t: &Square) -> Result<Square> {
    let n = t.n();
    if (0..n).any(|i| t[(i, i)] == ZERO) {
        return Err(Error::numeric(format!("{name}: the matrix is singular")));
    }
    let (mut r, mut roots) = (t.clone(), 0);
    let distance = |r: &Square| {
        let mut x = r.clone();
        (0..n).for_each(|i| x[(i, i)] -= ONE);
        x
    };
    while distance(&r).norm() > NEAR {
        if roots == 1100 {
            return Err(Error::numeric(format!("{name}: the roots do not come near to 1")));
        }
        r = root(name, &r)?;
        roots += 1;
    }
    let power = (-f64::from(roots)).exp2();
    let mut x = distance(&r);
    for i in 0..n {
        x[(i, i)] = exp_m1(t[(i, i)].ln() * power);
        if i + 1 < n {
            let (a, b) = (t[(i, i)], t[(i + 1, i + 1)]);
            x[(i, i + 1)] = t[(i, i + 1)] * power_difference(a, b, power);
        }
    }
    let mut sum = Square::zeros(n);
    for (node, weight) in NODES {
        let mut below = x.clone();
        below.scale(node);
        (0..n).for_each(|i| below[(i, i)] += ONE);
        let part = below.solve_upper(&x);
        for i in 0..n {
            (i..n).for_each(|j| sum[(i, j)] += part[(i, j)] * weight);
        }
    }
    sum.scale(f64::from(roots).exp2());
    for i in 0..n {
        sum[(i, i)] = t[(i, i)].ln();
        if i + 1 < n {
            let (a, b) = (t[(i, i)], t[(i + 1, i + 1)]);
            sum[(i, i + 1)] = t[(i, i + 1)] * log_difference(a, b);
        }
    }
    Ok(sum)
}

/// The sign of a triangle (Higham, algorithm 5.5).
fn sign(name: &str, t: &Square) -> Result<Square> {
    let n = t.n();
    let mut s = Square::zeros(n);
    for j in 0..n {
        if t[(j, j)].re == 0.0 {
            return Err(Error::numeric(format!(
                "{name}: an eigenvalue lies on the imaginary axis"
            )));
        }
        s[(j, j)] = C::new(t[(j, j)].re.signum(), 0.0);
        for i in (0..j).rev() {
            let inner = i + 1..j;
            let sum = s[(i, i)] + s[(j, j)];
            s[(i, j)] = if sum != ZERO {
                let known: C = inner.map(|k| s[(i, k)] * s[(k, j)]).sum();
                over(-known, sum)
            } else {
                let both = inner.map(|k| s[(i, k)] * t[(k, j)] - t[(i, k)] * s[(k, j)]);
                let known: C = both.sum();
                let difference = t[(i, i)] - t[(j, j)];
                over(t[(i, j)] * (s[(i, i)] - s[(j, j)]) + known, difference)
            };
        }
    }
    Ok(s)
}

/// A function of the triangles of all matrices, turned back.
pub(super) fn by_triangles<T: Factorable, U: Factorable>(
    name: &str,
    a: &DeviceArray<T>,
    of: impl Fn(&Square) -> Result<Square>,
) -> Result<DeviceArray<U>> {
    let (own, squares) = matrices(name, a)?;
    let mut results = Vec::new();
    for square in squares {
        let (t, z) = schur(name, square)?;
        results.push(of(&t)?.turned_by(&z));
    }
    upload(a, &own, &results)
}

impl<T: Factorable> DeviceArray<T> {
    /// The principal square root of a square matrix, or of each of a batch: the one whose eigenvalues
    /// have no negative real part.
    ///
    /// **Evaluates**, and works on the host. **Shape.** The array's, `[…, n, n]`. **Dtype.** Complex in
    /// any case; of a real matrix without negative eigenvalues the imaginary parts are rounding. SciPy:
    /// `linalg.sqrtm`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where it has no square
    /// root that is a function of it, as some singular ones, or holds what is not finite; what the
    /// evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 3.0, 0.0, 4.0])?;
    /// let root = a.sqrtm()?.real().to_vec()?;
    /// assert!(root.iter().zip([1.0, 1.0, 0.0, 2.0]).all(|(x, y)| (x - y).abs() < 1e-14));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn sqrtm(&self) -> Result<DeviceArray<T::Complex>> {
        located(recorded(|| by_triangles("sqrtm", self, |t| root("sqrtm", t))))
    }

    /// The principal logarithm of a square matrix, or of each of a batch: the one whose eigenvalues
    /// have imaginary parts above -π and up to π.
    ///
    /// **Evaluates**, and works on the host. **Shape.** The array's, `[…, n, n]`. **Dtype.** Complex in
    /// any case; of a real matrix without negative eigenvalues the imaginary parts are rounding. SciPy:
    /// `linalg.logm`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where it is singular or
    /// holds what is not finite; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 2.0, 0.0, 1.0])?;
    /// let log = a.logm()?.real().to_vec()?;
    /// assert!(log.iter().zip([0.0, 2.0, 0.0, 0.0]).all(|(x, y)| (x - y).abs() < 1e-14));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn logm(&self) -> Result<DeviceArray<T::Complex>> {
        located(recorded(|| by_triangles("logm", self, |t| log("logm", t))))
    }

    /// A power of a square matrix, or of each of a batch, whose exponent need not be a whole number:
    /// the exponential of the logarithm times the part that is not, times the power that is
    /// ([`matrix_power`](Self::matrix_power)).
    ///
    /// **Evaluates** the logarithm on the host; records the rest. **Shape.** The array's, `[…, n, n]`.
    /// **Dtype.** Complex in any case. SciPy: `linalg.fractional_matrix_power`.
    ///
    /// # Errors
    /// As [`logm`](Self::logm), unless the exponent is whole; [`Error::is_shape`] where it is not
    /// finite.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![1.0, 2.0, 0.0, 1.0])?;
    /// let b = a.fractional_matrix_power(1.5)?.real().to_vec()?;
    /// assert!(b.iter().zip([1.0, 3.0, 0.0, 1.0]).all(|(x, y)| (x - y).abs() < 1e-13));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn fractional_matrix_power(&self, exponent: f64) -> Result<DeviceArray<T::Complex>> {
        const NAME: &str = "fractional_matrix_power";
        let find = || {
            super::Matrices::square(NAME, self.node())?;
            let whole = exponent.round();
            if whole.is_nan() || whole.abs() > f64::from(i32::MAX) {
                return Err(Error::shape(format!("{NAME}: the exponent is {exponent}")));
            }
            let wide = self.cast::<C>();
            let power = wide.try_matrix_power(whole as i32)?;
            if whole == exponent {
                return Ok(power.cast());
            }
            let log: DeviceArray<C> = by_triangles(NAME, self, |t| log(NAME, t))?;
            let rest = (log * C::new(exponent - whole, 0.0)).try_expm()?;
            Ok(power.try_matmul(&rest)?.cast())
        };
        located(recorded(find))
    }

    /// The sign of a square matrix, or of each of a batch: the matrix with its eigenvectors, whose
    /// eigenvalues are 1 in place of those with a positive real part, and -1 of those with a negative
    /// one.
    ///
    /// **Evaluates**, and works on the host. **Shape.** The array's, `[…, n, n]`. **Dtype.** The
    /// array's. SciPy: `linalg.signm`.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a matrix is not square, [`Error::is_numeric`] where an eigenvalue lies
    /// on the imaginary axis or it holds what is not finite; what the evaluation fails with.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::from_vec([2, 2], vec![3.0, 4.0, 0.0, -5.0])?;
    /// let sign = a.signm()?.to_vec()?;
    /// assert!(sign.iter().zip([1.0, 1.0, 0.0, -1.0]).all(|(x, y)| (x - y).abs() < 1e-14));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn signm(&self) -> Result<DeviceArray<T>> {
        located(recorded(|| by_triangles("signm", self, |t| sign("signm", t))))
    }
}
