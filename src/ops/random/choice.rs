//! Choosing among the elements of an array.

use super::{Generator, draws};
use crate::array::{DeviceArray, IntoShape, record};
use crate::backend::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::shape::{Shape, axis_index, checked_len};
use crate::table::{Law, Op};
use ndarray::s;

/// How far probabilities may be from summing to one.
const SUM: f64 = 1e-8;

impl Generator {
    draws! {
        /// Elements along the first axis of an array, with replacement, all equally probable.
        ///
        /// **Shape.** The given one, followed by the array's axes after the first. **Dtype.** The
        /// array's, which may be empty where nothing is drawn. NumPy: `choice(a, shape)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let a = DeviceArray::from_slice(&[3, 5, 9])?;
        /// let b = Generator::new(1).choice(&a, [2, 100]);
        /// assert_eq!((b.min(..).item()?, b.max(..).item()?), (3, 9));
        /// # Ok::<(), Error>(())
        /// ```
        fn choice | try_choice<T: Element>(&mut self, a: &DeviceArray<T>, shape: impl IntoShape) -> DeviceArray<T> {
            let shape = shape.lengths();
            let count = elements("choice", a, checked_len("choice", &shape)?)?;
            let words = self.draw("choice", Law::Uniform, DType::U64, shape, a.device())?;
            let at = record::binary(Op::Below, Scalar::new(count as u64), &words)?;
            a.try_take(DeviceArray::<i64>::from_node(record::cast(&at, DType::I64)), 0)
        }

        /// Elements along the first axis of an array, with replacement, with the given
        /// probabilities.
        ///
        /// **Shape.** The given one, followed by the array's axes after the first. **Dtype.** The
        /// array's. The probabilities are one for each element along the first axis, not negative,
        /// and sum to one. A draw costs the same for any number of elements (A. Walker's alias
        /// method). NumPy: `choice(a, shape, p=p)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let a = DeviceArray::from_slice(&[3, 5, 9])?;
        /// let b = Generator::new(1).choice_weighted(&a, &[0.5, 0.0, 0.5], 1000);
        /// assert!(b.not_equal(5).all(..).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn choice_weighted | try_choice_weighted<T: Element>(
            &mut self,
            a: &DeviceArray<T>,
            p: &[f64],
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let shape = shape.lengths();
            let count = elements("choice_weighted", a, checked_len("choice_weighted", &shape)?)?;
            probabilities("choice_weighted", p, count)?;
            let (keep, other) = alias_table(p);
            let on_device = || -> Result<_> {
                Ok((DeviceArray::from_slice(&keep)?, DeviceArray::from_slice(&other)?))
            };
            let (keep, other) = a.device().scope(on_device)?;
            let words = self.draw("choice_weighted", Law::Uniform, DType::U64, shape, a.device())?;
            // The upper half of word · count is the column, the lower half the place within it.
            let span = Scalar::new(count as u64);
            let column = record::cast(&record::binary(Op::Below, span, &words)?, DType::I64);
            let place = record::binary(Op::Multiply, &words, span)?;
            let place = record::binary(Op::RightShift, &place, Scalar::new(11u64))?;
            let place = record::cast(&place, DType::F64);
            let place = record::binary(Op::Multiply, &place, Scalar::new(1.0 / (1u64 << 53) as f64))?;
            let column = DeviceArray::<i64>::from_node(column);
            let kept = DeviceArray::<f64>::from_node(place).try_less(keep.try_take(&column, 0)?)?;
            let at = kept.try_select(&column, other.try_take(&column, 0)?)?;
            a.try_take(at, 0)
        }

        /// The numbers from 0 to `n - 1` in random order, all orders equally probable: the order
        /// of as many words of 64 bits.
        ///
        /// **Shape.** One axis of `n`. **Dtype.** `i64`. One library call sorts.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let order = Generator::new(1).permutation(10);
        /// assert_eq!(order.sort(0).to_vec()?, (0..10).collect::<Vec<i64>>());
        /// # Ok::<(), Error>(())
        /// ```
        fn permutation | try_permutation(&mut self, n: usize) -> DeviceArray<i64> {
            self.order("permutation", n, Device::current()?)
        }

