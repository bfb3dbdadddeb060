//! Indices within a tile: affine, a few affine pieces, or a number for each element.

use smallvec::SmallVec;

/// The most dimensions of a tile.
pub const DIMS: usize = 3;

/// More pieces than this in a tile, and each element gets its own number.
const PIECES: usize = 40;

/// The shape of a tile: the outermost dimension first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The number of dimensions.
    pub rank: usize,
    /// The extents; 1 beyond the rank.
    pub extent: [usize; DIMS],
    /// The number of elements.
    pub len: usize,
}

impl Shape {
    /// A single element.
    pub const ONE: Shape = Shape { rank: 0, extent: [1; DIMS], len: 1 };

    /// A shape of these extents.
    pub fn new(extents: &[usize]) -> Self {
        let mut extent = [1; DIMS];
        extent[..extents.len()].copy_from_slice(extents);
        Shape { rank: extents.len(), extent, len: extents.iter().product() }
    }
}

/// `base + Σ stride · coordinate` over the dimensions of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// The value at the first element.
    pub base: i64,
    /// The steps along the dimensions.
    pub strides: [i64; DIMS],
}

impl Affine {
    /// The smallest and the largest value.
    pub fn range(&self, shape: &Shape) -> (i64, i64) {
        let (mut low, mut high) = (self.base, self.base);
        for d in 0..shape.rank {
            let reach = self.strides[d] * (shape.extent[d] as i64 - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        (low, high)
    }

    /// The one stride from element to element in order, if there is one.
    pub fn flat(&self, shape: &Shape) -> Option<i64> {
        let (mut stride, mut inner) = (None, 1i64);
        for d in (0..shape.rank).rev() {
            if shape.extent[d] == 1 {
                continue;
            }
            match stride {
                None => stride = Some(self.strides[d]),
                Some(s) if self.strides[d] == s * inner => {}
                Some(_) => return None,
            }
            inner *= shape.extent[d] as i64;
        }
        Some(stride.unwrap_or(0))
    }

    /// The quotient by a positive number, if it is affine within the tile.
    fn div(&self, by: i64, shape: &Shape) -> Option<Affine> {
        let (low, high) = self.range(shape);
        let window = quotient(low, by);
        if high < (window + 1) * by {
            return Some(Affine { base: window, strides: [0; DIMS] });
        }
        let mut quotient = Affine { base: self.base.div_euclid(by), strides: [0; DIMS] };
        let mut rest = Affine { base: self.base.rem_euclid(by), strides: [0; DIMS] };
        for d in 0..shape.rank {
            if shape.extent[d] == 1 {
                continue;
            }
            match self.strides[d] % by {
                0 => quotient.strides[d] = self.strides[d] / by,
                _ => rest.strides[d] = self.strides[d],
            }
        }
        let (low, high) = rest.range(shape);
        let window = low.div_euclid(by);
        if window != high.div_euclid(by) {
            return None;
        }
        quotient.base += window;
        Some(quotient)
    }
}

/// The quotient, rounded down. Most places wrap once at most, and divisions are slow.
#[inline(always)]
fn quotient(v: i64, by: i64) -> i64 {
    match v {
        v if v >= 0 && v < by => 0,
        v if v >= by && v - by < by => 1,
        v => v.div_euclid(by),
    }
}

/// An affine stretch of a tile of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The element where it begins; it ends where the next begins.
    pub start: usize,
    /// The value there.
    pub base: i64,
    /// The step from element to element.
    pub stride: i64,
}

/// The values of an index within a tile.
#[derive(Clone, Debug)]
pub enum Desc {
    /// Affine in the whole tile.
    Affine(Affine),
    /// Affine in pieces; the tile has one dimension.
    Pieces(SmallVec<[Piece; 4]>),
    /// A number for each element.
    Tile(*const i64),
}

impl Default for Desc {
    fn default() -> Self {
        Desc::Affine(Affine::default())
    }
}

/// A function of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// The index itself.
    Same,
    /// The quotient.
    Div(i64),
    /// The remainder.
    Mod(i64),
    /// Held between two numbers.
    Clamp(i64, i64),
    /// The absolute value.
    Abs,
    /// Whether it is in a half-open range, as 0 or 1.
    InRange(i64, i64),
}

impl Map {
    /// The function of one number.
    #[inline(always)]
    pub fn of(self, v: i64) -> i64 {
        match self {
            Map::Same => v,
            Map::Div(by) => v.div_euclid(by),
            Map::Mod(by) => v.rem_euclid(by),
            Map::Clamp(low, high) => v.max(low).min(high),
            Map::Abs => v.abs(),
            Map::InRange(low, high) => i64::from(low <= v && v < high),
        }
    }

