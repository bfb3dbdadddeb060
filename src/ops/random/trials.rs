//! Trials until a success, failures before several, shares of a whole, and outcomes of trials.

use super::transformed::{positive, with};
use super::{Generator, check, double, draws, fit, is_positive, is_probability};
use crate::array::operand::{args, only_arg};
use crate::array::{DeviceArray, IntoShape, Operand, keep, record};
use crate::dtype::{Component, DType, Scalar};
use crate::error::Error;
use crate::graph::Arg;
use crate::shape::Shape;
use crate::table::Op;

/// Whether a number is a probability of something that happens.
fn happens(p: f64) -> bool {
    p > 0.0 && is_probability(p)
}

impl Generator {
    draws! {
        /// The number of trials with probability `p` up to the first success.
        ///
        /// **Shape.** The given one, to which `p` broadcasts. **Dtype.** `i64`. Where an element of an
        /// array `p` is no probability above 0, -1. NumPy: `geometric`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).geometric(0.25, 10_000);
        /// assert!(x.min(..).item()? == 1 && (x.mean(..).item()? - 4.0).abs() < 0.2);
        /// # Ok::<(), Error>(())
        /// ```
        fn geometric | try_geometric(&mut self, p: impl Operand<f64>, shape: impl IntoShape) -> DeviceArray<i64> {
            let p = only_arg(p)?;
            check("geometric", "p", &p, "above 0 and at most 1", happens)?;
            let e = self.exponentials("geometric", DType::F64, shape.lengths(), std::slice::from_ref(&p))?;
            let p = match p {
                Arg::Node(node) => node,
                Arg::Scalar(p) => record::full(p, Shape::new(), e.device),
            };
            let rate = record::unary(Op::Negative, &record::unary(Op::Ln1p, &record::unary(Op::Negative, &p)));
            let trials = record::unary(Op::Ceil, &record::binary(Op::Divide, &e, &rate)?);
            let trials = record::cast(&with(Op::Maximum, &trials, 1.0)?, DType::I64);
            let above = with(Op::Greater, &p, 0.0)?;
            let valid = record::binary(Op::LogicalAnd, &above, &with(Op::LessEqual, &p, 1.0)?)?;
            record::select(&valid, &trials, Scalar::new(-1i64)).map(DeviceArray::from_node)
        }

        /// The number of failures among trials with probability `p` before `n` successes; `n` need
        /// not be whole.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `i64`. Where an
        /// element of an array is no such number, -1. NumPy: `negative_binomial`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).negative_binomial(4.0, 0.5, 10_000);
        /// assert!((x.mean(..).item()? - 4.0).abs() < 0.2);
        /// # Ok::<(), Error>(())
        /// ```
        fn negative_binomial | try_negative_binomial(
            &mut self,
            n: impl Operand<f64>,
            p: impl Operand<f64>,
            shape: impl IntoShape,
        ) -> DeviceArray<i64> {
            let ((n, p), shape) = (args(n, p)?, shape.lengths());
            check("negative_binomial", "n", &n, "positive and finite", is_positive)?;
            check("negative_binomial", "p", &p, "above 0 and at most 1", happens)?;
            let device = fit("negative_binomial", &shape, &[n.clone(), p.clone()])?;
            let p = match positive(p)? {
                Arg::Node(node) => node,
                Arg::Scalar(p) => record::full(p, Shape::new(), device),
            };
            let odds = record::binary(Op::Subtract, &record::unary(Op::Reciprocal, &p), Scalar::new(1.0))?;
            let means = self.variates(Op::SampleGamma, shape.clone(), &[positive(n)?])?;
            let means = record::binary(Op::Multiply, &means, &odds)?;
            let counts = self.variates(Op::SamplePoisson, shape, &[Arg::Node(means)])?;
            Ok(DeviceArray::from_node(record::cast(&counts, DType::I64)))
        }

        /// Points of the Dirichlet distribution: numbers above 0 whose sum along the last axis is 1.
        ///
        /// **Shape.** The given one, followed by the length of `alpha`, which has one axis. **Dtype.**
        /// `f32` or `f64`; computed in `f64`. Where an element of `alpha` is not positive, NaN. NumPy:
        /// `dirichlet`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let alpha = DeviceArray::<f64>::from_slice(&[1.0, 3.0])?;
        /// let x = Generator::new(1).dirichlet(&alpha, 10_000);
        /// assert_eq!(x.shape(), [10_000, 2]);
        /// assert!((x.mean(0).to_vec()?[1] - 0.75).abs() < 0.02);
        /// # Ok::<(), Error>(())
        /// ```
        fn dirichlet | try_dirichlet<T: Component>(
            &mut self,
            alpha: &DeviceArray<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let mut shape = shape.lengths();
            if alpha.ndim() != 1 || alpha.is_empty() {
                return Err(Error::shape(format!("dirichlet: alpha of shape {:?}", alpha.shape())));
            }
            shape.push(alpha.len());
            let alpha = double(positive(alpha.arg())?);
            let parts = DeviceArray::<f64>::from_node(self.variates(Op::SampleGamma, shape, &[alpha])?);
            let total = parts.try_sum(keep(-1))?;
            Ok(parts.try_divide(&total)?.cast())
        }

        /// How many of `n` trials have each of several outcomes with the given probabilities, by a
        /// binomial number for each outcome but the last.
        ///
        /// **Shape.** The given one, followed by the number of outcomes. **Dtype.** `i64`.
        /// The probabilities have one axis and are not checked on a device; the last outcome gets the
        /// rest, whatever its probability says. NumPy: `multinomial`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let p = DeviceArray::from_slice(&[0.5, 0.3, 0.2])?;
        /// let x = Generator::new(1).multinomial(20, &p, 1000);
        /// assert_eq!(x.sum(-1).max(..).item()?, 20);
        /// assert!((x.mean(0).to_vec()?[1] - 6.0).abs() < 0.3);
        /// # Ok::<(), Error>(())
        /// ```
        fn multinomial | try_multinomial(
            &mut self,
            n: u32,
            p: &DeviceArray<f64>,
            shape: impl IntoShape,
        ) -> DeviceArray<i64> {
            let shape = shape.lengths();
            if p.ndim() != 1 || p.is_empty() {
                return Err(Error::shape(format!(
                    "multinomial: probabilities of shape {:?}", p.shape()
                )));
            }
            let mut left = record::full(Scalar::new(f64::from(n)), shape.clone(), p.device());
            let mut rest = record::full(Scalar::new(1.0), Shape::new(), p.device());
            let mut counts = Vec::new();
            for k in 0..p.len() as isize - 1 {
                let own = p.try_index_axis(0, k)?;
                let share = record::binary(Op::Divide, own.node(), &rest)?;
                // Rounding may leave more to an outcome than there is, and nothing leaves 0 by 0.
                let share = with(Op::Fmax, &with(Op::Fmin, &share, 1.0)?, 0.0)?;
                let both = [Arg::Node(left.clone()), Arg::Node(share)];
                let count = self.variates(Op::SampleBinomial, shape.clone(), &both)?;
                left = record::binary(Op::Subtract, &left, &count)?;
                rest = record::binary(Op::Subtract, &rest, own.node())?;
                counts.push(DeviceArray::<f64>::from_node(count));
            }
            counts.push(DeviceArray::from_node(left));
            Ok(crate::try_stack(&counts, -1)?.cast())
        }
    }
}
