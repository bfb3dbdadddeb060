//! Matrices with entries at places that are drawn.

use super::csr::{check_count, wrong};
use super::{Coo, Csr};
use crate::array::located;
use crate::dtype::Component;
use crate::error::Result;
use crate::ops::random::Generator;
use std::collections::HashSet;

/// So many different numbers below another one, rising: for each word one, which comes in place of one
/// that is there already. Source: R. W. Floyd, Commun. ACM 30 (1987), 754.
fn different(words: &[u64], below: u64) -> Vec<u64> {
    let mut found = HashSet::with_capacity(words.len());
    for (last, &word) in (below - words.len() as u64..below).zip(words) {
        // The high half of the product is spread evenly over 0..=last.
        let one = ((u128::from(word) * (u128::from(last) + 1)) >> 64) as u64;
        if !found.insert(one) {
            found.insert(last);
        }
    }
    let mut found: Vec<u64> = found.into_iter().collect();
    found.sort_unstable();
    found
}

impl<T: Component> Csr<T> {
    /// A matrix of which this part of the places, rounded to a whole number, has entries that are drawn
    /// evenly from `[0, 1)`; where they are is drawn too.
    ///
    /// Entries of another law: [`with_data`](Self::with_data). **Laziness.** Draws the places now.
    /// SciPy: `random_array`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where the density is not between 0 and 1 or the
    /// matrix is too large, and those of an evaluation.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, random::Generator, sparse::Csr};
    /// let mut generator = Generator::new(3);
    /// let a = Csr::<f64>::random(&mut generator, [40, 50], 0.1)?;
    /// assert_eq!((a.shape(), a.nnz()), ([40, 50], 200));
    /// let normal = a.with_data(&generator.standard_normal::<f64>([a.nnz()]))?;
    /// assert!(normal.data().min(..).item()? < 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "random_array")]
    #[doc(alias = "rand")]
    #[track_caller]
    pub fn random(generator: &mut Generator, shape: [usize; 2], density: f64) -> Result<Csr<T>> {
        if !(0.0..=1.0).contains(&density) {
            return located(Err(wrong(format!(
                "random: the density {density} is not between 0 and 1"
            ))));
        }
        located(shape.iter().try_for_each(|&n| check_count(n)))?;
        let places = shape[0] as u64 * shape[1] as u64;
        let count = (density * places as f64).round_ties_even() as u64;
        let count = count.min(places) as usize;
        let words = generator.try_bits_u64([count])?.to_vec()?;
        let found = different(&words, places);
        let cols = shape[1].max(1) as u64;
        let (rows, cols): (Vec<u64>, Vec<u64>) =
            found.iter().map(|place| (place / cols, place % cols)).unzip();
        Coo::new(shape, &rows, &cols, &generator.try_random([count])?)?.to_csr()
    }
}

#[cfg(test)]
mod tests {
    use super::different;

    /// Every choice of two out of four comes about as often.
    #[test]
    fn every_choice_comes() {
        let mut counts = std::collections::BTreeMap::new();
        let mut state = 1u64;
        let mut word = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29) ^ (state << 17)
        };
        for _ in 0..6000 {
            *counts.entry(different(&[word(), word()], 4)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count| (850..1150).contains(&count)), "{counts:?}");
        assert_eq!(different(&[u64::MAX, 0, 5], 3), [0, 1, 2]);
        assert!(different(&[], 0).is_empty());
    }
}
