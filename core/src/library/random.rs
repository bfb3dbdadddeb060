//! The calls of random number libraries.

use crate::dtype::DType;

/// A generator of cuRAND's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// XORWOW (G. Marsaglia, "Xorshift RNGs", 2003), cuRAND's default.
    Xorwow,
    /// MRG32k3a (P. L'Ecuyer, 1999).
    Mrg32k3a,
    /// Philox4x32-10, in cuRAND's order.
    Philox,
    /// Sobol's sequence of 32 bits: numbers that fill space evenly, in up to 20,000 dimensions.
    Sobol32,
    /// The same, scrambled.
    ScrambledSobol32,
    /// Sobol's sequence of 64 bits.
    Sobol64,
    /// The same, scrambled.
    ScrambledSobol64,
}

impl Kind {
    /// cuRAND's name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Xorwow => "XORWOW",
            Kind::Mrg32k3a => "MRG32k3a",
            Kind::Philox => "Philox4x32-10",
            Kind::Sobol32 => "Sobol32",
            Kind::ScrambledSobol32 => "scrambled Sobol32",
            Kind::Sobol64 => "Sobol64",
            Kind::ScrambledSobol64 => "scrambled Sobol64",
        }
    }

    /// Whether the numbers fill space evenly rather than look random: there is no seed, and
    /// there are dimensions.
    pub fn is_quasi(self) -> bool {
        !matches!(self, Kind::Xorwow | Kind::Mrg32k3a | Kind::Philox)
    }

    /// The type of the generator's own words.
    pub fn word(self) -> DType {
        match self {
            Kind::Sobol64 | Kind::ScrambledSobol64 => DType::U64,
            _ => DType::U32,
        }
    }
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variate {
    /// The generator's words.
    Bits,
    /// Numbers of `(0, 1]`.
    Uniform,
    /// Normal numbers; the parameters are mean and deviation.
    Normal,
    /// Numbers whose logarithm is normal; the parameters are those of the logarithm.
    Lognormal,
    /// Poisson counts; the first parameter is the mean.
    Poisson,
}

/// A draw: the scalars that come with it are seed, offset and two parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Generate {
    /// The generator.
    pub kind: Kind,
    /// What is drawn.
    pub variate: Variate,
    /// The type of the numbers.
    pub dtype: DType,
    /// How many, over all dimensions; even for normal numbers.
    pub len: usize,
    /// The dimensions of a quasi-random generator; 1 else.
    pub dims: u32,
}
