//! The interpreter: each operation on plain lists of values, element by element.
//!
//! It shares no code with the library. `None` says that the operation does not take these
//! arguments, so that such a node is no part of any program.

mod elementwise;
mod floats;
mod folds;
mod moves;
mod order;
mod products;

use super::functions;
use super::op::Op;
use super::value::{Host, Kind, V, broadcast};

/// The most elements of a value.
const LARGEST: usize = 20_000;

/// The value of a node.
pub fn interpret(op: &Op, args: &[&Host]) -> Option<Host> {
    let value = value(op, args)?;
    let fits = value.data.len() <= LARGEST && value.rank() <= 5;
    fits.then_some(value)
}

fn value(op: &Op, args: &[&Host]) -> Option<Host> {
    match (op, args) {
        (Op::Input(host), []) => Some(host.clone()),
        (Op::Draw { values, .. }, []) => Some(values.clone()),
        (Op::Full(kind, shape, v), []) => {
            Some(Host::new(*kind, shape.clone(), vec![*v; shape.iter().product()]))
        }
        (Op::Range(kind, n), []) => {
            let one = |k: usize| {
                if kind.is_discrete() { V::int(k as i128) } else { V::float(k as f64) }
            };
            Some(Host::new(*kind, vec![*n], (0..*n).map(one).collect()))
        }
        (Op::Map(name), [a]) => elementwise::unary(name, a),
        (Op::Map(name), [a, b]) => elementwise::binary(name, a, b),
        (Op::Map(name), [a, b, c]) => elementwise::ternary(name, a, b, c),
        (Op::Ldexp, [a, b]) => elementwise::ldexp(a, b),
        (Op::Select, [mask, a, b]) => elementwise::select(mask, a, b),
        (Op::Cast(to), [a]) => Some(elementwise::cast(a, *to)),
        (Op::User(name), args) => functions::interpret(name, args),
        (Op::UserFold { axis, scan }, [a]) => functions::fold(a, *axis, *scan),
        (Op::Reduce { name, axes, keep }, [a]) => folds::reduce(name, a, axes, *keep),
        (Op::Scan { name, axis, reverse, exclusive }, [a]) => {
            folds::scan(name, a, *axis, *reverse, *exclusive)
        }
        (Op::Matmul, [a, b]) => products::matmul(a, b),
        (Op::Sort { axis, down }, [a]) => order::sort(a, *axis, *down),
        (Op::Argsort { axis, down }, [a]) => order::argsort(a, *axis, *down),
        (Op::TopK { k, axis, positions }, [a]) => order::top_k(a, *k, *axis, *positions),
        (Op::Scatter { name, positions, axis }, [a, b]) => {
            order::scatter(name, a, b, positions, *axis)
        }
        (Op::Search { right }, [a, b]) => order::search(a, b, *right),
        (Op::Bincount(least), [a]) => order::bincount(a, *least),
        _ => moves::interpret(op, args),
    }
}

/// An operation of two arguments of any types, broadcast.
pub fn zip(kind: Kind, a: &Host, b: &Host, f: impl Fn(&V, &V) -> V) -> Option<Host> {
    let shape = broadcast(&a.shape, &b.shape)?;
    if shape.iter().product::<usize>() > LARGEST {
        return None;
    }
    let (a, b) = (spread(a, &shape)?, spread(b, &shape)?);
    Some(Host::new(kind, shape, a.data.iter().zip(&b.data).map(|(x, y)| f(x, y)).collect()))
}

/// An array repeated to a shape.
fn spread(a: &Host, shape: &[usize]) -> Option<Host> {
    let size = shape.iter().product::<usize>();
    if broadcast(&a.shape, shape)? != shape || a.rank() > shape.len() || size > 4 * LARGEST {
        return None;
    }
    let front = shape.len() - a.rank();
    Some(Host::build(a.kind, shape.to_vec(), |at| {
        let from: Vec<usize> =
            at[front..].iter().zip(&a.shape).map(|(i, n)| if *n == 1 { 0 } else { *i }).collect();
        a.data[a.offset(&from)]
    }))
}
