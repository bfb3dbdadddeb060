//! Functions with loops, for all lanes of a tile at once.
//!
//! The twin of such a function in a loop over lanes does not vectorise: each lane turns as often
//! as it needs. Its *lane form*, which the macros write beside the twin, runs every lane through
//! the same statements under masks: a loop turns until no lane is left in it, and what a lane
//! would not have run changes nothing of its own. Between two branches there are plain loops over
//! the lanes, which vectorise as those of twins do.
//!
//! This is what compilers for GPUs and ISPC do. Lanes that do not run compute along and change
//! nothing; what could fail for them is made not to: whole numbers wrap, and a quotient by zero has
//! the plain function compute the elements again. Where fewer than two and a half lanes of sixteen
//! ran together on average, the next steps take the twin (`Course::is_lonely`).

use super::tuples::up_to_12;
use num_complex::Complex;

/// The elements of one step of a loop.
pub(crate) const LANES: usize = 16;

/// The values of a variable in all lanes.
pub struct Lanes<T: Laned>(T::Store);

impl<T: Laned> Clone for Lanes<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Laned> Copy for Lanes<T> {}

impl<T: Laned> Lanes<T> {
    /// Zeros, or what has those bits.
    #[inline(always)]
    #[must_use]
    pub fn room() -> Self {
        Lanes(T::zeros())
    }

    /// One value in all lanes.
    #[inline(always)]
    pub fn splat(value: T) -> Self {
        let mut lanes = Self::room();
        for k in 0..LANES {
            lanes.put(k, value);
        }
        lanes
    }

    /// The value of one lane.
    #[inline(always)]
    pub fn get(&self, k: usize) -> T {
        T::lane(&self.0, k)
    }

    /// Sets the value of one lane.
    #[inline(always)]
    pub fn put(&mut self, k: usize, value: T) {
        value.set_lane(&mut self.0, k);
    }

    /// Takes the values of the lanes of a mask.
    #[inline(always)]
    pub fn blend(&mut self, mask: &Mask, values: Self) {
        for k in 0..LANES {
            self.put(k, mask.pick(k, values.get(k), self.get(k)));
        }
    }

    /// The next whole numbers, and after the last one the first.
    #[inline(always)]
    #[must_use]
    pub fn next(self) -> Self {
        let mut lanes = self;
        for k in 0..LANES {
            lanes.put(k, self.get(k).plus_one());
        }
        lanes
    }

    /// The whole numbers before.
    #[inline(always)]
    #[must_use]
    pub fn before(self) -> Self {
        let mut lanes = self;
        for k in 0..LANES {
            lanes.put(k, self.get(k).minus_one());
        }
        lanes
    }
}

/// The number of lanes.
pub const COUNT: usize = LANES;

/// The lanes that run.
#[derive(Clone, Copy)]
pub struct Mask([bool; LANES]);

impl Mask {
    /// The first lanes.
    #[inline(always)]
    #[must_use]
    pub(crate) fn first(count: usize) -> Mask {
        let mut mask = Mask([false; LANES]);
        for k in 0..LANES {
            mask.0[k] = k < count;
        }
        mask
    }

    /// Whether a lane runs.
    #[inline(always)]
    #[must_use]
    pub fn has(&self, k: usize) -> bool {
        self.0[k]
    }

    /// Whether any lane runs.
    #[inline(always)]
    #[must_use]
    pub fn any(&self) -> bool {
        let mut any = false;
        for k in 0..LANES {
            any |= self.0[k];
        }
        any
    }

    /// Those of the lanes for which a condition holds.
    #[inline(always)]
    #[must_use]
    pub fn and(&self, condition: &Lanes<bool>) -> Mask {
        let mut mask = *self;
        for k in 0..LANES {
            mask.0[k] &= condition.get(k);
        }
        mask
    }

    /// Those of the lanes for which a condition does not hold.
    #[inline(always)]
    #[must_use]
    pub fn and_not(&self, condition: &Lanes<bool>) -> Mask {
        let mut mask = *self;
        for k in 0..LANES {
            mask.0[k] &= !condition.get(k);
        }
        mask
    }

    /// Stops lanes.
    #[inline(always)]
    pub fn stop(&mut self, lanes: &Mask) {
        for k in 0..LANES {
            self.0[k] &= !lanes.0[k];
        }
    }

    /// The first value where the lane runs, else the second.
    #[inline(always)]
    #[must_use]
    pub fn pick<T>(&self, k: usize, yes: T, no: T) -> T {
        if self.0[k] { yes } else { no }
    }

