//! Reads of a row at a distance from a position of a thread's strip.

use super::emit::Emitter;
use crate::kernel::{Atom, Index};
use std::fmt::Write;

/// A read of an element of a row, so far from a position.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    /// The distance: a constant, and positions on Serial axes.
    pub distance: Index,
    /// The thread's own elements.
    pub array: String,
    /// The positions of a strip.
    pub keep: usize,
    /// The row in shared memory.
    pub row: String,
    /// The name of the position, where all of the row is there.
    pub whole: Option<String>,
}

impl Emitter<'_> {
    /// The expression of a read, in the current turn of loops that are written out.
    pub(super) fn beside(&self, read: &Beside) -> String {
        let Beside { distance, array, keep, row, whole } = read;
        match (self.known(distance), whole) {
            (Some(0), _) => format!("{array}[k]"),
            (_, Some(at)) => format!("{row}[{at}{}]", self.written_out(distance)),
            // One of a register where it is of the thread's own strip.
            (by, None) => {
                let by = by.unwrap_or_default();
                format!("lz_near<{keep}>({array}, k + {by}, {row} + left, {row} + right)")
            }
        }
    }

    /// A distance as numbers, so that the compiler finds the same read in several turns.
    fn written_out(&self, distance: &Index) -> String {
        let (mut text, mut sum) = (String::new(), distance.offset);
        for &(atom, by) in &distance.terms {
            let turn = self.known(&Index { terms: [(atom, by)].into_iter().collect(), offset: 0 });
            let _ = match (atom, turn) {
                (_, Some(turn)) => {
                    sum += turn;
                    Ok(())
                }
                (Atom::Axis(k), None) if by == 1 => {
                    write!(text, " + {}", self.position(k as usize))
                }
                (Atom::Axis(k), None) => write!(text, " + {} * {by}", self.position(k as usize)),
                (Atom::Value(_), None) => Ok(()),
            };
        }
        if sum != 0 {
            let _ = write!(text, " + {sum}");
        }
        text
    }
}
