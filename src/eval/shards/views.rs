//! Views and reshapes of arrays over several devices: which rows a share's block is read from.

use super::forms::Shards;
use super::local::{Input, Local};
use crate::graph::sharding::{axis_cut, axis_of};
use crate::graph::{AxisMap, Node, NodeOp, View, Wrap};
use crate::shape::{Shape, len};
use smallvec::smallvec;
use std::sync::Arc;

impl Shards {
    /// A share's block of a view: the rows it reads, whoever has them, and a view of those.
    pub(super) fn view(&mut self, node: &Arc<Node>, a: &Arc<Node>, share: usize) -> Local {
        let NodeOp::View(view) = &node.op else { unreachable!("the node is a view") };
        let cut = axis_cut(node);
        let shape = self.own_shape(node, share);
        let start = self.own_rows(node, share).map_or(0, |own| own.1[0]);
        let mut view = cut.map_or_else(|| View::clone(view), |axis| from_row(view, axis, start));
        if len(&shape) == 0 {
            return self.local(NodeOp::Full, &[], shape, node.dtype, share);
        }
        let (input, op) = match axis_cut(a) {
            None => (self.whole(a, share), view),
            Some(axis) => {
                debug_assert!(cut.is_none() || axis_of(&view.0[axis], &node.shape) == cut);
                let read = rows_read(&view.0[axis], &shape, a.shape[axis]);
                view.0[axis] = read.map;
                (self.rows(a, axis, read.rows, share), view)
            }
        };
        if shape == input.node.shape && op.is_identity() {
            return input;
        }
        let op = NodeOp::View(Arc::new(op));
        self.local(op, &[Input::Local(&input)], shape, node.dtype, share)
    }

    /// A share's block of a reshape that keeps what stands before the axis: rows of the old shape
    /// that hold the block, as far as they are whole rows, and the part of them that it is.
    pub(super) fn reshape(&mut self, node: &Arc<Node>, a: &Arc<Node>, share: usize) -> Local {
        let shape = self.own_shape(node, share);
        let Some(from) = axis_cut(a) else {
            let whole = self.whole(a, share);
            return self.reshaped(&whole, shape, share);
        };
        let Some(to) = axis_cut(node) else {
            let whole = self.whole(a, share);
            return self.reshaped(&whole, shape, share);
        };
        if len(&shape) == 0 {
            return self.local(NodeOp::Full, &[], shape, node.dtype, share);
        }
        let before = len(&a.shape[..from]);
        let (old, new) = (len(&a.shape[from + 1..]), len(&node.shape[to + 1..]));
        let own = self.own_rows(node, share).expect("the reshape is cut").1;
        let block = own.map(|row| row * new);
        let rows = [block[0] / old, block[1].div_ceil(old)];
        let held = self.rows(a, from, rows, share);
        let flat: Shape = smallvec![before, (rows[1] - rows[0]) * old];
        let flat = self.reshaped(&held, flat, share);
        let part = block.map(|at| at - rows[0] * old);
        let part = self.slice(&flat, 1, part, share);
        self.reshaped(&part, shape, share)
    }

    /// A share's block of an array that is cut in another way.
    pub(super) fn placed(&mut self, node: &Arc<Node>, a: &Arc<Node>, share: usize) -> Local {
        match axis_cut(node) {
            None => self.whole(a, share),
            Some(axis) => {
                let rows = self.block(node.shape[axis], share);
                match axis_cut(a) {
                    Some(from) if from != axis => self.turned(a, from, axis, share),
                    _ => self.rows(a, axis, rows, share),
                }
            }
        }
    }

    /// The block along one axis of an array that is cut along another: of each share's block the
    /// part that is in it.
    fn turned(&mut self, a: &Arc<Node>, from: usize, to: usize, share: usize) -> Local {
        let rows = self.block(a.shape[to], share);
        let mut pieces = Vec::new();
        for owner in 0..self.count() {
            let block = self.form(a).shares[owner].clone();
            if owner == share {
                pieces.push(self.slice(&block, to, rows, share));
                continue;
            }
            let bytes =
                block.node.len() * a.dtype.size() / a.shape[to].max(1) * (rows[1] - rows[0]);
            if bytes == 0 {
                continue;
            }
            // One kernel reads all pieces, each element once, if it can: no piece is cut out and copied.
            pieces.push(match self.lent(&block, bytes, [owner, share]) {
                Some(block) => self.slice(&block, to, rows, share),
                None => self.moved(&block, to, rows, owner, share),
            });
        }
        self.joined(pieces, from, share)
    }
}

/// A view whose positions along an axis count from a row of it.
pub(super) fn from_row(view: &View, axis: usize, row: usize) -> View {
    let mut view = View::clone(view);
    for map in &mut view.0 {
        let steps = map.terms.iter().filter(|term| term.0 as usize == axis);
        map.offset += steps.map(|term| term.1 * row as i64).sum::<i64>();
    }
    view
}

/// Rows of an axis, and where a view reads in them. The rows behind the last one are the first ones
/// again.
#[derive(Debug)]
pub(super) struct Read {
    pub rows: [usize; 2],
    map: AxisMap,
}