    /// The lane itself where it runs, else one that does: what a lane that does not run computes
    /// from the values of that one does not fail unless the function does.
    #[inline(always)]
    #[must_use]
    pub fn stand_in(&self, k: usize, first: usize) -> usize {
        if self.0[k] { k } else { first }
    }

    /// The first lane that runs.
    #[inline(always)]
    #[must_use]
    pub fn leader(&self) -> usize {
        self.0.iter().position(|&runs| runs).unwrap_or(0)
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.0.iter().map(|&runs| u32::from(runs)).sum()
    }
}

/// What a run of a lane form tells beside its values.
#[derive(Clone, Copy, Default)]
pub struct Course {
    /// Whether a lane met what the fast mathematics cannot give, or what would panic.
    pub rare: bool,
    turns: u64,
    /// The turns that the counts of running lanes stand for, and the turns of all lanes in them.
    span: u64,
    running: u64,
}

impl Course {
    /// Notes a turn of a loop whose lanes end at different times. The lanes are counted at turns
    /// 1, 2, 4, 8 and so on, each time for as many turns as were before: they become fewer, and
    /// later ones fewer slowly.
    #[inline(always)]
    pub fn turn(&mut self, mask: &Mask) {
        self.turns += 1;
        if self.turns.is_power_of_two() {
            self.span += self.turns;
            self.running += self.turns * u64::from(mask.count());
        }
    }

    /// Whether so few lanes ran together that one after the other would have been faster.
    #[inline(always)]
    pub(crate) fn is_lonely(&self) -> bool {
        // A turn of all lanes takes two to three times as long as one of one.
        self.running * 2 < self.span * 5
    }
}

/// An operator that can fail for whole numbers.
#[derive(Clone, Copy)]
pub enum Op {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// The quotient.
    Div,
    /// The remainder.
    Rem,
    /// To the left.
    Shl,
    /// To the right.
    Shr,
}

/// `a op b`, where lanes that do not run may compute it too: whole numbers wrap, and what panics
/// whatever the build is rare. With `checked`, no lane computes what the function would not.
#[inline(always)]
pub fn binary<A: Laned, B: Laned, O: Laned>(
    checked: bool,
    op: Op,
    a: A,
    b: B,
    rare: &mut bool,
    native: impl FnOnce(A, B) -> O,
) -> O {
    if !A::IS_INTEGER || checked {
        return native(a, b);
    }
    let result = match op {
        Op::Shl => a.shifted_left(b.low_bits()),
        Op::Shr => a.shifted_right(b.low_bits()),
        _ => match same::<B, A>(b) {
            Some(b) => a.operated(op, b, rare),
            None => return native(a, b),
        },
    };
    same::<A, O>(result).unwrap_or_else(|| unreachable!("whole numbers give their own type"))
}

/// `-a`, under the same terms.
#[inline(always)]
pub fn negated<A: Laned, O: Laned>(checked: bool, a: A, native: impl FnOnce(A) -> O) -> O {
    match A::IS_INTEGER && !checked {
        true => same::<A, O>(a.opposite()).unwrap_or_else(|| native(a)),
        false => native(a),
    }
}

/// `a.abs()`, under the same terms.
#[inline(always)]
pub fn magnitude<A: Laned, O: Laned>(checked: bool, a: A, native: impl FnOnce(A) -> O) -> O {
    match A::IS_INTEGER && !checked {
        true => same::<A, O>(a.size()).unwrap_or_else(|| native(a)),
        false => native(a),
    }
}

/// Whether a number is a whole one.
#[inline(always)]
pub fn is_integer<A: Laned>(_: &A) -> bool {
    A::IS_INTEGER
}

/// What a function returns that was left before its end: nobody looks at it.
#[inline(always)]
#[must_use]
pub fn nothing<T>() -> T {
    const { assert!(!std::mem::needs_drop::<T>(), "device code has numbers alone") };
    // SAFETY: the attributes write this where device code returns, and that has numbers, and tuples
    // and arrays of them: zeros are values of these.
    unsafe { std::mem::zeroed() }
}

/// The value as another type, if that is the same.
#[inline(always)]
fn same<A: 'static + Copy, B: 'static + Copy>(value: A) -> Option<B> {
    (std::any::TypeId::of::<A>() == std::any::TypeId::of::<B>())
        // SAFETY: the types are the same.
        .then(|| unsafe { std::mem::transmute_copy(&value) })
}

