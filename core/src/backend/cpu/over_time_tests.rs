//! Turns by rows against turns one after the other, and the geometry of both rounds.

use super::*;
use crate::backend::Device;
use crate::backend::cpu::prepare::prepare_for_turns;
use crate::backend::turns;
use crate::backend::{Arguments, Buffer};
use crate::dtype::DType;
use crate::kernel::builder::{Builder, affine, by_value};
use crate::kernel::{AxisKind, Inst, Val};
use crate::table::Op;
use lazuli_inner_loops::level::Level;

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % end
    }

    /// A number of at most so many places to both sides.
    fn away(&mut self, most: usize) -> i64 {
        self.below(2 * most + 1) as i64 - most as i64
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Edge {
    Held,
    Wraps,
    Clamped,
}

/// The mean of some elements around each one.
fn stencil(numbers: &mut Numbers, edge: Edge, (rows, columns): (usize, usize)) -> Kernel {
    let extents = [rows as i64, columns as i64];
    let mut b = Builder::new(&[(AxisKind::Parallel, rows), (AxisKind::Parallel, columns)]);
    let len = rows * columns;
    let input = b.input(DType::F64, len);
    let at = |row: i64, column: i64| affine(&[(0, extents[1]), (1, 1)], extents[1] * row + column);
    let (reach, across) = (1 + numbers.below(3), 3.min(columns - 1));
    let inside: Vec<Val> = [reach, across]
        .into_iter()
        .enumerate()
        .map(|(axis, away)| {
            let (low, high) = (away as i64, extents[axis] - away as i64);
            b.index(Inst::InRange { index: affine(&[(axis, 1)], 0), low, high })
        })
        .collect();
    let inside = b.op(Op::LogicalAnd, &inside);
    let old = b.load(input, at(0, 0));
    let mut sum = old;
    for _ in 0..1 + numbers.below(5) {
        let away = [numbers.away(reach), numbers.away(across)];
        let next = match edge {
            Edge::Held => b.masked(input, at(away[0], away[1]), Some(inside)),
            Edge::Wraps | Edge::Clamped => {
                let mut place = affine(&[], 0);
                for axis in 0..2 {
                    let (index, by) = (affine(&[(axis, 1)], away[axis]), extents[axis]);
                    let inst = match edge {
                        Edge::Wraps => Inst::IndexMod { index, by },
                        _ => Inst::IndexClamp { index, low: 0, high: by - 1 },
                    };
                    let moved = b.index(inst);
                    place.add_scaled(&by_value(moved), [extents[1], 1][axis]);
                }
                b.load(input, place)
            }
        };
        let both = b.op(Op::Add, &[sum, next]);
        let half = b.scalar(DType::F64);
        sum = b.op(Op::Multiply, &[both, half]);
    }
    let new = match edge {
        Edge::Held => b.op(Op::Select, &[inside, sum, old]),
        _ => sum,
    };
    b.store(new, at(0, 0), len);
    b.kernel
}

/// The state after some turns, in such chunks.
fn after(
    (over_time, pieces): (&OverTime, &Pieces),
    kernel: &Kernel,
    chunks: Option<Chunks>,
    turns: u64,
) -> Vec<u64> {
    let backend = Device::cpu().backend();
    let len = kernel.outputs[0].len;
    let state: Vec<u8> = (0..len).flat_map(|k| ((k * k % 997) as f64).to_ne_bytes()).collect();
    let state = backend.upload(&state).expect("there is memory");
    let buffer = || backend.allocate(8 * len).expect("there is memory");
    let (out, spare): (Buffer, Buffer) = (buffer(), buffer());
    let scalars = vec![Scalar::new(0.5); kernel.scalars.len()];
    let arguments =
        Arguments { inputs: &[&state], outputs: &[&out], starts: &[], scalars: &scalars };
    let spares = if turns == 1 { &[][..] } else { &[&spare][..] };
    let places = turns::kinds(&arguments, spares, &[(0, 0)], turns).map(Places::of);
    over_time.run_in(chunks, (pieces, &places, &scalars), turns).expect("there is memory");
    let mut bytes = vec![0; 8 * len];
    backend.download(&out, &mut bytes).expect("the state is there");
    let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
    bytes.chunks_exact(8).map(number).collect()
}

#[test]
fn turns_by_rows_are_turns_one_after_the_other() {
    let mut numbers = Numbers(5);
    let mut tried = 0;
    for round in 0..60 {
        let edge = [Edge::Held, Edge::Wraps, Edge::Clamped][round % 3];
        let shape = match round % 4 {
            0 => (300 + numbers.below(5000), 1 + numbers.below(2)),
            _ => (60 + numbers.below(100), 18 + numbers.below(60)),
        };
        let kernel = stencil(&mut numbers, edge, shape);
        let least = [1, usize::MAX][usize::from(round % 5 == 4)];
        let pieces = prepare_for_turns(&kernel, Level::best(), least);
        // A kernel that is not cut into pieces finds its neighbours around the edge by questions.
        let Some(over_time) = OverTime::new(&kernel, &pieces, &[(0, 0)]) else { continue };
        tried += 1;
        for count in [2, 3, 1 + numbers.below(shape.0 / (7 * over_time.reach)).max(1)] {
            let longest = (shape.0 / count + over_time.reach) / (2 * over_time.reach);
            let chunks = Chunks { count, turns: longest.min(FEWEST + numbers.below(30)) };
            for turns in [1, 7, 40] {
                let expected = after((&over_time, &pieces), &kernel, None, turns);
                let found = after((&over_time, &pieces), &kernel, Some(chunks), turns);
                assert!(expected == found, "{edge:?}, {shape:?}, {chunks:?}, {turns} turns");
            }
        }
    }
    assert!(tried >= 40, "{tried} kernels had rows");
}

#[test]
fn each_row_takes_each_turn_once_and_after_what_it_needs() {
    let mut numbers = Numbers(7);
    for round in 0..300 {
        let (reach, wraps) = (1 + numbers.below(4), round % 2 == 0);
        let count = 40 * reach + numbers.below(400);
        let (bytes, work) = ((1 + numbers.below(3000)) * count, numbers.below(1 << 20));
        let over_time = OverTime { rows: Vec::new(), count, reach, wraps, bytes, work };
        let Some(chunks) = over_time.chunks(1 + numbers.below(100) as u64, 1 + round % 9) else {
            continue;
        };
        // The turn up to which each row is.
        let mut done = vec![0; count];
        let around = |row: i64| row.rem_euclid(count as i64) as usize;
        let mut take = |rows: Range<i64>, turn: usize| {
            for row in rows.clone() {
                assert_eq!(done[around(row)], turn, "each turn is taken once, in order");
                for away in -(reach as i64)..=reach as i64 {
                    let inside = wraps || (0..count as i64).contains(&(row + away));
                    let other = around(row + away);
                    // A row that is a turn further has what is read in its other memory.
                    let ready = !inside || [turn, turn + 1].contains(&done[other]);
                    assert!(ready, "{row} needs {other} in turn {turn}: {:?}", done[other]);
                }
            }
            rows.for_each(|row| done[around(row)] += 1);
        };
        for (parts, first) in [(chunks.count, true), (over_time.gaps(chunks.count), false)] {
            let mut next = vec![0; parts];
            // Threads are wherever they are: any part may take its next turn.
            while next.iter().any(|&turn| turn < chunks.turns) {
                let part = numbers.below(parts);
                let turn = next[part];
                if turn < chunks.turns {
                    match first {
                        true => take(over_time.chunk((part, chunks.count), turn), turn),
                        false => take(over_time.gap((part, chunks.count), turn), turn),
                    }
                    next[part] += 1;
                }
            }
        }
        assert!(done.iter().all(|&turns| turns == chunks.turns), "{chunks:?} leave rows out");
    }
}
