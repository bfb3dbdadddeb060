//! Reductions and scans with user functions.

use super::apply::{Nodes, Outputs, combining, function};
use super::code::DeviceFn;
use super::pack::Pack;
use crate::array::operand::arg;
use crate::array::{Axes, DeviceArray, Operand, located, record};
use crate::dtype::Element;
use crate::error::Result;
use crate::graph::Args;
use crate::ops::reduce::kept;
use crate::ops::scan::{Scan, by_function};

/// Arrays whose elements are the states of a reduction: one array, or a tuple of them for a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold states of type `{S}`",
    note = "a reduction of numbers takes `&DeviceArray<T>`, one of tuples a tuple of arrays"
)]
pub trait States<S> {
    /// The arrays as arguments.
    #[doc(hidden)]
    fn collect(self, args: &mut Arguments);
}

/// The arguments of a reduction or a scan.
pub struct Arguments(Args);

impl<T: Element> States<T> for &DeviceArray<T> {
    fn collect(self, args: &mut Arguments) {
        args.0.push(arg(self));
    }
}

impl<T: Element> States<T> for DeviceArray<T> {
    fn collect(self, args: &mut Arguments) {
        args.0.push(arg(self));
    }
}

macro_rules! tuples {
    ($($($name:ident $operand:ident $k:tt)+;)*) => {$(
        impl<$($name: Element, $operand: Operand<$name>),+> States<($($name,)+)> for ($($operand,)+) {
            fn collect(self, args: &mut Arguments) {
                $(args.0.push(arg::<$name>(self.$k));)+
            }
        }
    )*};
}
tuples! {
    A X 0 B Y 1;
    A X 0 B Y 1 C Z 2;
    A X 0 B Y 1 C Z 2 D W 3;
    A X 0 B Y 1 C Z 2 D W 3 E V 4;
    A X 0 B Y 1 C Z 2 D W 3 E V 4 F U 5;
}

/// Records a reduction with `F`.
#[track_caller]
pub fn reduce<F, G, S>(
    arrays: impl States<S>,
    axes: impl Axes,
    identity: S,
) -> Result<<S as Outputs>::Arrays>
where
    F: DeviceFn<G, Args = (S, S), Output = S>,
    G: 'static,
    S: Outputs,
{
    let mut args = Arguments(Args::new());
    arrays.collect(&mut args);
    let record = || {
        let function = combining::<F, G, S>();
        let (shape, _) = record::join(&function.name, &args.0)?;
        let axes = axes.resolve(&function.name, shape.len())?;
        let mut scalars = Vec::new();
        identity.scalars(&mut scalars);
        let nodes = record::fold(function, scalars, args.0, axes.mask)?;
        let nodes = nodes.iter().map(|node| kept(node, &shape, axes)).collect();
        Ok(S::arrays(Nodes::new(nodes)))
    };
    located(record())
}

/// Records a scan with `F`.
#[track_caller]
pub fn scan<F, G, S>(
    arrays: impl States<S>,
    axis: impl Axes,
    how: Scan,
    identity: S,
) -> Result<<S as Outputs>::Arrays>
where
    F: DeviceFn<G, Output = S>,
    F::Args: Pack,
    G: 'static,
    S: Outputs,
{
    let mut args = Arguments(Args::new());
    arrays.collect(&mut args);
    let mut scalars = Vec::new();
    identity.scalars(&mut scalars);
    let nodes = by_function(function::<F, G>(), scalars, &args.0, axis, how);
    located(nodes.map(|nodes| S::arrays(Nodes::new(nodes.into_vec()))))
}