        /// The array with its positions along an axis in random order.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. NumPy: `permutation(a, axis)`; its
        /// `shuffle` does the same in place.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let a = DeviceArray::<i32>::arange_to(6).reshape([3, 2]);
        /// let b = Generator::new(1).shuffle(&a, 0);
        /// assert_eq!(b.sum(0).to_vec()?, a.sum(0).to_vec()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn shuffle | try_shuffle<T: Element>(&mut self, a: &DeviceArray<T>, axis: isize) -> DeviceArray<T> {
            let axis = axis_index("shuffle", axis, a.ndim())?;
            let order = self.order("shuffle", a.shape()[axis], a.device())?;
            a.try_take(order, axis as isize)
        }

        /// The array with each line along an axis in a random order of its own, as
        /// [`shuffle`](Self::shuffle) has one order for all.
        ///
        /// **Shape.** The array's. **Dtype.** The array's. One library call sorts as many words as
        /// there are elements. NumPy: `permuted(a, axis)`; that of all elements, NumPy's `axis=None`,
        /// is the one of the array flattened.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let a = DeviceArray::<i32>::arange_to(100).broadcast_to([2, 100]);
        /// let b = Generator::new(1).permuted(&a, 1);
        /// assert_eq!(b.sort(1), a);
        /// assert_ne!(b.index_axis(0, 0), b.index_axis(0, 1));
        /// # Ok::<(), Error>(())
        /// ```
        fn permuted | try_permuted<T: Element>(&mut self, a: &DeviceArray<T>, axis: isize) -> DeviceArray<T> {
            axis_index("permuted", axis, a.ndim())?;
            let shape = a.node().shape.clone();
            let words = self.draw("permuted", Law::Uniform, DType::U64, shape, a.device())?;
            let order = DeviceArray::<u64>::from_node(words).try_argsort(axis)?;
            a.try_take_along_axis(&order, axis)
        }

        /// `count` different elements along the first axis of an array, all choices equally
        /// probable: without replacement.
        ///
        /// **Shape.** `count`, followed by the array's axes after the first. **Dtype.** The
        /// array's. NumPy: `choice(a, count, replace=False)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let a = DeviceArray::<i32>::arange_to(100);
        /// let b = Generator::new(1).sample(&a, 10);
        /// assert_eq!(b.shape(), [10]);
        /// # Ok::<(), Error>(())
        /// ```
        #[doc(alias = "choice")]
        fn sample | try_sample<T: Element>(&mut self, a: &DeviceArray<T>, count: usize) -> DeviceArray<T> {
            let n = enough("sample", a, count)?;
            let order = self.order("sample", n, a.device())?;
            a.try_take(order.try_slice(s![..count as isize])?, 0)
        }

        /// `count` different elements along the first axis of an array, drawn one after another
        /// with probabilities in proportion to what is left of the given ones.
        ///
        /// **Shape.** `count`, followed by the array's axes after the first. **Dtype.** The
        /// array's. At least `count` of the probabilities must not be zero. NumPy:
        /// `choice(a, count, replace=False, p=p)`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let a = DeviceArray::from_slice(&[3, 5, 9])?;
        /// let b = Generator::new(1).sample_weighted(&a, &[0.5, 0.0, 0.5], 2);
        /// assert_eq!(b.sort(0).to_vec()?, [3, 9]);
        /// # Ok::<(), Error>(())
        /// ```
        fn sample_weighted | try_sample_weighted<T: Element>(
            &mut self,
            a: &DeviceArray<T>,
            p: &[f64],
            count: usize,
        ) -> DeviceArray<T> {
            let n = enough("sample_weighted", a, count)?;
            probabilities("sample_weighted", p, n)?;
            let possible = p.iter().filter(|&&p| p > 0.0).count();
            if possible < count {
                return Err(Error::shape(format!(
                    "sample_weighted: {count} different elements of {possible} that are possible"
                )));
            }
            // The first of exponential times with these rates, and then the next (P. Efraimidis
            // and P. Spirakis, "Weighted random sampling with a reservoir", 2006).
            let rates = a.device().scope(|| DeviceArray::from_slice(p))?;
            let u = self.draw("sample_weighted", Law::Uniform, DType::F64, Shape::from_slice(&[n]), a.device())?;
            let times = record::unary(Op::Negative, &record::unary(Op::Ln1p, &record::unary(Op::Negative, &u)));
            let times = DeviceArray::<f64>::from_node(times).try_divide(&rates)?;
            let times = rates.try_greater(0.0)?.try_select(times, f64::INFINITY)?;
            a.try_take(times.try_argsort(0)?.try_slice(s![..count as isize])?, 0)
        }
    }

    /// The positions below `n` in random order.
    #[track_caller]
    fn order(&mut self, name: &str, n: usize, device: Device) -> Result<DeviceArray<i64>> {
        let words = self.draw(name, Law::Uniform, DType::U64, Shape::from_slice(&[n]), device)?;
        DeviceArray::<u64>::from_node(words).try_argsort(0)
    }
}

