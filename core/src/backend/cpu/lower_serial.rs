//! Lowering of Serial loops: what need not be computed in each turn.
//!
//! A window that slides along the lanes meets each element of its input in many turns. Whatever
//! depends on the sum of the lane and the turn alone is therefore computed once for each sum, in a
//! tile that is longer by the number of turns; and what is the same in all lanes, once for all
//! turns, in a tile along the loop's axis. What is left for a turn is often one operation, or none.
//!
//! So a window that slides around a ring is copied once and then read in place. Where nothing but
//! the turn changes a value, it is computed once for the launch.

use super::layout::Mode;
use super::lower::{Lowering, combine_fn};
use super::places::Place;
use super::program::{Ahead, Mem, Pair, Serial, SerialFold, Step, TURNS, Target, Whole};
use super::registers::{defines, for_each_use};
use crate::kernel::{AxisSet, Index, Inst, Val};
use crate::table::{Op, Reduction};
use lazuli_inner_loops::fold::searches;
use lazuli_inner_loops::slide::pair_loops;

/// What a value in a loop depends on, of the lane and the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// On neither.
    Neither,
    /// On the turn.
    Turn,
    /// On the lane plus the turn times 1 or -1.
    Sum(i64),
    /// On both, or on the lane alone.
    Both,
}

impl Class {
    fn join(self, other: Class) -> Class {
        match (self, other) {
            (Class::Neither, class) | (class, Class::Neither) => class,
            (a, b) if a == b => a,
            _ => Class::Both,
        }
    }
}

/// The body of a loop along one axis.
struct Body<'a, 'k> {
    lowering: &'a Lowering<'k>,
    place: Place,
    /// The axis that turns fastest.
    axis: usize,
    /// The class of each value that the body computes.
    classes: Vec<Option<Class>>,
}

impl Body<'_, '_> {
    /// The axis that tiles lie along, if it is one.
    fn lane(&self) -> Option<usize> {
        let along = self.lowering.along(self.place);
        (along.len() == 1).then(|| along.iter().next()).flatten()
    }

    fn class(&self, v: u32) -> Class {
        self.classes[v as usize].unwrap_or_else(|| {
            // The body does not compute it: it is the same in all turns.
            let axes = self.lowering.kernel.value(Val(v)).axes;
            match axes.intersection(self.lowering.along(self.place)).is_empty() {
                true => Class::Neither,
                false => Class::Both,
            }
        })
    }

    fn of_index(&self, index: &Index) -> Class {
        let along = self.lowering.along(self.place);
        let turn = index.stride(self.axis);
        let lane: Vec<i64> =
            along.iter().map(|k| index.stride(k)).filter(|&stride| stride != 0).collect();
        let own = match (&lane[..], turn) {
            ([], 0) => Class::Neither,
            ([], _) => Class::Turn,
            (&[lane], turn) if self.lane().is_some() && turn.abs() == lane.abs() => {
                Class::Sum(turn / lane)
            }
            _ => Class::Both,
        };
        index.values().fold(own, |class, v| class.join(self.class(v.0)))
    }

    fn of_load(&self, index: &Index, mask: Option<u32>) -> Class {
        let class = self.of_index(index);
        mask.map_or(class, |m| class.join(self.class(m)))
    }

    fn of_step(&self, step: &Step) -> Class {
        match step {
            Step::Index { index, .. } => self.of_index(index),
            Step::Numbers { v, .. } | Step::Truth { v, .. } => self.class(*v),
            Step::Op { args, arity, .. } => args[..*arity as usize]
                .iter()
                .fold(Class::Neither, |class, &v| class.join(self.class(v))),
            Step::Call(call) => {
                call.args.iter().fold(Class::Neither, |class, a| class.join(self.class(a.v)))
            }
            Step::Load { index, mask, .. } => self.of_load(index, *mask),
            // Where lanes lie along X, each has a row of its own.
            Step::RowLoad { index, mask, .. }
                if self.lowering.layout.mode == Mode::AlongReduce
                    && matches!(self.place, Place::Body(_)) =>
            {
                match self.of_load(index, *mask) {
                    class @ Class::Sum(_) => class,
                    _ => Class::Both,
                }
            }
            _ => Class::Both,
        }
    }

