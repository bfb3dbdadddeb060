//! Distributions that are functions of uniform, normal, gamma and Poisson numbers.

use super::{Generator, check, double, draws, fit, is_positive, is_scale};
use crate::array::operand::{args, only_arg};
use crate::array::{DeviceArray, IntoShape, Operand, record};
use crate::dtype::{Component, DType, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use crate::shape::Shape;
use crate::table::{Law, Op};
use std::sync::Arc;

#[track_caller]
pub(super) fn with(op: Op, a: &Arc<Node>, b: f64) -> Result<Arc<Node>> {
    record::binary(op, a, record::number(a, b))
}

/// A parameter, NaN where an element of an array is not positive; a scalar was checked before.
pub(super) fn positive(parameter: Arg) -> Result<Arg> {
    let Arg::Node(node) = &parameter else { return Ok(parameter) };
    let valid = with(Op::Greater, node, 0.0)?;
    Ok(Arg::Node(record::select(&valid, node, record::number(node, f64::NAN))?))
}

/// `loc + scale · x` in the type of the numbers, NaN where the scale is negative.
#[track_caller]
fn moved<T: Component>(x: &Arc<Node>, loc: Arg, scale: Arg) -> Result<DeviceArray<T>> {
    let scaled = record::binary(Op::Multiply, x, not_negative(scale)?)?;
    record::binary(Op::Add, &scaled, loc).map(DeviceArray::from_node)
}

/// Half of a parameter, in `f64`.
pub(super) fn halved(parameter: Arg) -> Result<Arg> {
    Ok(match double(parameter) {
        Arg::Node(node) => Arg::Node(with(Op::Multiply, &node, 0.5)?),
        Arg::Scalar(value) => Arg::Scalar(Scalar::new(value.to_f64() / 2.0)),
    })
}

fn not_negative(scale: Arg) -> Result<Arg> {
    let Arg::Node(node) = &scale else { return Ok(scale) };
    let valid = with(Op::GreaterEqual, node, 0.0)?;
    Ok(Arg::Node(record::select(&valid, node, record::number(node, f64::NAN))?))
}

/// The lowest and the highest uniform number from which tails are computed: halves of the step
/// between them away from 0 and 1, so that no draw is infinite.
fn least(dtype: DType) -> f64 {
    if dtype == DType::F32 { 2f64.powi(-25) } else { 2f64.powi(-54) }
}

impl Generator {
    /// Uniform numbers for parameters that broadcast to the shape.
    #[track_caller]
    fn uniforms(
        &mut self,
        name: &str,
        dtype: DType,
        shape: Shape,
        parameters: &[Arg],
    ) -> Result<Arc<Node>> {
        let device = fit(name, &shape, parameters)?;
        self.draw(name, Law::Uniform, dtype, shape, device)
    }

    /// Numbers of the standard exponential distribution, none of them 0.
    #[track_caller]
    pub(super) fn exponentials(
        &mut self,
        name: &str,
        dtype: DType,
        shape: Shape,
        parameters: &[Arg],
    ) -> Result<Arc<Node>> {
        let u = self.uniforms(name, dtype, shape, parameters)?;
        let log = record::unary(Op::Ln1p, &record::unary(Op::Negative, &u));
        with(Op::Maximum, &record::unary(Op::Negative, &log), least(dtype))
    }

    /// Numbers of the chi-square distribution, in `f64`.
    #[track_caller]
    fn chi_squares(&mut self, shape: Shape, df: Arg) -> Result<Arc<Node>> {
        let half = halved(positive(df)?)?;
        with(Op::Multiply, &self.variates(Op::SampleGamma, shape, &[half])?, 2.0)
    }

    /// Numbers of the chi-square distribution over their degrees of freedom, in `f64`.
    #[track_caller]
    pub(super) fn mean_squares(&mut self, shape: Shape, df: Arg) -> Result<Arc<Node>> {
        let squares = self.chi_squares(shape, df.clone())?;
        record::binary(Op::Divide, &squares, double(df))
    }

    draws! {
        /// Numbers of the chi-square distribution with `df` degrees of freedom.
        ///
        /// **Shape.** The given one, to which the parameter broadcasts. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array `df` that is not positive gives NaN. NumPy:
        /// `chisquare`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).chisquare(3.0f64, 10_000);
        /// assert!((x.mean(..).item()? - 3.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn chisquare | try_chisquare<T: Component>(
            &mut self,
            df: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let df = only_arg(df)?;
            check("chisquare", "df", &df, "positive and finite", is_positive)?;
            let x = self.chi_squares(shape.lengths(), df)?;
            Ok(DeviceArray::from_node(record::cast(&x, T::DTYPE)))
        }

        /// Numbers of Fisher's F distribution with `numerator` and `denominator` degrees of freedom.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array that is not positive gives NaN. NumPy: `f`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).f(5.0f64, 40.0, 10_000);
        /// assert!((x.mean(..).item()? - 40.0 / 38.0).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn f | try_f<T: Component>(
            &mut self,
            numerator: impl Operand<T>,
            denominator: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let ((a, b), shape) = (args(numerator, denominator)?, shape.lengths());
            check("f", "the numerator's df", &a, "positive and finite", is_positive)?;
            check("f", "the denominator's df", &b, "positive and finite", is_positive)?;
            fit("f", &shape, &[a.clone(), b.clone()])?;
            let above = self.mean_squares(shape.clone(), a)?;
            let ratio = record::binary(Op::Divide, &above, &self.mean_squares(shape, b)?)?;
            Ok(DeviceArray::from_node(record::cast(&ratio, T::DTYPE)))
        }

        /// Numbers of Student's t distribution with `df` degrees of freedom.
        ///
        /// **Shape.** The given one, to which the parameter broadcasts. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array `df` that is not positive gives NaN. NumPy:
        /// `standard_t`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).standard_t(10.0f64, 10_000);
        /// assert!((x.var(..).item()? - 1.25).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn standard_t | try_standard_t<T: Component>(
            &mut self,
            df: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (df, shape) = (only_arg(df)?, shape.lengths());
            check("standard_t", "df", &df, "positive and finite", is_positive)?;
            let device = fit("standard_t", &shape, std::slice::from_ref(&df))?;
            let z = self.draw("standard_t", Law::Normal, DType::F64, shape.clone(), device)?;
            let root = record::unary(Op::Sqrt, &self.mean_squares(shape, df)?);
            let t = record::binary(Op::Divide, &z, &root)?;
            Ok(DeviceArray::from_node(record::cast(&t, T::DTYPE)))
        }

        /// Numbers of the standard Cauchy distribution.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`. NumPy: `standard_cauchy`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).standard_cauchy::<f64>(10_000);
        /// assert!(x.median(..).item()?.abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn standard_cauchy | try_standard_cauchy<T: Component>(&mut self, shape: impl IntoShape) -> DeviceArray<T> {
            let u = self.uniforms("standard_cauchy", T::DTYPE, shape.lengths(), &[])?;
            let turn = with(Op::Multiply, &with(Op::Subtract, &u, 0.5)?, std::f64::consts::PI)?;
            Ok(DeviceArray::from_node(record::unary(Op::Tan, &turn)))
        }

        /// Numbers of the Gumbel distribution with the mode `loc` and the given scale.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`. An
        /// element of an array `scale` that is negative gives NaN. NumPy: `gumbel`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).gumbel(1.0f64, 2.0, 10_000);
        /// assert!((x.mean(..).item()? - 2.1544).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn gumbel | try_gumbel<T: Component>(
            &mut self,
            loc: impl Operand<T>,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (loc, scale) = located("gumbel", args(loc, scale)?)?;
            let both = [loc.clone(), scale.clone()];
            let e = self.exponentials("gumbel", T::DTYPE, shape.lengths(), &both)?;
            moved(&record::unary(Op::Negative, &record::unary(Op::Ln, &e)), loc, scale)
        }

        /// Numbers of the Laplace distribution with the mean `loc` and the given scale.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`. An
        /// element of an array `scale` that is negative gives NaN. NumPy: `laplace`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).laplace(1.0f64, 2.0, 10_000);
        /// assert!((x.var(..).item()? - 8.0).abs() < 0.6);
        /// # Ok::<(), Error>(())
        /// ```
        fn laplace | try_laplace<T: Component>(
            &mut self,
            loc: impl Operand<T>,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (loc, scale) = located("laplace", args(loc, scale)?)?;
            let both = [loc.clone(), scale.clone()];
            let u = self.uniforms("laplace", T::DTYPE, shape.lengths(), &both)?;
            let side = with(Op::Subtract, &u, 0.5)?;
            let far = with(Op::Multiply, &record::unary(Op::Abs, &side), -2.0)?;
            let far = with(Op::Maximum, &far, 2.0 * least(T::DTYPE) - 1.0)?;
            let size = record::unary(Op::Negative, &record::unary(Op::Ln1p, &far));
            moved(&record::binary(Op::Copysign, &size, &side)?, loc, scale)
        }

        /// Numbers of the logistic distribution with the mean `loc` and the given scale.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`. An
        /// element of an array `scale` that is negative gives NaN. NumPy: `logistic`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).logistic(1.0f64, 2.0, 10_000);
        /// assert!((x.mean(..).item()? - 1.0).abs() < 0.2);
        /// # Ok::<(), Error>(())
        /// ```
        fn logistic | try_logistic<T: Component>(
            &mut self,
            loc: impl Operand<T>,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (loc, scale) = located("logistic", args(loc, scale)?)?;
            let both = [loc.clone(), scale.clone()];
            let u = self.uniforms("logistic", T::DTYPE, shape.lengths(), &both)?;
            let u = with(Op::Maximum, &u, least(T::DTYPE))?;
            let below = record::unary(Op::Ln, &u);
            let above = record::unary(Op::Ln1p, &record::unary(Op::Negative, &u));
            moved(&record::binary(Op::Subtract, &below, &above)?, loc, scale)
        }

        /// Numbers of the Rayleigh distribution with the given mode.
        ///
        /// **Shape.** The given one, to which the scale broadcasts. **Dtype.** `f32` or `f64`. An
        /// element of an array `scale` that is negative gives NaN. NumPy: `rayleigh`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).rayleigh(2.0f64, 10_000);
        /// assert!((x.square().mean(..).item()? - 8.0).abs() < 0.4);
        /// # Ok::<(), Error>(())
        /// ```
        fn rayleigh | try_rayleigh<T: Component>(
            &mut self,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let scale = only_arg(scale)?;
            check("rayleigh", "the scale", &scale, "finite and not negative", is_scale)?;
            let e = self.exponentials("rayleigh", T::DTYPE, shape.lengths(), std::slice::from_ref(&scale))?;
            let root = record::unary(Op::Sqrt, &with(Op::Multiply, &e, 2.0)?);
            record::binary(Op::Multiply, &root, not_negative(scale)?).map(DeviceArray::from_node)
        }

        /// Numbers of the Weibull distribution with the shape `a` and scale 1.
        ///
        /// **Shape.** The given one, to which the parameter broadcasts. **Dtype.** `f32` or `f64`. An
        /// element of an array `a` that is not positive gives NaN. NumPy: `weibull`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).weibull(2.0f64, 10_000);
        /// assert!((x.square().mean(..).item()? - 1.0).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn weibull | try_weibull<T: Component>(
            &mut self,
            a: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (a, e) = self.shaped::<T>("weibull", only_arg(a)?, shape.lengths())?;
            let power = record::binary(Op::Divide, &record::unary(Op::Ln, &e), a)?;
            Ok(DeviceArray::from_node(record::unary(Op::Exp, &power)))
        }

        /// Numbers of the Pareto distribution of the second kind (Lomax) with the shape `a`, from 0
        /// on: those of the first kind less 1.
        ///
        /// **Shape.** The given one, to which the parameter broadcasts. **Dtype.** `f32` or `f64`. An
        /// element of an array `a` that is not positive gives NaN. NumPy: `pareto`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).pareto(4.0f64, 10_000);
        /// assert!((x.mean(..).item()? - 1.0 / 3.0).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn pareto | try_pareto<T: Component>(
            &mut self,
            a: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (a, e) = self.shaped::<T>("pareto", only_arg(a)?, shape.lengths())?;
            let part = record::binary(Op::Divide, &e, a)?;
            Ok(DeviceArray::from_node(record::unary(Op::ExpM1, &part)))
        }

        /// Numbers of `[0, 1]` with a density that grows as the power `a - 1`.
        ///
        /// **Shape.** The given one, to which the parameter broadcasts. **Dtype.** `f32` or `f64`. An
        /// element of an array `a` that is not positive gives NaN. NumPy: `power`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).power(3.0f64, 10_000);
        /// assert!((x.mean(..).item()? - 0.75).abs() < 0.02);
        /// # Ok::<(), Error>(())
        /// ```
        fn power | try_power<T: Component>(
            &mut self,
            a: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            // Minus the logarithm of a uniform number is exponential.
            let (a, e) = self.shaped::<T>("power", only_arg(a)?, shape.lengths())?;
            let part = record::binary(Op::Divide, &record::unary(Op::Negative, &e), a)?;
            Ok(DeviceArray::from_node(record::unary(Op::Exp, &part)))
        }

        /// Numbers between `left` and `right` with a density that rises up to `mode` and falls behind
        /// it.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`. NumPy: `triangular`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).triangular(0.0f64, 1.0, 5.0, 10_000);
        /// assert!((x.mean(..).item()? - 2.0).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn triangular | try_triangular<T: Component>(
            &mut self,
            left: T,
            mode: T,
            right: T,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (low, top, high) = (left.to_f64(), mode.to_f64(), right.to_f64());
            let width = high - low;
            if !is_positive(width) || !(low..=high).contains(&top) {
                return Err(Error::shape(format!(
                    "triangular: no triangle goes from {low} to {high} with its mode at {top}"
                )));
            }
            let u = self.uniforms("triangular", T::DTYPE, shape.lengths(), &[])?;
            let rising = record::unary(Op::Sqrt, &with(Op::Multiply, &u, width * (top - low))?);
            let rest = record::binary(Op::Subtract, record::number(&u, 1.0), &u)?;
            let falling = record::unary(Op::Sqrt, &with(Op::Multiply, &rest, width * (high - top))?);
            let rises = with(Op::Less, &u, (top - low) / width)?;
            let falling = record::binary(Op::Subtract, record::number(&u, high), &falling)?;
            record::select(&rises, &with(Op::Add, &rising, low)?, &falling).map(DeviceArray::from_node)
        }

        /// Numbers of the Wald (inverse Gaussian) distribution with the given mean and scale.
        ///
        /// By the root of a quadratic in a squared normal number that a uniform one chooses (Michael,
        /// Schucany and Haas, 1976).
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array that is not positive gives NaN. NumPy: `wald`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).wald(2.0f64, 8.0, 10_000);
        /// assert!((x.mean(..).item()? - 2.0).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn wald | try_wald<T: Component>(
            &mut self,
            mean: impl Operand<T>,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let ((mean, scale), shape) = (args(mean, scale)?, shape.lengths());
            check("wald", "the mean", &mean, "positive and finite", is_positive)?;
            check("wald", "the scale", &scale, "positive and finite", is_positive)?;
            let device = fit("wald", &shape, &[mean.clone(), scale.clone()])?;
            let (mean, scale) = (double(positive(mean)?), double(positive(scale)?));
            let z = self.draw("wald", Law::Normal, DType::F64, shape.clone(), device)?;
            let u = self.draw("wald", Law::Uniform, DType::F64, shape, device)?;
            // w = mean · z² / (2 scale); x = mean · (1 + w - √(w² + 2w)), without cancelling.
            let w = record::binary(Op::Multiply, &record::unary(Op::Square, &z), mean.clone())?;
            let w = with(Op::Divide, &record::binary(Op::Divide, &w, scale)?, 2.0)?;
            let root = record::binary(Op::Multiply, &w, &with(Op::Add, &w, 2.0)?)?;
            let root = record::unary(Op::Sqrt, &root);
            let x = record::unary(Op::Reciprocal, &record::binary(Op::Add, &with(Op::Add, &w, 1.0)?, &root)?);
            let share = record::unary(Op::Reciprocal, &with(Op::Add, &x, 1.0)?);
            let lower = record::binary(Op::LessEqual, &u, &share)?;
            let x = record::select(&lower, &x, &record::unary(Op::Reciprocal, &x))?;
            let x = record::binary(Op::Multiply, &x, mean)?;
            Ok(DeviceArray::from_node(record::cast(&x, T::DTYPE)))
        }
    }

    /// A positive shape parameter, and exponential numbers for it.
    #[track_caller]
    fn shaped<T: Component>(
        &mut self,
        name: &str,
        a: Arg,
        shape: Shape,
    ) -> Result<(Arg, Arc<Node>)> {
        check(name, "the shape a", &a, "positive and finite", is_positive)?;
        let e = self.exponentials(name, T::DTYPE, shape, std::slice::from_ref(&a))?;
        Ok((positive(a)?, e))
    }
}

/// A place and a scale, which scalars must be.
fn located(name: &str, (loc, scale): (Arg, Arg)) -> Result<(Arg, Arg)> {
    check(name, "the place", &loc, "finite", f64::is_finite)?;
    check(name, "the scale", &scale, "finite and not negative", is_scale)?;
    Ok((loc, scale))
}
