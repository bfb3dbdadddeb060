//! Some eigenvalues of a symmetric matrix.

use super::LinearOperator;
use super::lanczos::{Basis, Numbers};
use super::minres::epsilon_of;
use crate::array::{DeviceArray, located};
use crate::backend::Device;
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// Which eigenvalues are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those of the largest absolute values. SciPy: `"LM"`.
    LargestMagnitude,
    /// Those of the smallest absolute values. SciPy: `"SM"`.
    SmallestMagnitude,
    /// The largest ones. SciPy: `"LA"`.
    LargestAlgebraic,
    /// The smallest ones. SciPy: `"SA"`.
    SmallestAlgebraic,
    /// As many of the smallest as of the largest ones, of the largest one more where their number is
    /// odd. SciPy: `"BE"`.
    BothEnds,
}

impl Which {
    /// The places among rising eigenvalues, the most wanted ones first.
    fn order(self, values: &[f64]) -> Vec<usize> {
        let m = values.len();
        let mut places: Vec<usize> = (0..m).collect();
        match self {
            Which::SmallestAlgebraic => {}
            Which::LargestAlgebraic => places.reverse(),
            Which::LargestMagnitude => {
                places.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
            }
            Which::SmallestMagnitude => {
                places.sort_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs()));
            }
            Which::BothEnds => {
                let end = |k: usize| if k % 2 == 0 { m - 1 - k / 2 } else { k / 2 };
                places = (0..m).map(end).collect();
            }
        }
        places
    }
}

/// When [`eigsh`](fn@eigsh) ends, and how it begins.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{EigenOptions, Which, eigsh}};
/// let a = Csr::diags([4, 4], &[(0, &DeviceArray::from_slice(&[1.0, -5.0, 3.0, 2.0])?)])?;
/// let options = EigenOptions::new().which(Which::SmallestAlgebraic);
/// assert!((eigsh(&a, 1, &options)?.values[0] + 5.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EigenOptions<T: Floating> {
    which: Which,
    tolerance: f64,
    max_turns: Option<usize>,
    vectors: Option<usize>,
    start: Option<DeviceArray<T>>,
}

impl<T: Floating> Default for EigenOptions<T> {
    fn default() -> Self {
        EigenOptions {
            which: Which::LargestMagnitude,
            tolerance: 0.0,
            max_turns: None,
            vectors: None,
            start: None,
        }
    }
}

impl<T: Floating> EigenOptions<T> {
    /// SciPy's: the eigenvalues of the largest absolute values, as exactly as the type allows, ten
    /// restarts for each unknown at most.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Which eigenvalues are wanted.
    #[must_use]
    pub fn which(mut self, which: Which) -> Self {
        self.which = which;
        self
    }

    /// The relative tolerance of eigenvalues. SciPy: `tol`.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The most restarts. SciPy: `maxiter`.
    #[doc(alias = "maxiter")]
    #[must_use]
    pub fn max_turns(mut self, turns: usize) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// How many vectors are kept, more than the eigenvalues; else twice as many and one, and 20 at
    /// least. SciPy: `ncv`.
    #[doc(alias = "ncv")]
    #[must_use]
    pub fn vectors(mut self, count: usize) -> Self {
        self.vectors = Some(count);
        self
    }

    /// The vector that the method begins with, else one of numbers that are drawn, the same on every
    /// run. A function, which knows neither the number of unknowns nor their device, needs one. SciPy:
    /// `v0`.
    #[doc(alias = "v0")]
    #[must_use]
    pub fn start(mut self, vector: &DeviceArray<T>) -> Self {
        self.start = Some(vector.clone());
        self
    }

    pub(super) fn wanted(&self) -> Which {
        self.which
    }

    /// The first vector, for a map of these dimensions.
    pub(super) fn begin(
        &self,
        name: &str,
        dimensions: Option<([usize; 2], Device)>,
        numbers: &mut Numbers,
    ) -> Result<DeviceArray<T>> {
        let start = match (&self.start, dimensions) {
            (Some(start), _) => start.clone(),
            (None, Some(([_, columns], device))) => device.scope(|| numbers.vector(columns))?,
            (None, None) => {
                return Err(Error::shape(format!(
                    "{name}: a function does not know the number of unknowns; give a `start`"
                )));
            }
        };
        let fits = dimensions.is_none_or(|([_, columns], _)| start.shape() == [columns]);
        if start.ndim() != 1 || !fits {
            let shape = start.shape();
            return Err(Error::shape(format!("{name}: a start of shape {shape:?}")));
        }
        Ok(start)
    }
}

