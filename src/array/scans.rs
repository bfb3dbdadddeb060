//! Recording scans: by an operation of the table of reductions, and by a user's function.

use super::record::{call, devices_differ, full, record, view};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::graph::{Arg, Args, Node, NodeOp, View};
use crate::ops::table::Reduction;
use smallvec::smallvec;
use std::sync::Arc;

/// Records a scan along an axis.
pub(crate) fn accumulate(
    op: Reduction,
    a: &Arc<Node>,
    axis: usize,
    exclusive: bool,
    reverse: bool,
) -> Arc<Node> {
    // One position has nothing to scan, and a kernel has no axis for it.
    if a.shape[axis] <= 1 {
        return match exclusive {
            true => full(op.identity_value(a.dtype), a.shape.clone(), a.device),
            false => a.clone(),
        };
    }
    let node = NodeOp::Scan { op, axis: axis as u8, exclusive, reverse };
    record(node, smallvec![a.into()], a.shape.clone(), a.dtype, a.device)
}

/// Records a scan by a user's associative function of two states, `(S…, S…) -> S…`: each element
/// combined with all before it along an axis, in order. `identity` changes no state that it is
/// combined with; `args` holds the components of the states, all of one shape.
///
/// The scan takes as many steps as the length has bits. In each, every state is combined with what
/// lies twice as far before it as in the last, in a kernel of its own or together with its
/// neighbours: the same pairs on every run.
///
/// # Errors
/// Where the components' shapes, types or devices differ from what the function takes.
#[allow(dead_code)] // The attributes will call it.
pub(crate) fn scan(
    function: &Arc<Function>,
    identity: &[Scalar],
    args: &[Arc<Node>],
    axis: usize,
) -> Result<Vec<Arc<Node>>> {
    let name = &function.name;
    let (Some(first), true) = (args.first(), identity.len() == args.len()) else {
        let (n, m) = (args.len(), identity.len());
        return Err(Error::shape(format!("{name}: {n} components and {m} identities")));
    };
    if let Some(other) = args.iter().find(|a| a.device != first.device) {
        return Err(devices_differ(name, first.device, other.device));
    }
    if let Some(other) = args.iter().find(|a| a.shape != first.shape) {
        let (a, b) = (&first.shape, &other.shape);
        return Err(Error::shape(format!("{name}: components of shapes {a:?} and {b:?}")));
    }
    let mut states = args.to_vec();
    let mut apart = 1;
    while apart < first.shape[axis] {
        let before = states.iter().zip(identity).map(|(s, i)| earlier(s, axis, apart, *i));
        let both: Args = before.map(Arg::Node).chain(states.iter().map(Arg::from)).collect();
        states = call(function, both)?.into_vec();
        apart *= 2;
    }
    Ok(states)
}

/// The array moved along an axis, with another value where nothing was.
fn earlier(a: &Arc<Node>, axis: usize, by: usize, fill: Scalar) -> Arc<Node> {
    let mut before: Box<[usize]> = a.shape.iter().map(|_| 0).collect();
    before[axis] = by;
    let mut shape = a.shape.clone();
    shape[axis] += by;
    let args: Args = smallvec![Arg::from(a), Arg::Scalar(fill)];
    let padded = record(NodeOp::Pad { before }, args, shape, a.dtype, a.device);
    view(&padded, View::identity(a.shape.len()), a.shape.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::DeviceArray;
    use crate::dtype::DType;
    use crate::function::{CudaCode, TileArg};

    /// `x → a·x + b` after `x → c·x + d`: associative, and not commutative.
    unsafe fn compose(args: &[TileArg], outs: &[*mut u8], n: usize) {
        for k in 0..n {
            let at = |j: usize| {
                let arg = &args[j];
                // SAFETY: the caller gives `n` elements, or one.
                unsafe { arg.ptr.cast::<f64>().add(if arg.vector { k } else { 0 }).read() }
            };
            let (a, b, c, d) = (at(0), at(1), at(2), at(3));
            // SAFETY: there is room for `n` results.
            unsafe {
                outs[0].cast::<f64>().add(k).write(a * c);
                outs[1].cast::<f64>().add(k).write(b * c + d);
            }
        }
    }

    #[test]
    fn a_scan_by_a_function_that_does_not_commute() {
        let text = "__device__ lz_tuple<double, double> compose_maps(double a, double b, double c, double d) \
                    { return {a * c, b * c + d}; }";
        let cuda = CudaCode {
            entry: "compose_maps".into(),
            definitions: vec![("compose_maps".into(), text.into())],
        };
        let types = |n: usize| vec![DType::F64; n];
        let function = Function::new("compose", types(4), types(2), Some(cuda), Some(compose), 3.0);
        let function = Arc::new(function);
        let n = 333;
        let slope: Vec<f64> = (0..2 * n).map(|i| 0.5 + (i % 7) as f64 * 0.1).collect();
        let shift: Vec<f64> = (0..2 * n).map(|i| (i % 5) as f64 - 2.0).collect();
        let upload = |v: &Vec<f64>| DeviceArray::from_vec([2, n], v.clone()).unwrap();
        let args = [upload(&slope).node().clone(), upload(&shift).node().clone()];
        let identity = [Scalar::new(1.0), Scalar::new(0.0)];
        let states = scan(&function, &identity, &args, 1).unwrap();
        let found: Vec<Vec<f64>> =
            states.iter().map(|s| DeviceArray::from_node(s.clone()).to_vec().unwrap()).collect();
        for row in 0..2 {
            let (mut a, mut b) = (1.0, 0.0);
            for k in row * n..(row + 1) * n {
                (a, b) = (a * slope[k], b * slope[k] + shift[k]);
                assert!((found[0][k] - a).abs() <= 1e-9 * a.abs(), "{} for {a}", found[0][k]);
                assert!(
                    (found[1][k] - b).abs() <= 1e-9 * (1.0 + b.abs()),
                    "{} for {b}",
                    found[1][k]
                );
            }
        }
        assert!(scan(&function, &identity[..1], &args, 1).unwrap_err().is_shape());
    }
}
