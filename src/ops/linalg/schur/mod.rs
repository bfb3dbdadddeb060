//! Schur's form, and what is computed with triangles: on the host, in complex numbers of double
//! precision, for no library gives it on both kinds of devices.

mod decompose;
mod equations;
mod functions;
mod parlett;
mod riccati;
mod triangle;

pub use equations::{solve_continuous_lyapunov, solve_discrete_lyapunov, solve_sylvester};
pub use riccati::{solve_continuous_are, solve_discrete_are};

pub(super) use triangle::over;

use super::factor::Matrices;
use crate::array::DeviceArray;
use crate::dtype::{Complex, Factorable};
use crate::error::{Error, Result};
use triangle::Square;

type C = Complex<f64>;

/// The matrices of a batch on the host, which evaluates them; an error where a number is not finite.
fn matrices<T: Factorable>(name: &str, a: &DeviceArray<T>) -> Result<(Matrices, Vec<Square>)> {
    let own = Matrices::square(name, a.node())?;
    let all = a.cast::<C>().to_vec()?;
    if !all.iter().all(|x| x.re.is_finite() && x.im.is_finite()) {
        return Err(Error::numeric(format!("{name}: the matrix holds what is not finite")));
    }
    let count = own.batch();
    let one =
        |k: usize| Square::new(own.n, all[k * own.n * own.n..(k + 1) * own.n * own.n].to_vec());
    let squares = (0..count).map(one).collect();
    Ok((own, squares))
}

/// Results for each matrix in the place of the batch.
fn upload<T: Factorable>(
    like: &DeviceArray<impl Factorable>,
    own: &Matrices,
    squares: &[Square],
) -> Result<DeviceArray<T>> {
    let all: Vec<C> = squares.iter().flat_map(|s| s.elements().iter().copied()).collect();
    let shape = own.each(&[own.n, own.n]);
    Ok(like.device().scope(|| DeviceArray::from_vec(&shape[..], all))?.cast())
}