    /// The function of an affine index, if it is affine within the tile.
    pub fn affine(self, a: &Affine, shape: &Shape) -> Option<Affine> {
        let constant = |base: i64| Some(Affine { base, strides: [0; DIMS] });
        let range = || a.range(shape);
        match self {
            Map::Same => Some(*a),
            Map::Div(by) => a.div(by, shape),
            Map::Mod(by) => {
                let quotient = a.div(by, shape)?;
                let mut rest = *a;
                rest.base -= quotient.base * by;
                (0..DIMS).for_each(|d| rest.strides[d] -= quotient.strides[d] * by);
                Some(rest)
            }
            Map::Clamp(low, high) => match range() {
                (least, most) if least >= low && most <= high => Some(*a),
                (_, most) if most <= low => constant(low.min(high)),
                (least, _) if least >= high => constant(high),
                _ => None,
            },
            Map::Abs => match range() {
                (least, _) if least >= 0 => Some(*a),
                (_, most) if most <= 0 => {
                    Some(Affine { base: -a.base, strides: a.strides.map(|s| -s) })
                }
                _ => None,
            },
            Map::InRange(low, high) => match range() {
                (least, most) if least >= low && most < high => constant(1),
                (least, most) if most < low || least >= high => constant(0),
                _ => None,
            },
        }
    }

    /// Appends the function of a stretch of `len` elements; `false` where it has too many pieces.
    pub fn pieces(self, piece: Piece, len: usize, into: &mut SmallVec<[Piece; 4]>) -> bool {
        let (mut at, mut left) = (piece, len);
        while left > 0 {
            let here = left.min(self.steady(&at));
            let shape = Shape::new(&[here]);
            let affine = Affine { base: at.base, strides: [at.stride, 0, 0] };
            let value = match self.affine(&affine, &shape) {
                Some(value) => value,
                // A single element is always affine.
                None => Affine { base: self.of(at.base), strides: [0; DIMS] },
            };
            let new = Piece { start: at.start, base: value.base, stride: value.strides[0] };
            if into.len() == PIECES {
                return false;
            }
            into.push(new);
            at.start += here;
            at.base += at.stride * here as i64;
            left -= here;
        }
        true
    }

    /// The number of elements, at least one, for which the function of the stretch stays affine.
    fn steady(self, piece: &Piece) -> usize {
        let (base, stride) = (piece.base, piece.stride);
        // The elements until the value reaches `bound` from below, or passes under it.
        let until = |bound: i64| match stride {
            0 => usize::MAX,
            s if s > 0 && base < bound => ((bound - base) as u64).div_ceil(s as u64) as usize,
            s if s < 0 && base >= bound => ((base - bound) / -s + 1) as usize,
            _ => usize::MAX,
        };
        match self {
            Map::Same => usize::MAX,
            Map::Div(by) | Map::Mod(by)
                if stride == 0 || stride.abs() >= by && stride % by == 0 =>
            {
                usize::MAX
            }
            Map::Div(by) | Map::Mod(by) => {
                let window = quotient(base, by) * by;
                if stride > 0 { until(window + by) } else { until(window) }
            }
            // One beyond the bounds, so that the pieces on both sides are affine.
            Map::Clamp(low, high) => until(low).min(until(high.saturating_add(1))),
            Map::Abs => until(0),
            Map::InRange(low, high) => until(low).min(until(high)),
        }
        .max(1)
    }
}

/// Writes an index to memory, a number for each element.
///
/// # Safety
/// `to` has room for the elements of the shape, and a tile has as many.
pub unsafe fn write(desc: &Desc, shape: &Shape, to: *mut i64) {
    // SAFETY: the caller says so; pieces lie within the tile.
    unsafe {
        match desc {
            Desc::Affine(a) => {
                let inner = if shape.rank == 0 { 1 } else { shape.extent[shape.rank - 1] };
                let step = if shape.rank == 0 { 0 } else { a.strides[shape.rank - 1] };
                for_runs(shape, |at, coordinates| {
                    let base = run_base(a, coordinates);
                    ramp(to.add(at), base, step, inner);
                });
            }
            Desc::Pieces(pieces) => {
                for (k, piece) in pieces.iter().enumerate() {
                    let end = pieces.get(k + 1).map_or(shape.len, |next| next.start);
                    ramp(to.add(piece.start), piece.base, piece.stride, end - piece.start);
                }
            }
            Desc::Tile(from) => {
                if !std::ptr::eq(*from, to) {
                    std::ptr::copy_nonoverlapping(*from, to, shape.len);
                }
            }
        }
    }
}

/// Writes `base`, `base + step`, and so on.
unsafe fn ramp(to: *mut i64, base: i64, step: i64, n: usize) {
    for k in 0..n {
        // SAFETY: the caller gives room for `n` numbers.
        unsafe { to.add(k).write(base + step * k as i64) };
    }
}

/// Calls `f` with the first element and the outer coordinates of each run of the innermost
/// dimension.
pub fn for_runs(shape: &Shape, mut f: impl FnMut(usize, [usize; DIMS])) {
    if shape.rank < 2 {
        return f(0, [0; DIMS]);
    }
    let inner = shape.extent[shape.rank - 1];
    let (rows, columns) = match shape.rank {
        2 => (1, shape.extent[0]),
        _ => (shape.extent[0], shape.extent[1]),
    };
    let mut at = 0;
    for i in 0..rows {
        for j in 0..columns {
            f(at, if shape.rank == 2 { [j, 0, 0] } else { [i, j, 0] });
            at += inner;
        }
    }
}