/// Eigenvalues and eigenvectors.
#[derive(Clone, Debug)]
pub struct Eigen<T: Floating> {
    /// The eigenvalues, rising.
    pub values: Vec<f64>,
    /// The eigenvectors, of length one, as columns.
    pub vectors: DeviceArray<T>,
    /// The restarts.
    pub turns: usize,
    /// For each eigenvalue the norm of `A·v − λ·v`, as the recurrences have it.
    pub residuals: Vec<f64>,
    /// Whether all of them reached the tolerance. Where they did not, the turns were at their end.
    pub converged: bool,
}

/// The `k` most wanted eigenvalues of a symmetric matrix and their eigenvectors, by Lanczos's method,
/// begun anew with what it found.
///
/// Inner eigenvalues, and small ones between large ones, come slowly; those next to zero are the largest
/// ones of the inverse, `|x| factors.solve(x)` ([`splu`](super::splu)). A multiple eigenvalue may be
/// found less often than it is there.
///
/// **Shape.** `[k]` and `[n, k]`. **Laziness.** Computes now; the vectors stay on the device. The small
/// matrix of each restart is diagonalised on the host, by the feature `linalg`. SciPy:
/// `scipy.sparse.linalg.eigsh`, which raises an error where it does not converge. Source: K. Wu and H.
/// Simon, SIAM J. Matrix Anal. Appl. 22 (2000), 602, with vectors that are made orthogonal twice.
///
/// # Errors
/// [`Error::is_shape`] where the matrix is not square, or there are not more unknowns than eigenvalues
/// asked for, or no vectors beside these; [`Error::is_numeric`] where a product is not finite. That the
/// method did not converge is no error: [`Eigen::converged`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Csr, linalg::{EigenOptions, Which, eigsh}};
/// let (two, minus) = (DeviceArray::full([1], 2.0), DeviceArray::full([1], -1.0));
/// let a = Csr::diags([100, 100], &[(-1, &minus), (0, &two), (1, &minus)])?;
/// let found = eigsh(&a, 2, &EigenOptions::new().which(Which::LargestAlgebraic))?;
/// let wanted = 2.0 + 2.0 * (std::f64::consts::PI / 101.0).cos();
/// assert!(found.converged && (found.values[1] - wanted).abs() < 1e-12);
/// let rest = a.dot(&found.vectors) - &found.vectors * DeviceArray::from_slice(&found.values)?;
/// assert!(rest.abs().max(..).item()? < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn eigsh<T: Floating>(
    a: &impl LinearOperator<T>,
    k: usize,
    options: &EigenOptions<T>,
) -> Result<Eigen<T>> {
    let run = || {
        let mut numbers = Numbers(1);
        let start = options.begin("eigsh", a.dimensions(), &mut numbers)?;
        if let Some(([rows, columns], _)) = a.dimensions()
            && rows != columns
        {
            return Err(Error::shape(format!("eigsh: a matrix of {rows} × {columns}")));
        }
        start.device().scope(|| found(a, k, &start, options, numbers))
    };
    located(run())
}

/// What a cycle found.
struct Ritz {
    /// The eigenvalues of the small matrix, rising, and its eigenvectors.
    values: Vec<f64>,
    weights: Vec<Vec<f64>>,
    /// The norm of what each of them leaves.
    residuals: Vec<f64>,
    /// Their places, the most wanted ones first.
    order: Vec<usize>,
    /// The largest absolute value.
    size: f64,
}

impl Ritz {
    fn new<T: Floating>(basis: &Basis<T>, which: Which) -> Result<Ritz> {
        let (values, weights) = basis.eigen()?;
        let residual = |row: &Vec<f64>| -> f64 {
            row.iter().zip(&basis.beyond).map(|(w, b)| w * b).sum::<f64>().abs()
        };
        let size = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let (residuals, order) = (weights.iter().map(residual).collect(), which.order(&values));
        Ok(Ritz { values, weights, residuals, order, size })
    }

    /// How many of the wanted ones leave as little as they may.
    fn good(&self, k: usize, tolerance: f64, epsilon: f64) -> usize {
        // Weights of the small matrix are not known better than a few roundings.
        let enough = |place: usize| {
            (tolerance.max(epsilon) * self.values[place].abs()).max(32.0 * epsilon * self.size)
        };
        self.order[..k].iter().filter(|&&place| self.residuals[place] <= enough(place)).count()
    }

