//! What the methods are made of.

use super::options::Method;
use super::rodas::{RODAS5P, Rosenbrock};
use super::tableau::{BOGACKI_SHAMPINE_3, DORMAND_PRINCE_5, DORMAND_PRINCE_8, Tableau};

/// What a method computes in a step.
#[derive(Clone, Copy)]
pub(super) enum Scheme {
    Explicit(&'static Tableau),
    Rosenbrock(&'static Rosenbrock),
}

/// The sums and products that a step may have, besides the right-hand side, for it to be one kernel with
/// the state in registers.
const LIGHT: usize = 500;

impl Method {
    pub(super) fn scheme(self) -> Scheme {
        match self {
            Method::BogackiShampine3 => Scheme::Explicit(&BOGACKI_SHAMPINE_3),
            Method::DormandPrince5 => Scheme::Explicit(&DORMAND_PRINCE_5),
            Method::DormandPrince8 => Scheme::Explicit(&DORMAND_PRINCE_8),
            Method::Rodas5P => Scheme::Rosenbrock(&RODAS5P),
        }
    }
}

impl Scheme {
    /// The order of the estimate: the error is of one order more in the step's size.
    pub fn order(self) -> i32 {
        match self {
            Scheme::Explicit(table) => table.order,
            Scheme::Rosenbrock(table) => table.order,
        }
    }

    /// Whether a step of a state of so many components is one kernel.
    pub fn is_light(self, components: usize) -> bool {
        match self {
            // Each stage sums up those before it.
            Scheme::Explicit(table) => (table.stages.len() + 1).pow(2) * components <= LIGHT,
            Scheme::Rosenbrock(_) => false,
        }
    }

    /// The number of terms that dense output keeps.
    pub fn terms(self) -> usize {
        match self {
            Scheme::Explicit(table) => 1 + table.dense.len(),
            Scheme::Rosenbrock(table) => table.dense.len(),
        }
    }

    /// Whether the factor of a term of dense output is the part of the step, not the rest of it.
    pub fn is_part(self, term: usize) -> bool {
        match self {
            Scheme::Explicit(_) => term % 2 == 0,
            Scheme::Rosenbrock(_) => term != 1,
        }
    }
}
