//! Cuts expressions that have become too deep or too large.
//!
//! An expression that reaches `DEPTH_LIMIT` or `SIZE_LIMIT` (`array/limits.rs`) makes recording evaluate
//! what [`cut_set`] names. A loop is so cut between two turns, at the same place each time, and a
//! million steps compile a constant number of kernels. The walks here note what they met in the
//! nodes themselves, as evaluations do, and under the same lock.

use super::{Arg, Node};
use smallvec::SmallVec;
use std::sync::Arc;

/// Numbers for walks over nodes, by which nodes tell whether a walk has met them. Whoever has
/// them is the only one to walk, and no evaluation runs beside: an evaluation has them too.
#[derive(Default)]
pub(crate) struct Walks {
    last: u32,
}

impl Walks {
    /// A number that is not that of the walk before, and not that of a node that none has met.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> u32 {
        self.last = self.last.wrapping_add(1).max(1);
        self.last
    }
}

/// The nodes to evaluate so that the expression below `node` becomes shallow: the lowest arrays that
/// the user holds in the upper half of its depth, as few as do, or the node itself.
///
/// A loop carries its state in arrays that the program holds from one turn to the next, so a cut
/// there falls between two turns, where the state is small, and not inside one, where what was
/// half computed would be computed again. Where a loop stands in another, the lowest of these arrays are
/// those of the outer one, which the inner one leaves as they are: cuts at inner turns would fall at other
/// places of each outer turn, and each would have a plan of its own.
pub(crate) fn cut_set(node: &Arc<Node>, walks: &mut Walks) -> Vec<Arc<Node>> {
    let depth = node.depth();
    let mut held = held_in(node, depth / 2 + 1, walks);
    held.sort_by_key(|n| n.depth());
    for count in 1..=held.len().min(4) {
        if depth_above(node, &held[..count], walks, |_, _| ()) <= depth / 2 {
            held.truncate(count);
            return held.into_iter().cloned().collect();
        }
    }
    vec![node.clone()]
}

/// How many nodes an evaluation of `node` would compute, `most` for as many or more.
pub(crate) fn size_below(node: &Arc<Node>, most: u32, walks: &mut Walks) -> u32 {
    let walk = walks.begin();
    let (mut size, mut waiting) = (0, SmallVec::<[&Arc<Node>; 32]>::from_elem(node, 1));
    while let Some(node) = waiting.pop() {
        if node.is_evaluated() || node.met(walk).is_some() {
            continue;
        }
        node.meet(walk, 0);
        size += 1;
        if size == most {
            break;
        }
        waiting.extend(arguments(node));
    }
    size
}

/// Whether the expression below `node` is as deep as the node says. A node does not learn of it
/// when others below it are evaluated, but then no chain of arguments is as long any more.
pub(crate) fn is_as_deep(node: &Arc<Node>, _walks: &mut Walks) -> bool {
    let mut node = node;
    for depth in (1..node.depth()).rev() {
        match arguments(node).find(|arg| arg.depth() == depth) {
            Some(arg) => node = arg,
            None => return false,
        }
    }
    true
}

/// Brings the depths of `node` and of what is below it up to date after evaluations.
pub(crate) fn refresh_depth(node: &Arc<Node>, walks: &mut Walks) {
    depth_above(node, &[], walks, Node::set_depth);
}

/// The nodes that a user holds below `node` in an expression at least so deep, each once.
fn held_in<'a>(node: &'a Arc<Node>, least: u32, walks: &mut Walks) -> Vec<&'a Arc<Node>> {
    let walk = walks.begin();
    let mut found = Vec::new();
    let mut waiting: SmallVec<[&Arc<Node>; 32]> = arguments(node).collect();
    while let Some(node) = waiting.pop() {
        if node.depth() < least || node.met(walk).is_some() {
            continue;
        }
        node.meet(walk, 0);
        waiting.extend(arguments(node));
        if node.has_handles() && node.len() > 0 {
            found.push(node);
        }
    }
    found
}

/// The depth of `node` if some nodes below it had their data. `tell` hears of the depth of every
/// unevaluated node on the way.
fn depth_above(
    node: &Arc<Node>,
    evaluated: &[&Arc<Node>],
    walks: &mut Walks,
    tell: impl Fn(&Node, u32),
) -> u32 {
    let walk = walks.begin();
    evaluated.iter().for_each(|node| node.meet(walk, 0));
    let depth_of = |node: &Node| match node.is_evaluated() {
        true => Some(0),
        false => node.met(walk),
    };
    let mut waiting: SmallVec<[(&Arc<Node>, bool); 32]> = SmallVec::new();
    waiting.push((node, false));
    while let Some(last) = waiting.last_mut() {
        let node = last.0;
        if depth_of(node).is_some() {
            waiting.pop();
        } else if last.1 {
            waiting.pop();
            let depth = 1 + arguments(node).filter_map(|arg| depth_of(arg)).max().unwrap_or(0);
            node.meet(walk, depth);
            tell(node, depth);
        } else {
            last.1 = true;
            let unknown = arguments(node).filter(|arg| depth_of(arg).is_none());
            waiting.extend(unknown.map(|arg| (arg, false)));
        }
    }
    depth_of(node).expect("the walk ends with it")
}