    fn classify(&mut self, steps: &[Step]) {
        for step in steps {
            let class = self.of_step(step);
            defines(step).iter().for_each(|&v| self.classes[v as usize] = Some(class));
        }
    }

    /// Divides the steps into those of the turns and those before them.
    fn divide(&self, steps: Vec<Step>, folded: &[u32]) -> (Vec<Step>, Vec<Ahead>) {
        let mut uses = Uses::new(self.lowering);
        folded.iter().for_each(|&v| uses.as_tile[v as usize] = true);
        let stays = |step: &Step, uses: &Uses| match defines(step)[..] {
            [v, ..] => match self.class(v) {
                Class::Both | Class::Neither => defines(step).iter().any(|&v| uses.any(v)),
                // As an index it is described in each turn; as a tile it was computed before.
                Class::Turn | Class::Sum(_) => {
                    matches!(step, Step::Index { .. }) && uses.as_index[v as usize]
                }
            },
            [] => true,
        };
        let left = pick(&steps, &mut uses, stays);
        let ahead = [Class::Turn, Class::Sum(1), Class::Sum(-1)]
            .into_iter()
            .filter_map(|class| self.ahead(class, &steps, &uses))
            .collect();
        (left, ahead)
    }

    /// Whether steps need nothing but the turn and what the launch begins with: of that what stays,
    /// which indices do not that every program makes for itself.
    fn is_of_launch(&self, steps: &[Step]) -> bool {
        let (kernel, axis) = (self.lowering.kernel, AxisSet::one(self.axis));
        let stays = self.lowering.places.exported(Place::Launch);
        let mut defined: Vec<u32> = Vec::new();
        let mut holds =
            !matches!(self.place, Place::Launch) && kernel.axes[self.axis].extent <= TURNS;
        for step in steps {
            for_each_use(step, &mut |v| holds &= defined.contains(&v) || stays[v as usize]);
            let own = defines(step);
            holds &= own.iter().all(|&v| kernel.value(Val(v)).axes.is_subset(axis));
            holds &= !matches!(step, Step::RowLoad { .. } | Step::Draw { .. });
            defined.extend(own);
        }
        holds
    }

    /// What is computed before the turns, of one class.
    fn ahead(&self, class: Class, steps: &[Step], turns: &Uses) -> Option<Ahead> {
        let kernel = self.lowering.kernel;
        let of_class = |v: &u32| self.classes[*v as usize] == Some(class);
        let used = |v: &u32| turns.as_tile[*v as usize] && of_class(v);
        let values: Vec<u32> = (0..kernel.values.len() as u32).filter(used).collect();
        if values.is_empty() {
            return None;
        }
        let mut uses = Uses::new(self.lowering);
        values.iter().for_each(|&v| uses.as_tile[v as usize] = true);
        let mut steps =
            pick(steps, &mut uses, |step, uses| defines(step).iter().any(|&v| uses.any(v)));
        if class == Class::Turn {
            // Whether a tile along the loop's axis is read in place is seen when it is read.
            steps.iter_mut().for_each(|step| {
                if let Step::Load { in_place, .. } = step {
                    *in_place = false;
                }
            });
        }
        let size = |v: u32| (v, kernel.value(Val(v)).dtype.compute().size());
        let slide = match class {
            Class::Sum(slide) => Some(slide),
            _ => None,
        };
        let kept = class == Class::Turn && self.is_of_launch(&steps);
        Some(Ahead { slide, kept, steps, values: values.into_iter().map(size).collect() })
    }
}

/// Which values some steps use, and how.
struct Uses {
    is_desc: Vec<bool>,
    as_tile: Vec<bool>,
    as_index: Vec<bool>,
}

impl Uses {
    fn new(lowering: &Lowering) -> Self {
        let is_desc = lowering.places.is_desc.clone();
        let none = vec![false; is_desc.len()];
        Uses { is_desc, as_tile: none.clone(), as_index: none }
    }

    fn any(&self, v: u32) -> bool {
        self.as_tile[v as usize] || self.as_index[v as usize]
    }

    /// Notes what a step uses.
    fn note(&mut self, step: &Step) {
        let indexes = matches!(
            step,
            Step::Index { .. }
                | Step::Numbers { .. }
                | Step::Truth { .. }
                | Step::Load { .. }
                | Step::RowLoad { .. }
                | Step::Draw { .. }
        );
        // What loops inside use may be either.
        let nested = matches!(step, Step::Serial(_) | Step::UserSerial(_));
        for_each_use(step, &mut |v| {
            let desc = self.is_desc[v as usize];
            self.as_index[v as usize] |= desc && (indexes || nested);
            self.as_tile[v as usize] |= !desc || !indexes || nested;
        });
    }
}

