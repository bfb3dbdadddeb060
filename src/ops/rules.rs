//! Rules of integration: weights of values at given places.

use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// The weights of `n + 1` elements at the distance of one for the integral over all of them, and the
/// coefficient of the error: it is this number times `h^(n + 2)` times the derivative of the order
/// `n + 1`, or for even `n` `h^(n + 3)` times that of the order `n + 2`.
///
/// SciPy: `integrate.newton_cotes(n, 1)`. From 9 on some weights are negative.
///
/// # Errors
/// [`Error::is_shape`] where `n` is not between 1 and 16.
///
/// # Example
/// ```
/// let (weights, error) = lazuli::newton_cotes(2)?; // Simpson's rule
/// assert_eq!((weights, error), (vec![1.0 / 3.0, 4.0 / 3.0, 1.0 / 3.0], -1.0 / 90.0));
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn newton_cotes(n: usize) -> Result<(Vec<f64>, f64)> {
    if !(1..=16).contains(&n) {
        return located(Err(Error::shape(format!("newton_cotes: {n} is not between 1 and 16"))));
    }
    // Integers as long as they can be: polynomials of the lowest power first.
    let times = |polynomial: &[i128], root: i128| -> Vec<i128> {
        let mut product = vec![0; polynomial.len() + 1];
        for (k, c) in polynomial.iter().enumerate() {
            product[k + 1] += c;
            product[k] -= c * root;
        }
        product
    };
    // All divisors of the integrals' terms divide this number.
    let common = (1..=n as i128 + 3).fold(1, least_multiple);
    let all = 0..=n as i128;
    let weights = all.clone().map(|i| {
        let others = all.clone().filter(|&j| j != i);
        let polynomial = others.clone().fold(vec![1], |p, j| times(&p, j));
        let divisor: i128 = others.map(|j| i - j).product();
        quotient(integral(&polynomial, n, common), common * divisor)
    });
    let mut whole = all.clone().fold(vec![1], |p, j| times(&p, j));
    let mut order = n as i128 + 1;
    if n % 2 == 0 {
        whole = times(&whole, 0);
        order += 1;
    }
    let factorial: i128 = (1..=order).product();
    let weights = weights.collect();
    Ok((weights, quotient(integral(&whole, n, common), common * factorial)))
}

/// The integral of a polynomial from 0 to `n`, times `common`.
fn integral(polynomial: &[i128], n: usize, common: i128) -> i128 {
    let mut power = 1;
    let terms = polynomial.iter().enumerate().map(|(k, c)| {
        power *= n as i128;
        c * (common / (k as i128 + 1)) * power
    });
    terms.sum()
}

fn greatest_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { greatest_divisor(b, a % b) }
}

fn least_multiple(a: i128, b: i128) -> i128 {
    a / greatest_divisor(a, b) * b
}

/// The quotient of two whole numbers without common divisors, rounded.
fn quotient(a: i128, b: i128) -> f64 {
    let by = greatest_divisor(a, b).max(1);
    (a / by) as f64 / (b / by) as f64
}

/// The places of Gauss's rule of so many between -1 and 1, which rise, and their weights, by Newton's
/// iteration for the zeros of Legendre's polynomial.
fn gauss(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut rule = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n.div_ceil(2) {
        // Source: F. G. Tricomi, Ann. Mat. Pura Appl. 31 (1950), 93.
        let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..20 {
            let (mut before, mut value) = (1.0, x);
            for j in 2..=n {
                let j = j as f64;
                (before, value) = (value, ((2.0 * j - 1.0) * x * value - (j - 1.0) * before) / j);
            }
            slope = n as f64 * (before - x * value) / ((1.0 - x) * (1.0 + x));
            let step = value / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        if 2 * k + 1 == n {
            x = 0.0;
        }
        let weight = 2.0 / ((1.0 - x) * (1.0 + x) * slope * slope);
        (rule.0[n - 1 - k], rule.0[k]) = (x, -x);
        (rule.1[n - 1 - k], rule.1[k]) = (weight, weight);
    }
    rule
}

/// The integral of a function between two numbers by Gauss's rule of `n` places, exact for polynomials
/// of degree `2·n − 1`.
///
/// The function gets an array of the places, `[n]`, and gives an array of values with the places along
/// the last axis.
///
/// **Shape.** That of the values without the last axis. **Laziness.** Calls the function, and records
/// what it records. SciPy: `integrate.fixed_quad`.
///
/// # Errors
/// [`Error::is_shape`] where `n` is zero, an end is not finite, or the values have not `n` elements
/// along the last axis.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let area = lazuli::fixed_quad(|x: &DeviceArray<f64>| x.exp(), 0.0, 1.0, 8)?;
/// assert!((area.item()? - (1f64.exp() - 1.0)).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn fixed_quad<T: Floating>(
    f: impl FnOnce(&DeviceArray<T>) -> DeviceArray<T>,
    a: f64,
    b: f64,
    n: usize,
) -> Result<DeviceArray<T>> {
    if n == 0 || !a.is_finite() || !b.is_finite() {
        return located(Err(Error::shape(format!("fixed_quad: {n} places from {a} to {b}"))));
    }
    let (places, weights) = gauss(n);
    let half = 0.5 * (b - a);
    let upload = |numbers: Vec<f64>| {
        located(DeviceArray::from_vec([n], numbers.into_iter().map(T::from_f64).collect()))
    };
    let values = f(&upload(places.into_iter().map(|x| half * (x + 1.0) + a).collect())?);
    if values.shape().last() != Some(&n) {
        let shape = values.shape();
        return located(Err(Error::shape(format!(
            "fixed_quad: values of shape {shape:?} at {n} places, which are along the last axis"
        ))));
    }
    let weights = upload(weights.into_iter().map(|w| w * half).collect())?;
    Ok(located(values.try_multiply(weights))?.sum(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers are integrated exactly.
    #[test]
    fn rules_are_exact_for_powers() {
        for n in 1..=16 {
            let (weights, _) = newton_cotes(n).unwrap();
            for power in 0..=n as i32 {
                let sum: f64 =
                    weights.iter().enumerate().map(|(k, w)| w * (k as f64).powi(power)).sum();
                let wanted = (n as f64).powi(power + 1) / f64::from(power + 1);
                let size: f64 =
                    weights.iter().enumerate().map(|(k, w)| w.abs() * (k as f64).powi(power)).sum();
                assert!((sum - wanted).abs() < 1e-14 * size, "{n} {power}: {sum} {wanted}");
            }
        }
        for n in [1, 2, 3, 5, 8, 31, 64, 201] {
            let (x, w) = gauss(n);
            for power in (0..2 * n as i32).step_by((n / 4).max(1)) {
                let sum: f64 = x.iter().zip(&w).map(|(x, w)| w * x.powi(power)).sum();
                let wanted = if power % 2 == 0 { 2.0 / f64::from(power + 1) } else { 0.0 };
                assert!((sum - wanted).abs() < 1e-13, "{n} {power}: {sum} {wanted}");
            }
        }
    }
}
