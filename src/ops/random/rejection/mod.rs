//! Distributions whose numbers take several attempts, written as users' functions are: one text for
//! both kinds of devices, fused with what uses the numbers.

mod laws;
#[cfg(all(test, feature = "cuda"))]
mod tests;

use super::{Generator, check, double, draws, fit, is_scale};
use crate::array::operand::sealed::{IntoArg, Wrapped};
use crate::array::operand::{args, only_arg};
use crate::array::{DeviceArray, IntoShape, Operand, record};
use crate::backend::Device;
use crate::dtype::{Component, DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::Arg;
use crate::shape::Shape;
use crate::table::Law;

/// The largest number of things of one kind, as in NumPy.
const MOST: i64 = 1_000_000_000;

/// An argument that was checked, as an operand of a function.
struct Given(Arg);

impl<T: Element> IntoArg<T> for Given {
    fn device(&self) -> Option<Device> {
        match &self.0 {
            Arg::Node(node) => Some(node.device),
            Arg::Scalar(_) => None,
        }
    }

    fn wrap(self, _: Option<Device>) -> Result<Wrapped> {
        Ok(Wrapped(self.0))
    }
}
impl<T: Element> Operand<T> for Given {}

impl Generator {
    /// A new word for each element of a shape to which the parameters broadcast.
    #[track_caller]
    fn words(&mut self, name: &str, shape: Shape, parameters: &[Arg]) -> Result<DeviceArray<u64>> {
        let device = fit(name, &shape, parameters)?;
        self.draw(name, Law::Uniform, DType::U64, shape, device).map(DeviceArray::from_node)
    }

    draws! {
        /// Angles from -π to π of the von Mises distribution with the mode `mu` and the concentration
        /// `kappa`: a density in proportion to `exp(kappa cos(x - mu))`. 0 gives all angles alike.
        ///
        /// By rejection from a wrapped Cauchy distribution (Best and Fisher, 1979), exact for any
        /// concentration.
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `f32` or `f64`;
        /// computed in `f64`. An element of an array `kappa` that is negative gives NaN. NumPy:
        /// `vonmises`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).vonmises(1.0f64, 4.0, 10_000);
        /// // The mean direction, and the ratio of Bessel functions that is the mean resultant length.
        /// let (c, s) = (x.cos().mean(..).item()?, x.sin().mean(..).item()?);
        /// assert!((s.atan2(c) - 1.0).abs() < 0.02 && (c.hypot(s) - 0.8635).abs() < 0.01);
        /// # Ok::<(), Error>(())
        /// ```
        fn vonmises | try_vonmises<T: Component>(
            &mut self,
            mu: impl Operand<T>,
            kappa: impl Operand<T>,
            shape: impl IntoShape,
        ) -> DeviceArray<T> {
            let (mu, kappa) = args(mu, kappa)?;
            check("vonmises", "the mode", &mu, "finite", f64::is_finite)?;
            check("vonmises", "kappa", &kappa, "finite and not negative", is_scale)?;
            let words = self.words("vonmises", shape.lengths(), &[mu.clone(), kappa.clone()])?;
            let (mu, kappa) = (Given(double(mu)), Given(double(kappa)));
            Ok(laws::vonmises_of_word::try_call(mu, kappa, words)?.cast())
        }

        /// Whole numbers `k` from 1 on with probabilities in proportion to `k^-a`: the zeta
        /// distribution.
        ///
        /// By rejection (Devroye, 1986), among the numbers that `i64` holds.
        ///
        /// **Shape.** The given one, to which `a` broadcasts. **Dtype.** `i64`. Where an element of an
        /// array `a` is not above 1, -1. NumPy: `zipf`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).zipf(2.0, 10_000);
        /// // Six in π² are 1.
        /// assert!((x.equal(1).mean(..).item()? - 0.6079).abs() < 0.02);
        /// # Ok::<(), Error>(())
        /// ```
        fn zipf | try_zipf(&mut self, a: impl Operand<f64>, shape: impl IntoShape) -> DeviceArray<i64> {
            let a = only_arg(a)?;
            check("zipf", "a", &a, "above 1 and finite", |a| a > 1.0 && a < f64::INFINITY)?;
            let words = self.words("zipf", shape.lengths(), std::slice::from_ref(&a))?;
            Ok(laws::zipf_of_word::try_call(Given(a), words)?.cast())
        }

        /// Whole numbers `k` from 1 on with probabilities in proportion to `p^k / k`: the logarithmic
        /// series distribution.
        ///
        /// As geometric numbers whose parameter is random (Kemp, 1981).
        ///
        /// **Shape.** The given one, to which `p` broadcasts. **Dtype.** `i64`. Where an element of an
        /// array `p` is not from 0 to below 1, -1. NumPy: `logseries`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).logseries(0.5, 10_000);
        /// // The mean is p / ((p - 1) ln(1 - p)).
        /// assert!((x.mean(..).item()? - 1.0 / 2f64.ln()).abs() < 0.05);
        /// # Ok::<(), Error>(())
        /// ```
        fn logseries | try_logseries(&mut self, p: impl Operand<f64>, shape: impl IntoShape) -> DeviceArray<i64> {
            let p = only_arg(p)?;
            check("logseries", "p", &p, "from 0 to below 1", |p| (0.0..1.0).contains(&p))?;
            let words = self.words("logseries", shape.lengths(), std::slice::from_ref(&p))?;
            Ok(laws::logseries_of_word::try_call(Given(p), words)?.cast())
        }

        /// How many of `drawn` things are good that are drawn from `good` and `bad` ones without
        /// putting any back.
        ///
        /// By summing up the distribution where few are drawn or of a kind, else by rejection
        /// (Stadlober, 1990).
        ///
        /// **Shape.** The given one, to which the parameters broadcast. **Dtype.** `i64`. There are up
        /// to 10⁹ of each kind. Where elements of arrays are negative, larger, or more are drawn than
        /// there are, -1. NumPy: `hypergeometric`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).hypergeometric(30, 70, 20, 10_000);
        /// assert!(x.max(..).item()? <= 20 && (x.mean(..).item()? - 6.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn hypergeometric | try_hypergeometric(
            &mut self,
            good: impl Operand<i64>,
            bad: impl Operand<i64>,
            drawn: impl Operand<i64>,
            shape: impl IntoShape,
        ) -> DeviceArray<i64> {
            let device = good.device().or(bad.device()).or(drawn.device());
            let (good, bad, drawn) = (good.wrap(device)?.0, bad.wrap(device)?.0, drawn.wrap(device)?.0);
            let counts = |n: f64| (0.0..=MOST as f64).contains(&n);
            check("hypergeometric", "the number of good ones", &good, "from 0 to 10^9", counts)?;
            check("hypergeometric", "the number of bad ones", &bad, "from 0 to 10^9", counts)?;
            check("hypergeometric", "the number drawn", &drawn, "not negative", |n| n >= 0.0)?;
            if let (Arg::Scalar(good), Arg::Scalar(bad), Arg::Scalar(drawn)) = (&good, &bad, &drawn) {
                enough("hypergeometric", drawn.to_f64(), good.to_f64() + bad.to_f64())?;
            }
            let parameters = [good.clone(), bad.clone(), drawn.clone()];
            let words = self.words("hypergeometric", shape.lengths(), &parameters)?;
            let (good, bad, drawn) = (Given(double(good)), Given(double(bad)), Given(double(drawn)));
            Ok(laws::hypergeometric_of_word::try_call(good, bad, drawn, words)?.cast())
        }

        /// How many of each of several kinds are among `drawn` things that are drawn without putting
        /// any back, by a hypergeometric number for each kind but the last.
        ///
        /// **Shape.** The given one, followed by the number of kinds. **Dtype.** `i64`. There are up to
        /// 10⁹ things of all kinds together. NumPy: `multivariate_hypergeometric`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::Generator;
        /// let x = Generator::new(1).multivariate_hypergeometric(&[20, 30, 50], 10, 10_000);
        /// assert_eq!((x.shape(), x.sum(-1).min(..).item()?), (&[10_000, 3][..], 10));
        /// assert!((x.mean(0).to_vec()?[1] - 3.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn multivariate_hypergeometric | try_multivariate_hypergeometric(
            &mut self,
            kinds: &[i64],
            drawn: i64,
            shape: impl IntoShape,
        ) -> DeviceArray<i64> {
            const NAME: &str = "multivariate_hypergeometric";
            let shape = shape.lengths();
            let all = kinds.iter().try_fold(0i64, |all, &n| if n < 0 { None } else { all.checked_add(n) });
            let Some(mut rest) = all.filter(|&all| !kinds.is_empty() && all <= MOST) else {
                return Err(Error::shape(format!(
                    "{NAME}: kinds of {kinds:?} things, and not from 0 to 10^9 in all"
                )));
            };
            enough(NAME, drawn as f64, rest as f64)?;
            let device = fit(NAME, &shape, &[])?;
            let mut left = DeviceArray::<i64>::from_node(record::full(Scalar::new(drawn), shape.clone(), device));
            let mut counts = Vec::new();
            for &own in &kinds[..kinds.len() - 1] {
                rest -= own;
                let count = self.try_hypergeometric(own, rest, &left, &shape[..])?;
                left = left.try_subtract(&count)?;
                counts.push(count);
            }
            counts.push(left);
            crate::try_stack(&counts, -1)
        }
    }
}

/// Checks that there are as many things as are drawn.
fn enough(name: &str, drawn: f64, all: f64) -> Result<()> {
    if (0.0..=all).contains(&drawn) {
        return Ok(());
    }
    Err(Error::shape(format!("{name}: {drawn} cannot be drawn out of {all}")))
}