/// The steps that are needed, found from the last to the first.
fn pick(steps: &[Step], uses: &mut Uses, needed: impl Fn(&Step, &Uses) -> bool) -> Vec<Step> {
    let mut list = Vec::new();
    for step in steps.iter().rev() {
        if needed(step, uses) {
            uses.note(step);
            list.push(step.clone());
        }
    }
    list.reverse();
    list
}

impl Lowering<'_> {
    /// The step of a loop over Serial axes.
    pub(super) fn serial(
        &self,
        place: Place,
        v: Val,
        op: Reduction,
        args: &[Val],
        axes: AxisSet,
        steps: Vec<Step>,
    ) -> Step {
        let element = self.kernel.value(args[0]).dtype.compute();
        let along = self.along(place);
        let fold = SerialFold {
            v: v.0,
            args: [args[0].0, args.last().expect("a reduction has an element").0],
            combine: combine_fn(op, element, self.level),
            search: searches(op, element, self.level),
            identity: op.identity_value(element),
            vector: !self.kernel.value(v).axes.intersection(along).is_empty(),
            mem: Mem::default(),
            places: Mem::default(),
        };
        let axis = axes.iter().next_back().expect("a loop has an axis");
        let classes = vec![None; self.kernel.values.len()];
        let mut body = Body { lowering: self, place, axis, classes };
        body.classify(&steps);
        let (mut steps, ahead) = body.divide(steps, &fold.args);
        let pair = self.pair(op, &fold, &mut steps, &ahead);
        let axes = axes.iter().map(|k| (k as u32, self.kernel.axes[k].extent)).collect();
        Step::Serial(Box::new(Serial { axes, ahead, steps, pair, fold }))
    }

    /// The operation whose results are folded, taken from the end of a turn's steps where the
    /// reduction takes it in.
    fn pair(
        &self,
        op: Reduction,
        fold: &SerialFold,
        steps: &mut Vec<Step>,
        ahead: &[Ahead],
    ) -> Option<Pair> {
        let Step::Op { v, args, arity: 2, choice: false, round: None, target, .. } =
            steps.last()?
        else {
            return None;
        };
        let (v, args) = (*v, [args[0], args[1]]);
        if v != fold.args[0] || *target != Target::Register {
            return None;
        }
        let Inst::Op(inner, _) = self.kernel.value(Val(v)).inst else { return None };
        let dtype = self.kernel.value(Val(v)).dtype;
        let loops = pair_loops(op, inner, dtype, self.level)?;
        steps.pop();
        let whole = fold.vector.then(|| self.whole(inner, args, steps, ahead)).flatten();
        Some(Pair { args, loops, whole })
    }

    /// What of a turn is folded in one go: all of it, or nothing.
    fn whole(&self, of: Op, args: [u32; 2], steps: &[Step], ahead: &[Ahead]) -> Option<Whole> {
        let values = || ahead.iter().flat_map(|a| a.values.iter().map(|&(v, _)| (v, a.slide)));
        let sliding = |v: u32| {
            let place = values().position(|(w, slide)| w == v && slide.is_some())?;
            Some((place, values().nth(place)?.1?))
        };
        let numbers = |v: u32| values().position(|(w, slide)| w == v && slide.is_none());
        let one = |[x, y]: [u32; 2]| {
            let found = sliding(x).zip(numbers(y)).or_else(|| sliding(y).zip(numbers(x)))?;
            Some(Whole { slides: found.0, numbers: found.1, second: None })
        };
        match steps {
            [] => one(args),
            [Step::Op { v, args: inner, arity: 2, choice: false, round: None, target, .. }]
                if *target == Target::Register
                    && args.contains(v)
                    && matches!(self.kernel.value(Val(*v)).inst, Inst::Op(op, _) if op == of) =>
            {
                let other = if args[0] == *v { args[1] } else { args[0] };
                let second = Some(sliding(other).filter(|_| other != *v)?);
                Some(Whole { second, ..one([inner[0], inner[1]])? })
            }
            _ => None,
        }
    }
}