/// How a type lies in lanes, and what its whole numbers do in lanes that do not run.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type that device code can hold",
    label = "not a type of device code",
    note = "device code holds numbers, `bool`, complex numbers, and tuples (of at most 12 parts) and \
            arrays (of constant size) of those"
)]
#[doc(hidden)]
pub trait Laned: Copy + 'static {
    /// The lanes.
    type Store: Copy;
    /// Whether these are whole numbers.
    const IS_INTEGER: bool = false;
    /// Lanes of zeros.
    fn zeros() -> Self::Store;
    /// The value of one lane.
    fn lane(store: &Self::Store, k: usize) -> Self;
    /// Sets the value of one lane.
    fn set_lane(self, store: &mut Self::Store, k: usize);
    /// `a op b`, wrapping.
    #[inline(always)]
    fn operated(self, _: Op, _: Self, _: &mut bool) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// `a << n`.
    #[inline(always)]
    fn shifted_left(self, _: u32) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// `a >> n`.
    #[inline(always)]
    fn shifted_right(self, _: u32) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// `-a`.
    #[inline(always)]
    fn opposite(self) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// `|a|`.
    #[inline(always)]
    fn size(self) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// `a + 1`.
    #[inline(always)]
    fn plus_one(self) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// `a - 1`.
    #[inline(always)]
    fn minus_one(self) -> Self {
        unreachable!("{NO_INTEGER}")
    }
    /// The lowest 32 bits.
    #[inline(always)]
    fn low_bits(self) -> u32 {
        unreachable!("{NO_INTEGER}")
    }
}

const NO_INTEGER: &str = "only whole numbers are asked";

/// One value after the other.
macro_rules! in_a_row {
    () => {
        type Store = [std::mem::MaybeUninit<Self>; LANES];
        #[inline(always)]
        fn zeros() -> Self::Store {
            [const { std::mem::MaybeUninit::zeroed() }; LANES]
        }
        #[inline(always)]
        fn lane(store: &Self::Store, k: usize) -> Self {
            // SAFETY: lanes begin as zeros, which every type here has as a value, and are set to
            // values alone.
            unsafe { store[k].assume_init() }
        }
        #[inline(always)]
        fn set_lane(self, store: &mut Self::Store, k: usize) {
            store[k] = std::mem::MaybeUninit::new(self);
        }
    };
}
pub(crate) use in_a_row;

macro_rules! plain {
    ($($t:ty)*) => {$(impl Laned for $t { in_a_row!(); })*};
}
plain!(bool f32 f64 half::f16 half::bf16);

