//! Runs Serial loops: what is computed before their turns, and the turns.

use super::affine::Shape;
use super::copy::fill;
use super::program::{Ahead, Kept, Pair, Serial, TURNS};
use super::worker::{Bases, KeptBases, Space, Worker};
use lazuli_inner_loops::operations::Arg;

impl Worker<'_> {
    /// Computes what loops keep, and where it lies from now on.
    pub(super) fn compute_kept(&mut self, list: &[Kept]) -> KeptBases {
        let mut all = KeptBases::default();
        for Kept { axis, turns, ahead } in list {
            let mut bases = Bases::new();
            self.ahead(ahead, *axis, 0, *turns, &Space::ONE, &mut bases);
            self.pos[*axis as usize] = 0;
            all.0.push((ahead.values[0].0, bases));
        }
        all
    }

    /// Runs a Serial loop.
    pub(super) fn serial(&mut self, serial: &Serial, space: &Space) {
        let Serial { axes, fold, .. } = serial;
        let n = if fold.vector { space.shape.len } else { 1 };
        let acc = self.mem(fold.mem);
        let places: *mut i64 = self.mem(fold.places).cast();
        fill(acc, fold.identity.bytes(), n);
        if fold.search.is_some() {
            fill(places.cast(), &i64::MAX.to_ne_bytes(), n);
        }
        let (&(last, extent), outer) = axes.split_last().expect("a loop has an axis");
        let outer_turns: usize = outer.iter().map(|a| a.1).product();
        for turn in 0..outer_turns {
            let mut linear = turn;
            for &(k, extent) in outer.iter().rev() {
                self.pos[k as usize] = linear % extent;
                linear /= extent;
            }
            for first in (0..extent).step_by(TURNS) {
                self.turns(serial, last, first, TURNS.min(extent - first), space);
            }
        }
        axes.iter().for_each(|a| self.pos[a.0 as usize] = 0);
        let ptr: *const u8 = if fold.search.is_some() { places.cast() } else { acc };
        self.slots[fold.v as usize] = Arg::near(ptr, fold.vector);
    }

    /// Runs some turns along the last axis.
    fn turns(&mut self, serial: &Serial, axis: u32, first: usize, count: usize, space: &Space) {
        let mut bases = Bases::new();
        for ahead in &serial.ahead {
            self.ahead(ahead, axis, first, count, space, &mut bases);
        }
        if self.slide(serial, &bases, count, space) {
            return;
        }
        for turn in 0..count {
            self.pos[axis as usize] = first + turn;
            let mut base = bases.iter();
            for ahead in &serial.ahead {
                for &(v, size) in &ahead.values {
                    let base = base.next().expect("each value has its base");
                    self.slots[v as usize] = of_turn(*base, ahead.slide, size, turn, count);
                }
            }
            self.run(&serial.steps, space);
            self.fold_turn(serial, space);
        }
    }

    /// Computes what some turns need.
    fn ahead(
        &mut self,
        ahead: &Ahead,
        axis: u32,
        first: usize,
        count: usize,
        space: &Space,
        bases: &mut Bases,
    ) {
        let kept = self
            .kept
            .as_deref()
            .filter(|_| ahead.kept)
            .and_then(|all| all.0.iter().find(|(first, _)| *first == ahead.values[0].0));
        if let Some((_, kept)) = kept {
            return bases.extend_from_slice(kept);
        }
        // The turn whose tile lies first.
        let begin = if ahead.slide == Some(-1) { first + count - 1 } else { first };
        self.pos[axis as usize] = begin;
        let longer = match ahead.slide {
            Some(_) => Space { shape: Shape::new(&[space.shape.len + count - 1]), ..*space },
            None => Space { shape: Shape::new(&[count]), axes: [axis as u8, u8::MAX, u8::MAX] },
        };
        self.run(&ahead.steps, &longer);
        bases.extend(ahead.values.iter().map(|&(v, _)| self.slots[v as usize]));
    }

    /// Folds all turns in one go, where they are no more than operations on what slides and numbers.
    fn slide(&mut self, serial: &Serial, bases: &Bases, count: usize, space: &Space) -> bool {
        let Some(Pair { loops, whole: Some(whole), .. }) = &serial.pair else { return false };
        let (numbers, acc) = (bases[whole.numbers], self.mem(serial.fold.mem));
        let (size, len) = (serial.fold.identity.dtype().size(), space.shape.len);
        let sliding = |(k, slide): (usize, i64)| {
            let base = bases[k];
            let first = of_turn(base, Some(slide), size, 0, count).ptr;
            base.vector.then_some((first, slide as isize))
        };
        let Some((first, step)) = sliding(whole.slides).filter(|_| numbers.vector) else {
            return false;
        };
        // SAFETY: the longer tiles hold the tiles of all turns, and there is a number for each.
        unsafe {
            let Some(second) = whole.second else {
                (loops.slide)(acc, first, numbers.ptr, step, count, len);
                return true;
            };
            let Some((second, by)) = sliding(second) else { return false };
            (loops.slide_two)(acc, [first, second], numbers.ptr, [step, by], count, len);
        }
        true
    }

    /// Folds the element of a turn.
    fn fold_turn(&self, serial: &Serial, space: &Space) {
        let fold = &serial.fold;
        let n = if fold.vector { space.shape.len } else { 1 };
        let acc = self.mem(fold.mem);
        let into = Arg::near(acc, fold.vector);
        if let Some(pair) = &serial.pair {
            let [a, b] = pair.args.map(|v| self.slots[v as usize]);
            return self.call(pair.loops.each, None, acc, &[into, a, b], n);
        }
        let element = self.slots[fold.args[0] as usize];
        match fold.search {
            // SAFETY: the accumulators have `n` elements, the arguments as many or one.
            Some(search) => unsafe {
                let place = self.slots[fold.args[1] as usize];
                (search.lanes)(acc, self.mem(fold.places).cast(), element, place, n);
            },
            None => self.call(fold.combine, None, acc, &[into, element, element], n),
        }
    }
}

/// A turn's part of what was computed ahead.
fn of_turn(base: Arg, slide: Option<i64>, size: usize, turn: usize, count: usize) -> Arg {
    if !base.vector {
        return base;
    }
    let at = if slide == Some(-1) { count - 1 - turn } else { turn };
    Arg::near(base.ptr.wrapping_add(at * size), slide.is_some())
}
