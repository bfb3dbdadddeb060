//! The special functions: as tiles for every instruction set and as device code against the plain
//! functions, which `tests/it/special_functions.rs` holds against an oracle; all are compiled by NVRTC
//! where it is there.

use super::{Cases, Range};
use crate::special::device;

/// Rounding differs between the three, which inverses and what lies near a root make larger.
const CLOSE: f64 = 1e-9;

macro_rules! cases {
    ($range:ident: $($name:ident)*) => {{
        let mut cases = Cases::default();
        $(cases.add::<device::$name, ()>(Range::$range, CLOSE);)*
        cases.check();
    }};
}

#[test]
fn gamma_functions() {
    cases!(Edges: digamma zeta zeta_hurwitz beta betaln binom factorial factorial2 poch);
    cases!(Small: polygamma);
}

#[test]
fn incomplete_functions() {
    cases!(Edges: gammainc gammaincc betainc betaincc);
    cases!(Edges: gammaincinv gammainccinv betaincinv betainccinv);
}

#[test]
fn exponential_functions() {
    cases!(Edges: exp1 expi lambertw lambertw_lower ndtr ndtri log_ndtr kl_div);
}

#[test]
fn bessel_functions() {
    cases!(Edges: k0 k1 k0e k1e i0e i1e);
    cases!(Small: jn yn kn);
    cases!(Edges: jv yv iv ive kv kve);
}

#[test]
fn elliptic_and_legendre_functions() {
    cases!(Edges: ellipk ellipkm1 ellipe ellipkinc ellipeinc ellipj);
    cases!(Small: legendre_p assoc_legendre_p sph_harm_y);
}

/// A test of all rows of functions that are made of others.
macro_rules! formulas {
    ($($kind:ident [$($doc:tt)*] [$($method:tt)*] [$($example:tt)*]
        fn $name:ident | $try_name:ident($($arg:ident),*) $body:block within $within:literal, floor $floor:literal;)*) => {
        #[test]
        fn functions_in_their_own_type() {
            let mut cases = Cases::default();
            $(cases.add::<device::$name, (f64,)>(Range::Edges, CLOSE);)*
            $(cases.add::<device::$name, (f32,)>(Range::Edges, 1e-5);)*
            cases.check();
        }
    };
}
lazuli_macros::formulas!(formulas);
