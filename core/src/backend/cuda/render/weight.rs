//! How much of a kernel NVRTC has to compile, and the form in which the kernel is written for it.
//!
//! A function is written out wherever it is called, for each position that a thread computes side by
//! side: ten exponentials of complex numbers take NVRTC 250 ms, and 250 of them minutes. So what is
//! written is counted, in microseconds of NVRTC's time. A kernel that is heavy is written anew in a
//! form that is lighter: first its heaviest functions are compiled once and called, then loops over
//! the positions of a thread stay loops, and at last there is no second form of what it computes for
//! usual arguments. Kernels of a few functions are written as they are.
//!
//! Calls cost 5 to 17% of the time of kernels that do nothing else (8 million elements on an H200: 12
//! sines of `f32` 0.131 ms for 0.112, 24 of them 0.244 for 0.224, 24 hyperbolic tangents of `f64` 0.535
//! for 0.501).

use super::{outline, usual};
use crate::dtype::DType;
use crate::kernel::weight::{self, Called};
use crate::kernel::{Kernel, Val};
use rustc_hash::{FxHashMap, FxHashSet};

/// A form for usual arguments is as much lighter than the function: it has no branches.
const USUAL: u64 = 4;
/// What functions may weigh together where they are written out.
const WRITTEN_OUT: u64 = 160_000;
/// The same of what users' functions call, whose types are not known: each weighs as of the widest type
/// that is named, which is too much for the others.
const USERS: u64 = 3 * WRITTEN_OUT;

/// What a read of a row weighs that is whole in shared memory: its place is a number, and neighbours share
/// it. Kernels of such reads take NVRTC longer than those of other strips: the step of Lorenz's model III
/// by strips of 5 positions, 348,500, takes 0.52 s, where the bound of strips allows for 0.67.
const READ: u64 = 400;

/// The form in which a kernel is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Form<'k> {
    once: FxHashSet<Called<'k>>,
    /// Whether loops over the positions of a thread stay loops for the compiler.
    pub rolled: bool,
    /// Whether nothing is written for usual arguments.
    pub plain: bool,
    /// The names of what is compiled once, and how many arguments it takes.
    named: Vec<(&'k str, usize)>,
}

impl<'k> Form<'k> {
    /// Whether what a value calls is compiled once.
    pub(super) fn is_once(&self, kernel: &'k Kernel, v: Val) -> bool {
        !self.once.is_empty() && Called::of(kernel, v).is_some_and(|c| self.once.contains(&c))
    }

    /// A lighter form for what there was to compile in this one, if there is one and it is worth it.
    pub(super) fn lighter(&self, tally: &Tally<'k>) -> Option<Form<'k>> {
        if self.once.is_empty() {
            let once = tally.compiled_once();
            if !once.is_empty() {
                let mut named: Vec<_> = once.iter().map(named).collect();
                named.sort_unstable();
                named.dedup();
                return Some(Form { once, named, ..self.clone() });
            }
        }
        if self.weight(tally) <= weight::MOST || self.plain {
            return None;
        }
        // What is compiled once is chosen anew: there may be few enough places now.
        Some(Form { rolled: true, plain: self.rolled, ..Form::default() })
    }

    /// Whether no function is so heavy, or called so often, that it is compiled once.
    pub(super) fn is_written_out(&self, tally: &Tally<'k>) -> bool {
        tally.compiled_once().is_empty()
    }

    /// What there is to compile in this form.
    pub(super) fn weight(&self, tally: &Tally) -> u64 {
        let each = |(called, &places): (&Called, &u64)| match self.once.contains(called) {
            true => called.once(places),
            false => called.weight() * places,
        };
        tally.rest + tally.places.iter().map(each).sum::<u64>()
    }

    /// The definitions of users' functions and of what is compiled once.
    pub(super) fn definitions(&self, users: String) -> String {
        let (mut users, mut before, mut behind) = (users, String::new(), String::new());
        let often = outline::called_often(&users, USERS);
        for &op in &often {
            let (name, arguments) = named(&Called::Op(op, DType::F64));
            outline::define(&mut before, name, arguments);
            users = outline::replace_calls(&users, name, &outline::once(name));
        }
        for &(name, arguments) in &self.named {
            if !often.iter().any(|&op| named(&Called::Op(op, DType::F64)).0 == name) {
                outline::define(&mut behind, name, arguments);
            }
        }
        before + &users + &behind
    }
}

/// The name of a function, and how many arguments it takes.
fn named<'k>(called: &Called<'k>) -> (&'k str, usize) {
    match called {
        Called::Op(op, _) => (op.cuda().split('(').next().unwrap_or_default(), op.arity()),
        Called::User(function) => {
            let entry = function.cuda.as_ref().map_or("no_code", |code| &code.entry);
            (entry, function.args.len())
        }
    }
}

/// What there is to compile in a kernel as it is written.
#[derive(Clone, Debug)]
pub(super) struct Tally<'k> {
    /// The places at which functions are called that can be compiled once.
    places: FxHashMap<Called<'k>, u64>,
    /// All else.
    rest: u64,
}

impl<'k> Tally<'k> {
    /// What a kernel has before a value is written.
    pub(super) fn new(kernel: &Kernel) -> Self {
        Tally { places: FxHashMap::default(), rest: weight::of_reductions(kernel) }
    }

    /// Counts a value that is written at a place of which the compiler makes so many.
    pub(super) fn add(&mut self, kernel: &'k Kernel, v: Val, copies: usize, usual: bool) {
        let copies = copies as u64;
        if usual && usual::is_usual(kernel.value(v)) {
            self.rest += copies * weight::of_value(kernel, v) / USUAL;
            return;
        }
        match Called::of(kernel, v) {
            Some(_) if weight::is_made_before(kernel, v) => {}
            Some(called) => *self.places.entry(called).or_default() += copies,
            None => self.rest += copies * weight::of_value(kernel, v),
        }
    }

    /// Counts a read of a row at a known distance.
    pub(super) fn add_read(&mut self, copies: usize) {
        self.rest += copies as u64 * READ;
    }

    /// Counts an element that is folded into a reduction or a scan.
    pub(super) fn add_fold(&mut self, kernel: &Kernel, v: Val, copies: usize) {
        self.rest += copies as u64 * weight::of_fold(kernel, v);
    }

    /// The functions to compile once: those that gain most by it, until what is written out is
    /// little.
    fn compiled_once(&self) -> FxHashSet<Called<'k>> {
        let gain = |(called, &places): (&Called<'k>, &u64)| {
            let (all, once) = (called.weight() * places, called.once(places));
            let gain = all.saturating_sub(called.body() + places * u64::from(weight::CALL));
            (gain, named(called), all, once, *called)
        };
        let mut gains: Vec<_> = self.places.iter().map(gain).filter(|g| g.0 > 0).collect();
        gains.sort_unstable_by(|a, b| (b.0, b.1, b.2).cmp(&(a.0, a.1, a.2)));
        let places = self.places.iter();
        let mut written_out: u64 = places.map(|(called, &places)| called.weight() * places).sum();
        let mut total = self.rest + written_out;
        let mut once = FxHashSet::default();
        for (_, _, all, lighter, called) in gains {
            if written_out <= WRITTEN_OUT && total <= weight::MOST {
                break;
            }
            (written_out, total) = (written_out - all, total - all + lighter);
            once.insert(called);
        }
        once
    }
}