macro_rules! integers {
    ($($t:ty: $size:ident;)*) => {$(
        impl Laned for $t {
            const IS_INTEGER: bool = true;
            in_a_row!();

            #[inline(always)]
            fn operated(self, op: Op, b: Self, rare: &mut bool) -> Self {
                match op {
                    Op::Add => self.wrapping_add(b),
                    Op::Sub => self.wrapping_sub(b),
                    Op::Mul => self.wrapping_mul(b),
                    // A quotient of two numbers that overflows is rare as well.
                    _ => {
                        let fails = b == 0 || (self == <$t>::MIN && b == !0 && <$t>::MIN != 0);
                        *rare |= fails;
                        let b = if fails { 1 } else { b };
                        if matches!(op, Op::Div) { self.wrapping_div(b) } else { self.wrapping_rem(b) }
                    }
                }
            }
            #[inline(always)]
            fn shifted_left(self, n: u32) -> Self {
                self.wrapping_shl(n)
            }
            #[inline(always)]
            fn shifted_right(self, n: u32) -> Self {
                self.wrapping_shr(n)
            }
            #[inline(always)]
            fn opposite(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn size(self) -> Self {
                integers!(@$size self)
            }
            #[inline(always)]
            fn plus_one(self) -> Self {
                self.wrapping_add(1)
            }
            #[inline(always)]
            fn minus_one(self) -> Self {
                self.wrapping_sub(1)
            }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as named")]
            fn low_bits(self) -> u32 {
                self as u32
            }
        }
    )*};
    (@signed $value:ident) => { $value.wrapping_abs() };
    (@unsigned $value:ident) => { $value };
}
integers! {
    i8: signed; i16: signed; i32: signed; i64: signed; isize: signed;
    u8: unsigned; u16: unsigned; u32: unsigned; u64: unsigned; usize: unsigned;
}

/// The parts apart, so that each vectorises.
impl<T: Laned> Laned for Complex<T> {
    type Store = [T::Store; 2];
    #[inline(always)]
    fn zeros() -> Self::Store {
        [T::zeros(), T::zeros()]
    }
    #[inline(always)]
    fn lane(store: &Self::Store, k: usize) -> Self {
        Complex::new(T::lane(&store[0], k), T::lane(&store[1], k))
    }
    #[inline(always)]
    fn set_lane(self, store: &mut Self::Store, k: usize) {
        self.re.set_lane(&mut store[0], k);
        self.im.set_lane(&mut store[1], k);
    }
}

impl<T: Laned, const N: usize> Laned for [T; N] {
    type Store = [T::Store; N];
    #[inline(always)]
    fn zeros() -> Self::Store {
        [T::zeros(); N]
    }
    #[inline(always)]
    fn lane(store: &Self::Store, k: usize) -> Self {
        std::array::from_fn(|part| T::lane(&store[part], k))
    }
    #[inline(always)]
    fn set_lane(self, store: &mut Self::Store, k: usize) {
        for part in 0..N {
            self[part].set_lane(&mut store[part], k);
        }
    }
}

impl Laned for () {
    type Store = ();
    #[inline(always)]
    fn zeros() {}
    #[inline(always)]
    fn lane((): &(), _: usize) {}
    #[inline(always)]
    fn set_lane(self, (): &mut (), _: usize) {}
}

macro_rules! tuples {
    ($($($name:ident $k:tt)+;)*) => {$(
        impl<$($name: Laned),+> Laned for ($($name,)+) {
            type Store = ($($name::Store,)+);
            #[inline(always)]
            fn zeros() -> Self::Store {
                ($($name::zeros(),)+)
            }
            #[inline(always)]
            fn lane(store: &Self::Store, k: usize) -> Self {
                ($($name::lane(&store.$k, k),)+)
            }
            #[inline(always)]
            fn set_lane(self, store: &mut Self::Store, k: usize) {
                $(self.$k.set_lane(&mut store.$k, k);)+
            }
        }
    )*};
}
up_to_12!(tuples);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_wrap_and_say_what_would_panic() {
        let mut rare = false;
        let mut of = |op, a: i32, b: i32| {
            rare = false;
            let got = binary(false, op, a, b, &mut rare, |_, _| -> i32 { unreachable!() });
            (got, rare)
        };
        assert_eq!(of(Op::Add, i32::MAX, 1), (i32::MIN, false));
        assert_eq!(of(Op::Sub, i32::MIN, 1), (i32::MAX, false));
        assert_eq!(of(Op::Mul, i32::MAX, 2), (-2, false));
        assert_eq!(of(Op::Div, 7, 2), (3, false));
        assert_eq!(of(Op::Rem, -7, 2), (-1, false));
        assert!(of(Op::Div, 7, 0).1);
        assert!(of(Op::Rem, i32::MIN, -1).1);
        assert_eq!(of(Op::Div, i32::MIN, 1), (i32::MIN, false));
        let mut rare = false;
        let shifted = binary(false, Op::Shl, 1u8, 9u64, &mut rare, |_, _| -> u8 { unreachable!() });
        assert_eq!(shifted, 2);
        // `u8::MAX` is no -1.
        let got = binary(false, Op::Div, 0u8, 255u8, &mut rare, |_, _| -> u8 { unreachable!() });
        assert_eq!((got, rare), (0, false));
        assert_eq!(negated(false, i8::MIN, |_| -> i8 { unreachable!() }), i8::MIN);
        assert_eq!(magnitude(false, i8::MIN, |_| -> i8 { unreachable!() }), i8::MIN);
        assert_eq!(magnitude(false, -2.0, f64::abs), 2.0);
    }

    #[test]
    fn lanes_hold_what_is_put() {
        let mut lanes = Lanes::<(u8, Complex<f64>)>::room();
        assert_eq!(lanes.get(3), (0, Complex::new(0.0, 0.0)));
        lanes.put(3, (7, Complex::new(1.0, -2.0)));
        let mask = Mask::first(4);
        let mut other = Lanes::splat((1, Complex::new(5.0, 6.0)));
        other.blend(&mask, lanes);
        assert_eq!(other.get(3), (7, Complex::new(1.0, -2.0)));
        assert_eq!(other.get(4), (1, Complex::new(5.0, 6.0)));
        assert_eq!((mask.leader(), mask.stand_in(9, 2), mask.stand_in(1, 2)), (0, 2, 1));
    }

    #[test]
    fn loops_of_few_lanes_are_lonely() {
        let course = |turns: &[(usize, usize)]| {
            let mut course = Course::default();
            for &(count, lanes) in turns {
                (0..count).for_each(|_| course.turn(&Mask::first(lanes)));
            }
            course.is_lonely()
        };
        assert!(!course(&[]), "no loop at all");
        assert!(course(&[(10, 1)]));
        assert!(!course(&[(1000, LANES)]));
        assert!(!course(&[(8, LANES), (12, 1)]), "the first turns were worth it");
        assert!(course(&[(8, LANES), (500, 1)]));
    }
}