/// Which rows of an axis of length `n` a view of some shape reads. The view is not empty.
pub(super) fn rows_read(map: &AxisMap, shape: &[usize], n: usize) -> Read {
    let (mut low, mut high) = (map.offset, map.offset);
    for &(axis, step) in &map.terms {
        let far = step * (shape[axis as usize] as i64 - 1);
        (low, high) = (low + far.min(0), high + far.max(0));
    }
    let all = |map: &AxisMap| Read { rows: [0, n], map: map.clone() };
    let n = n as i64;
    let shifted = |by: i64, wrap: Wrap| AxisMap { offset: map.offset - by, wrap, ..map.clone() };
    let one =
        |low: i64, high: i64, map: AxisMap| Read { rows: [low as usize, high as usize + 1], map };
    match map.wrap {
        Wrap::None => one(low, high, shifted(low, Wrap::None)),
        Wrap::Div(d) => one(low / d, high / d, shifted(low / d * d, Wrap::Div(d))),
        Wrap::Mod(m) => {
            if m != n || high - low + 1 >= n {
                return all(map);
            }
            let start = low.rem_euclid(n);
            one(start, start + high - low, shifted(low, Wrap::None))
        }
        Wrap::Clamp(m) if m == n => {
            let (first, last) = (low.clamp(0, n - 1), high.clamp(0, n - 1));
            one(first, last, shifted(first, Wrap::Clamp(last - first + 1)))
        }
        Wrap::Reflect(m) if m == n && low > -n && high < 2 * n - 1 => {
            let last = high.max(-low).min(n - 1);
            match low < 0 {
                true => one(0, last, map.clone()),
                false => {
                    let first = low.min(2 * (n - 1) - high);
                    let last = if high > n - 1 { n - 1 } else { high };
                    one(first, last, shifted(first, Wrap::Reflect(n - first)))
                }
            }
        }
        Wrap::Symmetric(m) if m == n && low >= -n && high < 2 * n => {
            let last = high.max(-low - 1).min(n - 1);
            match low < 0 {
                true => one(0, last, map.clone()),
                false => {
                    let first = low.min(2 * n - 1 - high);
                    let last = if high > n - 1 { n - 1 } else { high };
                    one(first, last, shifted(first, Wrap::Symmetric(n - first)))
                }
            }
        }
        Wrap::Clamp(_) | Wrap::Reflect(_) | Wrap::Symmetric(_) => all(map),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a map reads, by the definition of each wrap.
    fn place(map: &AxisMap, position: i64) -> i64 {
        let x = map.offset + map.terms.iter().map(|term| term.1 * position).sum::<i64>();
        let reflected = |x: i64, period: i64, end: i64| {
            let x = x.rem_euclid(period);
            if x > end { period - x } else { x }
        };
        match map.wrap {
            Wrap::None => x,
            Wrap::Div(d) => x / d,
            Wrap::Mod(m) => x.rem_euclid(m),
            Wrap::Clamp(m) => x.clamp(0, m - 1),
            Wrap::Reflect(1) => 0,
            Wrap::Reflect(m) => reflected(x, 2 * (m - 1), m - 1),
            Wrap::Symmetric(m) => {
                let x = x.rem_euclid(2 * m);
                if x >= m { 2 * m - 1 - x } else { x }
            }
        }
    }

    #[test]
    fn the_rows_hold_what_is_read() {
        let mut few = 0;
        for n in [1i64, 2, 3, 7, 20] {
            let wraps = [
                Wrap::None,
                Wrap::Div(1),
                Wrap::Div(3),
                Wrap::Mod(n),
                Wrap::Clamp(n),
                Wrap::Reflect(n),
                Wrap::Symmetric(n),
            ];
            for wrap in wraps {
                for (offset, step, count) in
                    (-25..25).flat_map(|o| (-2..3).flat_map(move |s| [1, 2, 5].map(|c| (o, s, c))))
                {
                    let map = AxisMap::affine(0, offset, step).wrapped(wrap);
                    let ends = [0, count - 1].map(|k| offset + step * k);
                    let is_valid = match wrap {
                        Wrap::None => ends.iter().all(|&x| (0..n).contains(&x)),
                        Wrap::Div(d) => ends.iter().all(|&x| (0..n * d).contains(&x)),
                        Wrap::Mod(_) => ends.iter().all(|&x| x >= 0),
                        _ => true,
                    };
                    if !is_valid {
                        continue;
                    }
                    let read = rows_read(&map, &[count as usize], n as usize);
                    let [first, end] = read.rows.map(|row| row as i64);
                    assert!(first < n && end <= 2 * n && (end <= n || wrap == Wrap::Mod(n)));
                    let rows: Vec<i64> = (first..end).map(|row| row % n).collect();
                    few += usize::from(rows.len() < n as usize);
                    for k in 0..count {
                        let at = place(&read.map, k);
                        assert_eq!(rows[at as usize], place(&map, k), "{map:?} {n} {k}: {read:?}");
                    }
                }
            }
        }
        assert!(few > 1000, "{few}");
    }
}