/// The value of an affine index at the beginning of a run.
pub fn run_base(a: &Affine, coordinates: [usize; DIMS]) -> i64 {
    a.base + (0..DIMS).map(|d| a.strides[d] * coordinates[d] as i64).sum::<i64>()
}

/// Adds `factor` times an index to another; tiles are added by the caller.
pub fn add(to: &mut Desc, other: &Desc, factor: i64, len: usize) {
    match (&mut *to, other) {
        (Desc::Affine(a), Desc::Affine(b)) => {
            a.base += factor * b.base;
            (0..DIMS).for_each(|d| a.strides[d] += factor * b.strides[d]);
        }
        (Desc::Affine(a), Desc::Pieces(pieces)) => {
            let a = *a;
            let shifted = pieces.iter().map(|p| Piece {
                start: p.start,
                base: a.base + a.strides[0] * p.start as i64 + factor * p.base,
                stride: a.strides[0] + factor * p.stride,
            });
            *to = Desc::Pieces(shifted.collect());
        }
        (Desc::Pieces(pieces), Desc::Affine(b)) => {
            for p in pieces.iter_mut() {
                p.base += factor * (b.base + b.strides[0] * p.start as i64);
                p.stride += factor * b.strides[0];
            }
        }
        (Desc::Pieces(a), Desc::Pieces(b)) => {
            let merged = merge(a, b, factor, len);
            *to = Desc::Pieces(merged);
        }
        (Desc::Tile(_), _) | (_, Desc::Tile(_)) => unreachable!("the caller adds tiles"),
    }
}

/// The sum of one list of pieces and `factor` times another.
fn merge(a: &[Piece], b: &[Piece], factor: i64, len: usize) -> SmallVec<[Piece; 4]> {
    let (mut i, mut j, mut at) = (0, 0, 0);
    let mut sum = SmallVec::new();
    let end = |list: &[Piece], k: usize| list.get(k + 1).map_or(len, |next| next.start);
    while at < len {
        let value = |p: &Piece| p.base + p.stride * (at - p.start) as i64;
        sum.push(Piece {
            start: at,
            base: value(&a[i]) + factor * value(&b[j]),
            stride: a[i].stride + factor * b[j].stride,
        });
        at = end(a, i).min(end(b, j));
        i += usize::from(at == end(a, i) && at < len);
        j += usize::from(at == end(b, j) && at < len);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of every stretch is the function of each of its elements.
    #[test]
    fn pieces_agree_with_elements() {
        let maps = [
            Map::Same,
            Map::Div(7),
            Map::Mod(7),
            Map::Mod(4),
            Map::Clamp(3, 20),
            Map::Abs,
            Map::InRange(2, 9),
        ];
        for map in maps {
            for base in -12..30 {
                for stride in [-9, -3, -1, 0, 1, 2, 4, 7, 14] {
                    if base < 0 && matches!(map, Map::Div(_) | Map::Mod(_)) {
                        continue;
                    }
                    let mut pieces = SmallVec::new();
                    if !map.pieces(Piece { start: 0, base, stride }, 23, &mut pieces) {
                        continue;
                    }
                    let mut found = [0; 23];
                    // SAFETY: the buffer has as many elements as the shape.
                    unsafe {
                        write(&Desc::Pieces(pieces), &Shape::new(&[23]), found.as_mut_ptr());
                    }
                    for (k, &v) in found.iter().enumerate() {
                        assert_eq!(
                            v,
                            map.of(base + stride * k as i64),
                            "{map:?} {base} {stride} {k}"
                        );
                    }
                }
            }
        }
    }

    /// The affine forms over several dimensions agree with the elements too.
    #[test]
    fn affine_agrees_with_elements() {
        let shape = Shape::new(&[3, 4, 5]);
        for map in [Map::Div(5), Map::Mod(5), Map::Mod(20), Map::Clamp(0, 59), Map::InRange(0, 60)]
        {
            for strides in [[20, 5, 1], [1, 5, 10], [0, 1, 0], [20, 1, 5], [5, 5, 1]] {
                for base in [0, 1, 5] {
                    let a = Affine { base, strides };
                    let Some(value) = map.affine(&a, &shape) else { continue };
                    let (mut all, mut mapped) = ([0; 60], [0; 60]);
                    // SAFETY: the buffers have as many elements as the shape.
                    unsafe {
                        write(&Desc::Affine(a), &shape, all.as_mut_ptr());
                        write(&Desc::Affine(value), &shape, mapped.as_mut_ptr());
                    }
                    assert_eq!(all.map(|v| map.of(v)), mapped, "{map:?} {a:?}");
                }
            }
        }
    }
}
