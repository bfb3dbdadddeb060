//! Reductions and scans with user functions.

use super::apply::{combining, function};
use super::code::DeviceFn;
use super::outputs::{Nodes, Outputs};
use super::pack::Pack;
use crate::array::operand::only_arg;
use crate::array::{Axes, DeviceArray, Operand, located, record};
use crate::backend::Device;
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
    fn collect(self, args: &mut Arguments) -> Result<()>;
}

/// The arguments of a reduction or a scan.
pub struct Arguments(Args);

impl Arguments {
    /// Adds an array or a number, on the given device where it is an array of the host.
    pub fn add<T: Element>(&mut self, operand: impl Operand<T>, on: Option<Device>) -> Result<()> {
        self.0.push(operand.wrap(on)?.0);
        Ok(())
    }
}

impl<T: Element> States<T> for &DeviceArray<T> {
    fn collect(self, args: &mut Arguments) -> Result<()> {
        args.0.push(only_arg(self)?);
        Ok(())
    }
}

impl<T: Element> States<T> for DeviceArray<T> {
    fn collect(self, args: &mut Arguments) -> Result<()> {
        args.0.push(only_arg(self)?);
        Ok(())
    }
}

macro_rules! tuples {
    ($($($name:ident $operand:ident $k:tt)+;)*) => {$(
        impl<$($name: Element, $operand: Operand<$name>),+> States<($($name,)+)> for ($($operand,)+) {
            fn collect(self, args: &mut Arguments) -> Result<()> {
                let device = None$(.or(self.$k.device()))+;
                $(args.0.push(self.$k.wrap(device)?.0);)+
                Ok(())
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
    located(arrays.collect(&mut args))?;
    let function = combining::<F, G, S>();
    let (shape, _) = located(record::join(&function.name, &args.0))?;
    let axes = located(axes.resolve(&function.name, shape.len()))?;
    let mut scalars = Vec::new();
    identity.scalars(&mut scalars);
    let folded = located(record::fold(function, scalars, args.0, axes.mask))?;
    let mut nodes = Vec::new();
    for node in &folded {
        nodes.push(kept(node, &shape, axes));
    }
    Ok(S::arrays(Nodes::new(nodes)))
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
    located(arrays.collect(&mut args))?;
    let mut scalars = Vec::new();
    identity.scalars(&mut scalars);
    let nodes = by_function(function::<F, G>(), scalars, &args.0, axis, how);
    located(nodes.map(|nodes| S::arrays(Nodes::new(nodes.into_vec()))))
}