/// The number of elements along the first axis, of which there must be `count` at least.
fn enough<T: Element>(name: &str, a: &DeviceArray<T>, count: usize) -> Result<usize> {
    let n = elements(name, a, count)?;
    match count <= n {
        true => Ok(n),
        false => Err(Error::shape(format!("{name}: {count} different elements of {n}"))),
    }
}

/// The number of elements along the first axis, of which there must be one at least where any are
/// drawn.
fn elements<T: Element>(name: &str, a: &DeviceArray<T>, drawn: usize) -> Result<usize> {
    match a.shape().first() {
        Some(&n) if n > 0 || drawn == 0 => Ok(n),
        _ => Err(Error::shape(format!("{name}: nothing to choose from in shape {:?}", a.shape()))),
    }
}

/// Checks that these are probabilities for `count` elements.
fn probabilities(name: &str, p: &[f64], count: usize) -> Result<()> {
    if p.len() != count {
        return Err(Error::shape(format!(
            "{name}: {} probabilities for {count} elements",
            p.len()
        )));
    }
    if let Some(k) = p.iter().position(|&p| !(0.0..f64::INFINITY).contains(&p)) {
        return Err(Error::shape(format!("{name}: probability {k} is {}", p[k])));
    }
    let sum: f64 = p.iter().sum();
    if (sum - 1.0).abs() > SUM {
        return Err(Error::shape(format!("{name}: the probabilities sum to {sum}, and not to 1")));
    }
    Ok(())
}

/// For each of equally probable columns, the part of it that is its own element's, and the element
/// that has the rest (A. Walker, "An efficient method for generating discrete random variables
/// with general distributions", 1977).
fn alias_table(p: &[f64]) -> (Vec<f64>, Vec<i64>) {
    let n = p.len();
    let sum: f64 = p.iter().sum();
    let mut rest: Vec<f64> = p.iter().map(|p| p / sum * n as f64).collect();
    let mut other: Vec<i64> = (0..n as i64).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&k| rest[k] < 1.0);
    while let (Some(&low), Some(&high)) = (small.last(), large.last()) {
        small.pop();
        other[low] = high as i64;
        rest[high] -= 1.0 - rest[low];
        if rest[high] < 1.0 {
            large.pop();
            small.push(high);
        }
    }
    // What rounding has left over is a whole column, unless it has no probability at all.
    for k in small.into_iter().chain(large) {
        if p[k] > 0.0 {
            rest[k] = 1.0;
        } else {
            let most = (0..n).max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap_or(0);
            other[k] = most as i64;
        }
    }
    (rest, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alias_tables_hold_the_probabilities() {
        for p in [vec![1.0], vec![0.5, 0.0, 0.5], vec![0.1, 0.2, 0.3, 0.4], vec![0.0, 1.0], {
            let raw: Vec<f64> = (0..1000).map(|k| ((k * 37) % 101) as f64).collect();
            let sum: f64 = raw.iter().sum();
            raw.iter().map(|x| x / sum).collect()
        }] {
            let (keep, other) = alias_table(&p);
            let mut found = vec![0.0; p.len()];
            for k in 0..p.len() {
                found[k] += keep[k] / p.len() as f64;
                found[other[k] as usize] += (1.0 - keep[k]) / p.len() as f64;
            }
            for (k, (found, p)) in found.iter().zip(&p).enumerate() {
                assert!((found - p).abs() < 1e-12, "{k}: {found} for {p}");
            }
        }
    }
}
