//! Words, whole numbers, coins and counts.

use super::{Generator, check, double, draws, fit, is_probability, is_scale};
use crate::array::operand::{args, only_arg};
use crate::array::{DeviceArray, IntoShape, Operand, record};
use crate::dtype::{Component, DType, Integer, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::{Shape, axis_index};
use crate::table::{Law, Op};
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

impl Generator {
    draws! {
        /// The generator's own words of 32 bits, in order.
        ///
        /// **Shape.** The given one. **Dtype.** `u32`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// // The first words of Philox4x32-10 under the key 0.
        /// let words = Generator::new(0).bits_u32(2);
        /// assert_eq!(words.to_vec()?, [0x6627_e8d5, 0xe169_c58d]);
        /// # Ok::<(), Error>(())
        /// ```
        fn bits_u32 | try_bits_u32(&mut self, shape: impl IntoShape) -> DeviceArray<u32> {
            self.unit("bits_u32", DType::U32, shape.lengths()).map(DeviceArray::from_node)
        }

        /// The generator's words in pairs, the first of each in the lower half.
        ///
        /// **Shape.** The given one. **Dtype.** `u64`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let words = Generator::new(0).bits_u64(1);
        /// assert_eq!(words.to_vec()?, [0xe169_c58d_6627_e8d5]);
        /// # Ok::<(), Error>(())
        /// ```
        fn bits_u64 | try_bits_u64(&mut self, shape: impl IntoShape) -> DeviceArray<u64> {
            self.unit("bits_u64", DType::U64, shape.lengths()).map(DeviceArray::from_node)
        }

        /// Whole numbers of a range, all of them equally probable: without modulo bias.
        ///
        /// **Shape.** The given one. **Dtype.** Any integer type. The range may be half-open
        /// (`0..10`), closed (`1..=6`), or open at an end, where it goes to the type's limit.
        /// NumPy: `integers`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let dice = Generator::new(1).integers(1..=6, 1000);
        /// assert_eq!((dice.min(..).item()?, dice.max(..).item()?), (1, 6));
        /// # Ok::<(), Error>(())
        /// ```
        fn integers | try_integers<T: Integer>(&mut self, range: impl RangeBounds<T>, shape: impl IntoShape) -> DeviceArray<T> {
            let (low, span) = limits(&range)?;
            let offset = self.below("integers", span, shape.lengths())?;
            let number = record::cast(&offset, T::DTYPE);
            let low = integer(T::DTYPE, low);
            record::binary(Op::Add, &number, low).map(DeviceArray::from_node)
        }

        /// `true` with probability `p`.
        ///
        /// **Shape.** The given one, to which `p` broadcasts. **Dtype.** `bool`. NumPy:
        /// `random(shape) < p`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let heads = Generator::new(1).bernoulli(0.25, 10_000);
        /// assert!((heads.mean(..).item()? - 0.25).abs() < 0.02);
        /// # Ok::<(), Error>(())
        /// ```
        #[doc(alias = "bool")]
        fn bernoulli | try_bernoulli(&mut self, p: impl Operand<f64>, shape: impl IntoShape) -> DeviceArray<bool> {
            let (p, shape) = (only_arg(p)?, shape.lengths());
            check("bernoulli", "p", &p, "a probability", is_probability)?;
            let device = fit("bernoulli", &shape, std::slice::from_ref(&p))?;
            let u = self.draw("bernoulli", Law::Uniform, DType::F64, shape, device)?;
            record::binary(Op::Less, &u, p).map(DeviceArray::from_node)
        }

        /// Counts of the Poisson distribution with the given mean.
        ///
        /// **Shape.** The given one, to which the mean broadcasts. **Dtype.** `i64`. An element of
        /// the mean that is negative, infinite or NaN gives -1.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let k = Generator::new(1).poisson(4.0, 10_000);
        /// assert!((k.mean(..).item()? - 4.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn poisson | try_poisson(&mut self, mean: impl Operand<f64>, shape: impl IntoShape) -> DeviceArray<i64> {
            let mean = only_arg(mean)?;
            check("poisson", "the mean", &mean, "finite, not negative and below 9e18", |x| is_scale(x) && x < 9e18)?;
            let k = self.variates(Op::SamplePoisson, shape.lengths(), &[mean])?;
            Ok(DeviceArray::from_node(record::cast(&k, DType::I64)))
        }

        /// The number of successes among `n` trials of probability `p`.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `i64`. Where an
        /// element of `n` is negative or one of `p` is no probability, -1. `n` counts up to 2⁵³.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let k = Generator::new(1).binomial(10, 0.5, 10_000);
        /// assert!((k.mean(..).item()? - 5.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn binomial | try_binomial(
            &mut self,
            n: impl Operand<i64>,
            p: impl Operand<f64>,
            shape: impl IntoShape,
        ) -> DeviceArray<i64> {
            let (n, p) = args(n, p)?;
            check("binomial", "n", &n, "from 0 to 2^53", |n| (0.0..=9007199254740992.0).contains(&n))?;
            check("binomial", "p", &p, "a probability", is_probability)?;
            let k = self.variates(Op::SampleBinomial, shape.lengths(), &[double(n), p])?;
            Ok(DeviceArray::from_node(record::cast(&k, DType::I64)))
        }

        /// A class for each row of unnormalised log-probabilities along an axis: class `k` with a
        /// probability in proportion to `exp(logits[k])`.
        ///
        /// **Shape.** The logits' without the axis. **Dtype.** `i64`. A logit of minus infinity is
        /// never chosen. One kernel: the largest of the logits plus Gumbel numbers.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let p = DeviceArray::from_slice(&[0.7, 0.0, 0.3])?.broadcast_to([1000, 3]);
        /// let class = Generator::new(1).categorical(&p.ln(), -1);
        /// assert!(class.not_equal(1).all(..).item()?);
        /// # Ok::<(), Error>(())
        /// ```
        fn categorical | try_categorical<T: Component>(&mut self, logits: &DeviceArray<T>, axis: isize) -> DeviceArray<i64> {
            let shape = logits.node().shape.clone();
            let k = axis_index("categorical", axis, shape.len())?;
            if shape[k] == 0 {
                return Err(Error::shape(format!("categorical: shape {:?} has no classes", &shape[..])));
            }
            let u = self.draw("categorical", Law::Uniform, DType::F64, shape, logits.device())?;
            let e = record::unary(Op::Negative, &record::unary(Op::Ln1p, &record::unary(Op::Negative, &u)));
            let logits = record::cast(logits.node(), DType::F64);
            let scores = record::binary(Op::Subtract, &logits, &record::unary(Op::Ln, &e))?;
            DeviceArray::<f64>::from_node(scores).try_argmax(axis)
        }
    }

    /// Whole numbers below `span`, where 0 stands for 2⁶⁴.
    #[track_caller]
    pub(super) fn below(&mut self, name: &str, span: u64, shape: Shape) -> Result<Arc<Node>> {
        let device = fit(name, &shape, &[])?;
        let words = self.draw(name, Law::Uniform, DType::U64, shape, device)?;
        record::binary(Op::Below, Scalar::new(span), &words)
    }
}

/// The lowest number of a range, and how many numbers it has (0 stands for 2⁶⁴).
fn limits<T: Integer>(range: &impl RangeBounds<T>) -> Result<(i128, u64)> {
    let number = |x: &T| Scalar::new(*x).to_i128();
    let bits = 8 * T::DTYPE.size() as u32;
    let (least, most) = match T::DTYPE.is_signed_integer() {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let low = match range.start_bound() {
        Bound::Included(x) => number(x),
        Bound::Excluded(x) => number(x) + 1,
        Bound::Unbounded => least,
    };
    let high = match range.end_bound() {
        Bound::Included(x) => number(x),
        Bound::Excluded(x) => number(x) - 1,
        Bound::Unbounded => most,
    };
    if low > high {
        return Err(Error::shape(format!(
            "integers: no number lies from {low} to below {}",
            high + 1
        )));
    }
    Ok((low, (high - low + 1) as u64))
}

/// A number that an integer type holds.
fn integer(dtype: DType, value: i128) -> Scalar {
    match dtype {
        DType::I64 => Scalar::new(value as i64),
        DType::U64 => Scalar::new(value as u64),
        _ => Scalar::from_f64(dtype, value as f64),
    }
}