/// The nodes among the arguments of a node; for whoever has the [`Walks`].
fn arguments(node: &Arc<Node>) -> impl Iterator<Item = &Arc<Node>> {
    // SAFETY: no evaluation runs, or this one does.
    unsafe { node.state_unlocked() }.args.iter().filter_map(|arg| match arg {
        Arg::Node(arg) => Some(arg),
        Arg::Scalar(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Buffer, Device};
    use crate::dtype::{DType, Scalar};
    use crate::graph::NodeOp;
    use crate::shape::Shape;
    use crate::table::Op;
    use smallvec::smallvec;

    fn buffer() -> Buffer {
        Device::cpu().backend().allocate(8).expect("8 bytes are there")
    }

    fn source() -> Arc<Node> {
        Node::source(buffer(), Shape::from_slice(&[1]), DType::F64, Device::cpu())
    }

    fn add(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
        let args = smallvec![Arg::from(a), Arg::from(b)];
        Node::new(NodeOp::Map(Op::Add), args, a.shape.clone(), a.dtype, a.device)
    }

    fn depths(nodes: &[&Arc<Node>]) -> Vec<u32> {
        nodes.iter().map(|node| node.depth()).collect()
    }

    #[test]
    fn a_node_learns_that_others_were_evaluated() {
        let mut walks = Walks::default();
        let a = add(&source(), &source());
        let b = add(&a, &a);
        let c = add(&b, &a);
        let d = add(&c, &b);
        assert_eq!(depths(&[&a, &b, &c, &d]), [1, 2, 3, 4]);
        assert!(is_as_deep(&d, &mut walks));
        b.set_data(Arc::new(buffer()));
        assert!(!is_as_deep(&d, &mut walks) && !is_as_deep(&c, &mut walks));
        assert!(is_as_deep(&a, &mut walks));
        refresh_depth(&d, &mut walks);
        assert_eq!(depths(&[&a, &b, &c, &d]), [1, 0, 2, 3]);
        assert!(is_as_deep(&d, &mut walks));
        a.set_data(Arc::new(buffer()));
        refresh_depth(&d, &mut walks);
        assert_eq!(depths(&[&a, &b, &c, &d]), [0, 0, 1, 2]);
    }

    #[test]
    fn a_loop_is_cut_between_its_turns() {
        let mut walks = Walks::default();
        let mut z = source();
        let mut states = Vec::new();
        for _ in 0..20 {
            // A turn: what is made inside is held by nobody once it has ended.
            let inner = add(&add(&z, &z), &z);
            z = add(&inner, &z);
            states.push(z.clone());
        }
        let last = add(&add(&z, &z), &z);
        assert_eq!(last.depth(), 62);
        // Nobody holds anything: the node itself.
        let cut = cut_set(&last, &mut walks);
        assert!(cut.len() == 1 && Arc::ptr_eq(&cut[0], &last));
        // Of the states in the upper half the lowest, which is enough.
        states.iter().for_each(Node::add_handle);
        let cut = cut_set(&last, &mut walks);
        assert!(cut.len() == 1 && Arc::ptr_eq(&cut[0], &states[10]), "{cut:?}");
        // Two chains, of which no one node cuts both.
        let [mut p, mut q] = [source(), source()];
        for _ in 0..30 {
            (p, q) = (add(&p, &p), add(&q, &q));
        }
        [&p, &q].into_iter().for_each(Node::add_handle);
        let both = add(&p, &q);
        let cut = cut_set(&both, &mut walks);
        assert!(cut.len() == 2 && cut.iter().all(|n| Arc::ptr_eq(n, &p) || Arc::ptr_eq(n, &q)));
    }

    #[test]
    fn nodes_are_counted_once() {
        let mut walks = Walks::default();
        let a = add(&source(), &source());
        let b = add(&a, &a);
        let c = add(&b, &a);
        assert_eq!(size_below(&c, 10, &mut walks), 3);
        assert_eq!(size_below(&c, 2, &mut walks), 2);
        b.set_data(Arc::new(buffer()));
        assert_eq!(size_below(&c, 10, &mut walks), 2);
        assert_eq!(size_below(&b, 10, &mut walks), 0);
    }

    #[test]
    fn an_array_without_elements_is_no_place_to_cut() {
        let mut walks = Walks::default();
        let scalar = Arg::Scalar(Scalar::new(1.0f64));
        let empty = Shape::from_slice(&[0]);
        let args = smallvec![scalar];
        let mut node = Node::new(NodeOp::Full, args, empty, DType::F64, Device::cpu());
        for _ in 0..7 {
            node = add(&node, &node);
            Node::add_handle(&node);
        }
        let last = add(&node, &node);
        let cut = cut_set(&last, &mut walks);
        assert!(cut.len() == 1 && Arc::ptr_eq(&cut[0], &last));
    }
}
