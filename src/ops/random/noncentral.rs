//! Noncentral distributions: mixtures of central ones by a Poisson number.

use super::transformed::{halved, positive, with};
use super::{Generator, check, double, draws, fit, is_positive, is_scale};
use crate::array::operand::args;
use crate::array::{DeviceArray, IntoShape, Operand, record};
use crate::dtype::{Component, Scalar};
use crate::error::Result;
use crate::graph::{Arg, Node};
use crate::shape::Shape;
use crate::table::Op;
use std::sync::Arc;

impl Generator {
    draws! {
        /// Numbers of the noncentral chi-square distribution with `df` degrees of freedom: a sum of
        /// squared normal numbers whose squared means sum to `nonc`.
        ///
        /// As central ones of `df` and twice a Poisson number of degrees of freedom.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array `df` that is not positive, or of `nonc` that is
        /// negative, gives NaN. NumPy: `noncentral_chisquare`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).noncentral_chisquare(3.0f64, 2.0, 10_000);
        /// assert!((x.mean(..).item()? - 5.0).abs() < 0.2);
        /// # Ok::<(), Error>(())
        /// ```
        fn noncentral_chisquare | try_noncentral_chisquare<T: Component>(
            &mut self,
            df: impl Operand<T>,
            nonc: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (df, nonc) = args(df, nonc)?;
            let x = self.noncentral("noncentral_chisquare", "df", df, nonc, shape.lengths())?;
            Ok(DeviceArray::from_node(record::cast(&x, T::DTYPE)))
        }

        /// Numbers of the noncentral F distribution with `numerator` and `denominator` degrees of
        /// freedom: Fisher's, whose numerator has the noncentrality `nonc`.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array that is not positive, or of `nonc` that is
        /// negative, gives NaN. NumPy: `noncentral_f`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).noncentral_f(5.0f64, 40.0, 10.0, 10_000);
        /// assert!((x.mean(..).item()? - 3.0 * 40.0 / 38.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn noncentral_f | try_noncentral_f<T: Component>(
            &mut self,
            numerator: impl Operand<T>,
            denominator: impl Operand<T>,
            nonc: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let device = numerator.device().or(denominator.device()).or(nonc.device());
            let (a, b) = (numerator.wrap(device)?.0, denominator.wrap(device)?.0);
            let (nonc, shape) = (nonc.wrap(device)?.0, shape.lengths());
            check("noncentral_f", "the denominator's df", &b, "positive and finite", is_positive)?;
            fit("noncentral_f", &shape, &[a.clone(), b.clone(), nonc.clone()])?;
            let above = self.noncentral("noncentral_f", "the numerator's df", a.clone(), nonc, shape.clone())?;
            let above = record::binary(Op::Divide, &above, double(a))?;
            let ratio = record::binary(Op::Divide, &above, &self.mean_squares(shape, b)?)?;
            Ok(DeviceArray::from_node(record::cast(&ratio, T::DTYPE)))
        }
    }

    /// Numbers of the noncentral chi-square distribution, in `f64`.
    #[track_caller]
    fn noncentral(
        &mut self,
        name: &str,
        what: &str,
        df: Arg,
        nonc: Arg,
        shape: Shape,
    ) -> Result<Arc<Node>> {
        check(name, what, &df, "positive and finite", is_positive)?;
        check(name, "nonc", &nonc, "finite and not negative", is_scale)?;
        fit(name, &shape, &[df.clone(), nonc.clone()])?;
        let half = halved(nonc)?;
        let pairs = self.variates(Op::SamplePoisson, shape.clone(), &[half])?;
        // Where nonc is no noncentrality, the Poisson number is -1.
        let valid = with(Op::GreaterEqual, &pairs, 0.0)?;
        let pairs = record::select(&valid, &pairs, Scalar::new(f64::NAN))?;
        let sum = record::binary(Op::Add, &pairs, halved(positive(df)?)?)?;
        with(Op::Multiply, &self.variates(Op::SampleGamma, shape, &[Arg::Node(sum)])?, 2.0)
    }
}
