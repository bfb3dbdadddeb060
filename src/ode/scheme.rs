//! What the methods are made of.

use super::options::Method;
use super::rosenbrock::{RODAS5P, Rosenbrock};
use super::tableau::{BOGACKI_SHAMPINE_3, DORMAND_PRINCE_5, DORMAND_PRINCE_8, Tableau};

/// What a method computes in a step.
#[derive(Clone, Copy)]
pub(super) enum Scheme {
    Explicit(&'static Tableau),
    Rosenbrock(&'static Rosenbrock),
}

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
