//! Real distributions.

use super::{Generator, check, double, draws, fit, is_positive, is_scale};
use crate::array::operand::{args, only_arg};
use crate::array::{DeviceArray, IntoShape, Operand, record};
use crate::dtype::{Component, DType, Factorable, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Node};
use crate::shape::Shape;
use crate::table::{Law, Op};
use std::sync::Arc;

impl Generator {
    draws! {
        /// Numbers of `[0, 1)`, all multiples of 2⁻²⁴ (`f32`) or 2⁻⁵³ (`f64`) equally probable.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let u = Generator::new(1).random::<f32>([100, 10]);
        /// assert!(u.min(..).item()? >= 0.0 && u.max(..).item()? < 1.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn random | try_random<T: Component>(&mut self, shape: impl IntoShape) -> DeviceArray<T> {
            self.unit("random", T::DTYPE, shape.lengths()).map(DeviceArray::from_node)
        }

        /// Numbers of `[low, high)`, as `low + (high - low)·u`; rounding may give `high` itself.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`. `low` must be below `high`, where
        /// NumPy also takes equal ones.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).uniform(-1.0, 3.0, 1000);
        /// assert!(x.min(..).item()? >= -1.0 && x.max(..).item()? <= 3.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn uniform | try_uniform<T: Component>(&mut self, low: T, high: T, shape: impl IntoShape) -> DeviceArray<T> {
            let width = high.to_f64() - low.to_f64();
            if !is_positive(width) {
                return Err(Error::shape(format!(
                    "uniform: no numbers lie between {low:?} and {high:?}, or not finitely many"
                )));
            }
            let u = self.unit("uniform", T::DTYPE, shape.lengths())?;
            affine(u, Scalar::new(low).into(), Scalar::from_f64(T::DTYPE, width).into())
        }

        /// Numbers of the standard normal distribution, by the inverse of its distribution
        /// function from one word each.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` (to 6.3 deviations) or `f64` (to 9.2).
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let z = Generator::new(1).standard_normal::<f64>(10_000);
        /// assert!(z.mean(..).item()?.abs() < 0.05 && (z.std(..).item()? - 1.0).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn standard_normal | try_standard_normal<T: Component>(&mut self, shape: impl IntoShape) -> DeviceArray<T> {
            self.normals("standard_normal", T::DTYPE, shape.lengths(), &[]).map(DeviceArray::from_node)
        }

        /// Numbers of the normal distribution with mean `loc` and standard deviation `scale`.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`.
        /// An element of an array `scale` that is negative or NaN gives NaN.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let means = DeviceArray::<f64>::linspace(0.0, 100.0, 3);
        /// let x = Generator::new(1).normal(&means, 0.5, [1000, 3]);
        /// assert!((x.mean(0) - means).abs().max(..).item()? < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn normal | try_normal<T: Component>(
            &mut self,
            loc: impl Operand<T>,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (loc, scale) = args(loc, scale)?;
            check("normal", "the mean", &loc, "finite", f64::is_finite)?;
            check("normal", "the scale", &scale, "finite and not negative", is_scale)?;
            let z = self.normals("normal", T::DTYPE, shape.lengths(), &[loc.clone(), scale.clone()])?;
            affine(z, loc, not_negative(scale)?)
        }

        /// Numbers whose logarithm is normal with mean `mean` and standard deviation `sigma`.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`.
        /// An element of an array `sigma` that is negative or NaN gives NaN.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).lognormal(0.0, 0.25, 1000);
        /// assert!(x.min(..).item()? > 0.0);
        /// # Ok::<(), Error>(())
        /// ```
        fn lognormal | try_lognormal<T: Component>(
            &mut self,
            mean: impl Operand<T>,
            sigma: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (mean, sigma) = args(mean, sigma)?;
            check("lognormal", "the mean", &mean, "finite", f64::is_finite)?;
            check("lognormal", "sigma", &sigma, "finite and not negative", is_scale)?;
            let both = [mean.clone(), sigma.clone()];
            let z = self.normals("lognormal", T::DTYPE, shape.lengths(), &both)?;
            Ok(affine::<T>(z, mean, not_negative(sigma)?)?.exp())
        }

        /// Numbers of the exponential distribution with mean `scale`.
        ///
        /// **Shape.** The given one, to which the scale broadcasts. **Dtype.** `f32` or `f64`. An
        /// element of an array `scale` that is negative or NaN gives NaN.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).exponential(2.0f64, 10_000);
        /// assert!((x.mean(..).item()? - 2.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn exponential | try_exponential<T: Component>(
            &mut self,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (scale, shape) = (only_arg(scale)?, shape.lengths());
            check("exponential", "the scale", &scale, "finite and not negative", is_scale)?;
            let device = fit("exponential", &shape, std::slice::from_ref(&scale))?;
            let u = self.draw("exponential", Law::Uniform, T::DTYPE, shape, device)?;
            let x = record::unary(Op::Negative, &record::unary(Op::Ln1p, &record::unary(Op::Negative, &u)));
            record::binary(Op::Multiply, &x, not_negative(scale)?).map(DeviceArray::from_node)
        }

        /// Numbers of the gamma distribution with the shape `k` and the given scale.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array `k` or `scale` that is negative or NaN gives NaN.
        /// NumPy: `gamma`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).gamma(3.0f64, 2.0, 10_000);
        /// assert!((x.mean(..).item()? - 6.0).abs() < 0.2);
        /// # Ok::<(), Error>(())
        /// ```
        fn gamma | try_gamma<T: Component>(
            &mut self,
            k: impl Operand<T>,
            scale: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let ((k, scale), shape) = (args(k, scale)?, shape.lengths());
            check("gamma", "the shape k", &k, "finite and not negative", is_scale)?;
            check("gamma", "the scale", &scale, "finite and not negative", is_scale)?;
            fit("gamma", &shape, &[k.clone(), scale.clone()])?;
            let x = self.variates(Op::SampleGamma, shape, &[double(k)])?;
            let x = record::cast(&x, T::DTYPE);
            record::binary(Op::Multiply, &x, not_negative(scale)?).map(DeviceArray::from_node)
        }

        /// Numbers of the beta distribution with the shapes `a` and `b`.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. Where an element of `a` or `b` is not positive and finite, NaN.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).beta(2.0f64, 3.0, 10_000);
        /// assert!((x.mean(..).item()? - 0.4).abs() < 0.02);
        /// # Ok::<(), Error>(())
        /// ```
        fn beta | try_beta<T: Component>(
            &mut self,
            a: impl Operand<T>,
            b: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (a, b) = args(a, b)?;
            check("beta", "the shape a", &a, "positive and finite", is_positive)?;
            check("beta", "the shape b", &b, "positive and finite", is_positive)?;
            let x = self.variates(Op::SampleBeta, shape.lengths(), &[double(a), double(b)])?;
            Ok(DeviceArray::from_node(record::cast(&x, T::DTYPE)))
        }

        /// Vectors of the multivariate normal distribution with the given mean and covariance.
        ///
        /// **Shape.** The given one, followed by the length of the mean. **Dtype.** `f32` or `f64`.
        /// The lower triangle of the covariance is read; where it is not positive definite, the
        /// evaluation fails with [`Error::is_numeric`](crate::Error::is_numeric). NumPy:
        /// `multivariate_normal`, which also takes singular ones.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let mean = DeviceArray::<f64>::from_slice(&[1.0, -1.0])?;
        /// let covariance = DeviceArray::<f64>::from_vec([2, 2], vec![2.0, 0.5, 0.5, 1.0])?;
        /// let x = Generator::new(1).multivariate_normal(&mean, &covariance, 10_000);
        /// assert_eq!(x.shape(), [10_000, 2]);
        /// assert!((x.mean(0) - mean).abs().max(..).item()? < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn multivariate_normal | try_multivariate_normal<T: Component, Factorable>(
            &mut self,
            mean: &DeviceArray<T>,
            covariance: &DeviceArray<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (n, mut shape) = (mean.len(), shape.lengths());
            if mean.ndim() != 1 || covariance.shape() != [n, n] || n == 0 {
                return Err(Error::shape(format!(
                    "multivariate_normal: a mean of shape {:?} and a covariance of shape {:?}",
                    mean.shape(), covariance.shape()
                )));
            }
            shape.push(n);
            let both = [mean.arg(), covariance.arg()];
            let z = self.normals("multivariate_normal", T::DTYPE, shape.clone(), &both[..1])?;
            let rows = shape.iter().rev().skip(1).product::<usize>();
            let z = DeviceArray::<T>::from_node(z).try_reshape([rows, n])?;
            let moved = z.try_matmul(&covariance.try_cholesky()?.t())?.try_add(mean)?;
            moved.try_reshape(&shape[..])
        }
    }

    /// Uniform numbers of `[0, 1)` on the current device.
    #[track_caller]
    pub(super) fn unit(&mut self, name: &str, dtype: DType, shape: Shape) -> Result<Arc<Node>> {
        let device = fit(name, &shape, &[])?;
        self.draw(name, Law::Uniform, dtype, shape, device)
    }

    /// Normal numbers for parameters that broadcast to the shape.
    #[track_caller]
    fn normals(
        &mut self,
        name: &str,
        dtype: DType,
        shape: Shape,
        parameters: &[Arg],
    ) -> Result<Arc<Node>> {
        let device = fit(name, &shape, parameters)?;
        self.draw(name, Law::Normal, dtype, shape, device)
    }
}

/// A scale whose negative elements are NaN; a scalar was checked before.
fn not_negative(scale: Arg) -> Result<Arg> {
    let Arg::Node(node) = &scale else { return Ok(scale) };
    let valid = record::binary(Op::GreaterEqual, node, record::number(node, 0.0))?;
    Ok(Arg::Node(record::select(&valid, node, record::number(node, f64::NAN))?))
}

/// `loc + scale · x`.
#[track_caller]
fn affine<T: Component>(x: Arc<Node>, loc: Arg, scale: Arg) -> Result<DeviceArray<T>> {
    let scaled = record::binary(Op::Multiply, &x, scale)?;
    record::binary(Op::Add, &scaled, loc).map(DeviceArray::from_node)
}