    /// The wanted eigenvalues, rising.
    fn wanted(&self, k: usize) -> Vec<f64> {
        let mut wanted: Vec<f64> =
            self.order[..k].iter().map(|&place| self.values[place]).collect();
        wanted.sort_by(f64::total_cmp);
        wanted
    }

    /// Whether the first one that is not wanted is told apart from those that are.
    fn is_resolved(&self, k: usize) -> bool {
        let next = self.order[k];
        let apart = |place: &usize| (self.values[*place] - self.values[next]).abs();
        self.order[..k].iter().all(|place| self.residuals[next] <= apart(place))
    }

    fn weights(&self, places: &[usize]) -> Vec<Vec<f64>> {
        places.iter().map(|&place| self.weights[place].clone()).collect()
    }

    fn eigen<T: Floating>(
        &self,
        basis: &Basis<T>,
        k: usize,
        turns: usize,
        converged: bool,
    ) -> Result<Eigen<T>> {
        let mut places = self.order[..k].to_vec();
        places.sort_unstable();
        let vectors = basis.combined(&self.weights(&places))?.t();
        vectors.eval()?;
        let of = |numbers: &[f64]| places.iter().map(|&place| numbers[place]).collect();
        let (values, residuals) = (of(&self.values), of(&self.residuals));
        Ok(Eigen { values, vectors, turns, residuals, converged })
    }
}

/// Cycles until the wanted eigenvalues are found, or turns are at their end.
pub(super) fn found<T: Floating>(
    a: &impl LinearOperator<T>,
    k: usize,
    start: &DeviceArray<T>,
    options: &EigenOptions<T>,
    numbers: Numbers,
) -> Result<Eigen<T>> {
    let n = start.len();
    let room = options.vectors.unwrap_or_else(|| (2 * k + 1).max(20)).min(n);
    // With all vectors there is nothing to begin anew.
    if k > n || (room <= k && room < n) {
        return Err(Error::shape(format!(
            "eigsh: {k} eigenvalues of {n} unknowns with {room} vectors"
        )));
    }
    if k == 0 {
        let vectors = DeviceArray::zeros([n, 0]);
        let (values, residuals) = (Vec::new(), Vec::new());
        return Ok(Eigen { values, vectors, turns: 0, residuals, converged: true });
    }
    let (most, epsilon) = (options.max_turns.unwrap_or(10 * n), epsilon_of::<T>());
    let mut basis = Basis::new(start, room, numbers)?;
    let mut turns = 0;
    // The eigenvalues that were found first, and after how many turns.
    let mut before: Option<(Vec<f64>, usize)> = None;
    loop {
        basis.fill(a)?;
        turns += 1;
        let ritz = Ritz::new(&basis, options.which)?;
        let good = ritz.good(k, options.tolerance, epsilon);
        let wanted = ritz.wanted(k);
        let stays = |(before, _): &(Vec<f64>, usize)| {
            let changes = before.iter().zip(&wanted).map(|(a, b)| (a - b).abs());
            changes.fold(0.0, f64::max) <= epsilon.sqrt() * ritz.size
        };
        let since = before.as_ref().filter(|before| good == k && stays(before)).map(|(_, at)| *at);
        // Nothing has come up that was hidden from the first vector, in as many turns again at most.
        let looked = since.is_some_and(|at| turns >= 2 * at || ritz.is_resolved(k));
        if room == n || looked || turns >= most.max(1) {
            return ritz.eigen(&basis, k, turns, good == k);
        }
        let is_fresh = good == k && since.is_none();
        // A few more than are wanted are kept, so that those converge sooner.
        let kept = if is_fresh {
            k
        } else if k == 1 && room > 5 {
            room / 2
        } else {
            k + good.min((room - k) / 2)
        };
        let places = &ritz.order[..kept.min(room - 1)];
        let values: Vec<f64> = places.iter().map(|&place| ritz.values[place]).collect();
        basis.keep(&values, &ritz.weights(places))?;
        if is_fresh {
            // A vector of its own may show eigenvectors that the first one had no part in.
            before = Some((wanted, turns));
            basis.another()?;
        } else if since.is_none() {
            before = None;
        }
    }
}
