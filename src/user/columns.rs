//! Structs of plain data: in device code a struct is a tuple with names, and arrays of structs are
//! columns, one array for each field.
//!
//! The derive macro `Columns` writes the traits that this file and its neighbours have, by way of the
//! tuple of the fields ([`Fields::Tuple`]).

use super::types::DeviceType;
use crate::array::operand::sealed::Wrapped;
use crate::array::{AnyArray, DeviceArray, Operand, located};
use crate::backend::Device;
use crate::dtype::{Complex, Element};
use crate::error::{Error, Result};
use crate::user::kernel::Dim3;

/// A struct whose fields are elements of arrays: implemented by `#[derive(Columns)]`.
///
/// Device code takes, makes, changes and gives back such a struct like a tuple. Arrays of it are
/// *columns*, an array for each field: the derive makes a struct of them, [`Columns::Arrays`], with the
/// name of the struct and `Columns` behind it. A function with
/// [`#[vectorize]`](macro@crate::vectorize) that takes or gives the struct takes or gives the
/// columns; each field is a stream of its own, so that a kernel reads the fields that it uses alone,
/// and neighbouring threads read neighbouring places.
///
/// The struct has two to twelve named fields of types that are elements of arrays
/// ([`Element`]), is `Copy`, and has no parameters. Its columns have, for the struct `S`,
///
/// - `SColumns::from_rows(&[S])`: arrays of one axis, copied to the current device;
/// - `to_rows()`: the structs, on the host, in C order, after one evaluation of all columns;
/// - `eval()`, [`eval`](crate::eval()) of all columns together;
/// - the arrays as public fields (as visible as the fields of the struct), so that everything that
///   is done with arrays is done with a column.
///
/// They are states of [`repeat`](crate::repeat) and [`compile`](crate::compile()), too. NumPy:
/// structured arrays (`recarray`), whose rows are stored one after another; Numba's kernels take those.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Columns)]
/// struct Particle {
///     x: f64,
///     v: f64,
///     alive: bool,
/// }
///
/// #[device]
/// fn moved(mut p: Particle, dt: f64) -> Particle {
///     p.x += p.v * dt;
///     p
/// }
///
/// #[vectorize]
/// fn step(p: Particle, dt: f64, wall: f64) -> Particle {
///     let p = moved(p, dt);
///     Particle { alive: p.x < wall, ..p }
/// }
///
/// let rows = [Particle { x: 0.0, v: 1.0, alive: true }, Particle { x: 1.0, v: 4.0, alive: true }];
/// let particles = ParticleColumns::from_rows(&rows)?;
/// let later = step::call(&particles, 0.5, 2.0);
/// assert_eq!(later.x.to_vec()?, [0.5, 3.0]);
/// assert_eq!(later.to_rows()?[1], Particle { x: 3.0, v: 4.0, alive: false });
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no columns",
    note = "write `#[derive(Clone, Copy, Columns)]` above the struct"
)]
pub trait Columns: DeviceType + Fields {
    /// The struct of arrays, one for each field.
    type Arrays;
}

/// A struct as the tuple of its fields.
#[doc(hidden)]
pub trait Fields: Named + Copy + 'static {
    /// The types of the fields, in order.
    type Tuple: Copy;
    /// The names of the fields, in order.
    const NAMES: &'static [&'static str];
    /// The values of the fields.
    fn into_tuple(self) -> Self::Tuple;
    /// The struct of these values.
    fn from_tuple(tuple: Self::Tuple) -> Self;
}

/// What has fields that device code reads by their names.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "device code does not know the fields of `{Self}`",
    label = "no struct of device code",
    note = "write `#[derive(Clone, Copy, Columns)]` above the struct"
)]
pub trait Named {
    /// The C++ name of a field.
    fn field(name: &str) -> String;
}

impl<T> Named for Complex<T> {
    fn field(name: &str) -> String {
        name.to_owned()
    }
}

impl Named for Dim3 {
    fn field(name: &str) -> String {
        name.to_owned()
    }
}

/// The C++ name of a struct's field.
#[doc(hidden)]
pub fn member<T: Fields>(name: &str) -> String {
    let place = T::NAMES.iter().position(|field| *field == name);
    // rustc has refused what the struct does not have.
    format!("_{}", place.unwrap_or(T::NAMES.len()))
}

/// An argument of a function on arrays, for a parameter of type `T`: an operand where that is a number,
/// columns or one struct where it is a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument for a parameter of type `{T}`",
    note = "a number takes arrays of its type and numbers; a struct with `#[derive(Columns)]` takes \
            its columns (`&SColumns`), or one such struct"
)]
pub trait Argument<T> {
    /// The device of the first array among it that is on one.
    #[doc(hidden)]
    fn device_of(&self) -> Option<Device>;
    /// Appends it to the arguments of a call.
    #[doc(hidden)]
    fn append(self, on: Option<Device>, list: &mut Vec<Wrapped>) -> Result<()>;
}

impl<T: Element, O: Operand<T>> Argument<T> for O {
    fn device_of(&self) -> Option<Device> {
        self.device()
    }

    #[track_caller]
    fn append(self, on: Option<Device>, list: &mut Vec<Wrapped>) -> Result<()> {
        list.push(located(self.wrap(on))?);
        Ok(())
    }
}

/// The device of an argument that is on one.
#[doc(hidden)]
pub fn device_of_argument<T>(argument: &impl Argument<T>) -> Option<Device> {
    argument.device_of()
}

/// Copies the elements of a column to the device.
#[doc(hidden)]
#[track_caller]
pub fn column<T: Element>(values: Vec<T>) -> Result<DeviceArray<T>> {
    DeviceArray::from_vec([values.len()], values)
}

/// Evaluates columns that are to become rows, and checks that they have one shape.
#[doc(hidden)]
#[track_caller]
pub fn evaluated(name: &str, columns: &[(&str, &dyn AnyArray)]) -> Result<()> {
    let shape = |k: usize| &columns[k].1.any_node().0.shape;
    if let Some(other) = (1..columns.len()).find(|&k| shape(k) != shape(0)) {
        let (first, second) = (columns[0].0, columns[other].0);
        return located(Err(Error::shape(format!(
            "{name}: `{first}` has shape {:?} and `{second}` {:?}; rows take columns of one shape",
            shape(0),
            shape(other)
        ))));
    }
    let arrays: Vec<&dyn AnyArray> = columns.iter().map(|column| column.1).collect();
    crate::array::eval(&arrays)
}
