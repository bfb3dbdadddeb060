//! Arguments and results of functions as tiles: numbers, and tuples of them, as flat lists of
//! streams of elements.

use super::lanes::{LANES, Laned};
use super::tuples::up_to_12;
use crate::backend::cpu::ahead::ask_for;
use crate::dtype::{DType, Element, Scalar};
use crate::function::TileArg;
use std::mem::MaybeUninit;

/// A number, a tuple of numbers or of tuples, or a struct of numbers, which goes by its tuple: then
/// every method is that of the tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument or result of a function on arrays",
    label = "no element of arrays",
    note = "arrays hold numbers: give each component an argument of its own, and return a flat \
            tuple of at most 12; a struct of numbers has `#[derive(Columns)]`"
)]
pub trait Pack: Laned {
    /// The values of all lanes.
    type Lanes: Copy;
    /// The tuple that a struct goes by, else the type itself.
    type Raw: Pack<Lanes = Self::Lanes>;
    /// The number of streams.
    const COUNT: usize = Self::Raw::COUNT;
    /// The tuple of a struct's fields.
    fn into_raw(self) -> Self::Raw;
    /// The struct of these fields.
    fn from_raw(raw: Self::Raw) -> Self;
    /// Appends the element types of the streams.
    fn dtypes(list: &mut Vec<DType>) {
        Self::Raw::dtypes(list);
    }
    /// The value in C++ from the names of its components, and whether it is no single one.
    fn gathered(names: &mut dyn Iterator<Item = String>) -> (String, bool) {
        Self::Raw::gathered(names)
    }
    /// Appends the components of a value.
    fn scalars(self, list: &mut Vec<Scalar>) {
        self.into_raw().scalars(list);
    }
    /// The value whose components these are.
    fn of_scalars(list: &mut dyn Iterator<Item = Scalar>) -> Self {
        Self::from_raw(Self::Raw::of_scalars(list))
    }
    /// Lanes without values.
    #[inline(always)]
    fn room() -> Self::Lanes {
        Self::Raw::room()
    }
    /// For a tuple of arguments: each argument in C++, and whether one is a tuple.
    fn arguments(names: &mut dyn Iterator<Item = String>) -> (Vec<String>, bool) {
        let (value, nested) = Self::gathered(names);
        (vec![value], nested)
    }
    /// Reads lanes from position `at` on; `count` of them exist, and the first fills the others.
    ///
    /// # Safety
    /// `args` are the streams, and each has `count` elements from `at` on, at least one.
    #[inline(always)]
    unsafe fn load(args: &[TileArg], at: usize, count: usize) -> Self::Lanes {
        // SAFETY: as the caller says.
        unsafe { Self::Raw::load(args, at, count) }
    }
    /// Asks for what comes behind the lanes from position `at` on.
    #[inline(always)]
    fn ask(args: &[TileArg], at: usize) {
        Self::Raw::ask(args, at);
    }
    /// Reads the value at a position; with `WHOLE`, of streams with an element for each.
    ///
    /// # Safety
    /// `args` are the streams, and each has an element there, or one for all positions.
    #[inline(always)]
    unsafe fn read<const WHOLE: bool>(args: &[TileArg], at: usize) -> Self {
        // SAFETY: as the caller says.
        Self::from_raw(unsafe { Self::Raw::read::<WHOLE>(args, at) })
    }
    /// Writes the value at a position.
    ///
    /// # Safety
    /// Each of `outs` has room for an element there.
    #[inline(always)]
    unsafe fn write(self, outs: &[*mut u8], at: usize) {
        // SAFETY: as the caller says.
        unsafe { self.into_raw().write(outs, at) };
    }
    /// One lane, which has a value.
    #[inline(always)]
    fn get(lanes: &Self::Lanes, k: usize) -> Self {
        Self::from_raw(Self::Raw::get(lanes, k))
    }
    /// Sets one lane.
    #[inline(always)]
    fn put(lanes: &mut Self::Lanes, k: usize, value: Self) {
        Self::Raw::put(lanes, k, value.into_raw());
    }
    /// Writes the first `count` lanes.
    ///
    /// # Safety
    /// Each of `outs` has room for `count` elements from `at` on, and the lanes have values.
    #[inline(always)]
    unsafe fn store(lanes: &Self::Lanes, outs: &[*mut u8], at: usize, count: usize) {
        // SAFETY: as the caller says.
        unsafe { Self::Raw::store(lanes, outs, at, count) };
    }
}

/// What every type but structs says of itself.
macro_rules! raw_itself {
    () => {
        type Raw = Self;

        #[inline(always)]
        fn into_raw(self) -> Self {
            self
        }

        #[inline(always)]
        fn from_raw(raw: Self) -> Self {
            raw
        }
    };
}

impl Pack for () {
    type Lanes = ();
    raw_itself!();
    const COUNT: usize = 0;

    fn dtypes(_: &mut Vec<DType>) {}
    fn gathered(_: &mut dyn Iterator<Item = String>) -> (String, bool) {
        (String::new(), false)
    }
    fn scalars(self, _: &mut Vec<Scalar>) {}
    fn of_scalars(_: &mut dyn Iterator<Item = Scalar>) {}
    fn room() {}
    unsafe fn load(_: &[TileArg], _: usize, _: usize) {}
    fn ask(_: &[TileArg], _: usize) {}
    unsafe fn read<const WHOLE: bool>(_: &[TileArg], _: usize) {}
    unsafe fn write(self, _: &[*mut u8], _: usize) {}
    fn get(_: &(), _: usize) {}
    fn put(_: &mut (), _: usize, _: ()) {}
    unsafe fn store(_: &(), _: &[*mut u8], _: usize, _: usize) {}
}

/// The sizes of the machine, which streams hold in 64 bits.
macro_rules! sizes {
    ($($t:ty as $fixed:ty),*) => {$(
        impl Pack for $t {
            type Lanes = <$fixed as Pack>::Lanes;
            raw_itself!();
            const COUNT: usize = 1;

            fn dtypes(list: &mut Vec<DType>) {
                <$fixed>::dtypes(list);
            }
            fn gathered(names: &mut dyn Iterator<Item = String>) -> (String, bool) {
                <$fixed>::gathered(names)
            }
            fn scalars(self, list: &mut Vec<Scalar>) {
                (self as $fixed).scalars(list);
            }
            fn of_scalars(list: &mut dyn Iterator<Item = Scalar>) -> Self {
                <$fixed>::of_scalars(list) as $t
            }
            #[inline(always)]
            fn room() -> Self::Lanes {
                <$fixed>::room()
            }
            #[inline(always)]
            unsafe fn load(args: &[TileArg], at: usize, count: usize) -> Self::Lanes {
                // SAFETY: as the caller says.
                unsafe { <$fixed>::load(args, at, count) }
            }
            #[inline(always)]
            fn ask(args: &[TileArg], at: usize) {
                <$fixed>::ask(args, at);
            }
            #[inline(always)]
            unsafe fn read<const WHOLE: bool>(args: &[TileArg], at: usize) -> Self {
                // SAFETY: as the caller says.
                unsafe { <$fixed>::read::<WHOLE>(args, at) as $t }
            }
            #[inline(always)]
            unsafe fn write(self, outs: &[*mut u8], at: usize) {
                // SAFETY: as the caller says.
                unsafe { (self as $fixed).write(outs, at) };
            }
            #[inline(always)]
            fn get(lanes: &Self::Lanes, k: usize) -> Self {
                <$fixed>::get(lanes, k) as $t
            }
            #[inline(always)]
            fn put(lanes: &mut Self::Lanes, k: usize, value: Self) {
                <$fixed>::put(lanes, k, value as $fixed);
            }
            #[inline(always)]
            unsafe fn store(lanes: &Self::Lanes, outs: &[*mut u8], at: usize, count: usize) {
                // SAFETY: as the caller says.
                unsafe { <$fixed>::store(lanes, outs, at, count) };
            }
        }
    )*};
}
sizes!(usize as u64, isize as i64);

impl<T: Element + Laned> Pack for T {
    type Lanes = [MaybeUninit<T>; LANES];
    raw_itself!();
    const COUNT: usize = 1;

    fn dtypes(list: &mut Vec<DType>) {
        list.push(T::DTYPE);
    }

    fn gathered(names: &mut dyn Iterator<Item = String>) -> (String, bool) {
        (names.next().expect("one name for each component"), false)
    }

    fn scalars(self, list: &mut Vec<Scalar>) {
        list.push(Scalar::new(self));
    }

    fn of_scalars(list: &mut dyn Iterator<Item = Scalar>) -> Self {
        let next = list.next().expect("one scalar for each component");
        next.get().expect("a scalar of the component's type")
    }

    #[inline(always)]
    fn room() -> Self::Lanes {
        [MaybeUninit::uninit(); LANES]
    }

    #[inline(always)]
    unsafe fn load(args: &[TileArg], at: usize, count: usize) -> Self::Lanes {
        let arg = args[0];
        let first = arg.ptr.cast::<T>();
        // SAFETY: the elements exist, as the caller says.
        unsafe {
            if !arg.vector {
                return [MaybeUninit::new(first.read()); LANES];
            }
            let first = first.add(at);
            if count == LANES {
                return first.cast::<Self::Lanes>().read();
            }
            let mut lanes = [MaybeUninit::new(first.read()); LANES];
            std::ptr::copy_nonoverlapping(first, lanes.as_mut_ptr().cast(), count);
            lanes
        }
    }

    #[inline(always)]
    fn ask(args: &[TileArg], at: usize) {
        if args[0].far {
            ask_for::<Self::Lanes>(args[0].ptr.cast::<T>().wrapping_add(at).cast());
        }
    }

    #[inline(always)]
    unsafe fn read<const WHOLE: bool>(args: &[TileArg], at: usize) -> Self {
        let arg = args[0];
        // SAFETY: there is one, as the caller says.
        unsafe { arg.ptr.cast::<T>().add(if WHOLE || arg.vector { at } else { 0 }).read() }
    }

    #[inline(always)]
    unsafe fn write(self, outs: &[*mut u8], at: usize) {
        // SAFETY: there is room, as the caller says.
        unsafe { outs[0].cast::<T>().add(at).write(self) };
    }

    #[inline(always)]
    fn get(lanes: &Self::Lanes, k: usize) -> Self {
        // SAFETY: every lane that is read was loaded or put.
        unsafe { lanes[k].assume_init() }
    }

    #[inline(always)]
    fn put(lanes: &mut Self::Lanes, k: usize, value: Self) {
        lanes[k] = MaybeUninit::new(value);
    }

    #[inline(always)]
    unsafe fn store(lanes: &Self::Lanes, outs: &[*mut u8], at: usize, count: usize) {
        // SAFETY: there is room, as the caller says.
        unsafe {
            let to = outs[0].cast::<T>().add(at);
            if count == LANES {
                to.cast::<Self::Lanes>().write(*lanes);
            } else {
                std::ptr::copy_nonoverlapping(lanes.as_ptr().cast(), to, count);
            }
        }
    }
}

macro_rules! tuples {
    ($($($name:ident $k:tt)+;)*) => {$(
        impl<$($name: Pack),+> Pack for ($($name,)+) {
            type Lanes = ($($name::Lanes,)+);
            raw_itself!();
            const COUNT: usize = 0 $(+ $name::COUNT)+;

            fn dtypes(list: &mut Vec<DType>) {
                $($name::dtypes(list);)+
            }
            fn gathered(names: &mut dyn Iterator<Item = String>) -> (String, bool) {
                let parts = [$($name::gathered(names).0),+];
                (format!("lz_make_tuple({})", parts.join(", ")), true)
            }
            fn arguments(names: &mut dyn Iterator<Item = String>) -> (Vec<String>, bool) {
                let parts = [$($name::gathered(names)),+];
                let nested = parts.iter().any(|part| part.1);
                (parts.into_iter().map(|part| part.0).collect(), nested)
            }
            fn scalars(self, list: &mut Vec<Scalar>) {
                $(self.$k.scalars(list);)+
            }
            fn of_scalars(list: &mut dyn Iterator<Item = Scalar>) -> Self {
                ($($name::of_scalars(list),)+)
            }
            #[inline(always)]
            fn room() -> Self::Lanes {
                ($($name::room(),)+)
            }
            #[inline(always)]
            #[allow(unused_assignments, reason = "the last part moves the start as well")]
            unsafe fn load(args: &[TileArg], at: usize, count: usize) -> Self::Lanes {
                let mut from = 0;
                ($({
                    let part = &args[from..];
                    from += $name::COUNT;
                    // SAFETY: as for the whole.
                    unsafe { $name::load(part, at, count) }
                },)+)
            }
            #[inline(always)]
            #[allow(unused_assignments, reason = "the last part moves the start as well")]
            fn ask(args: &[TileArg], at: usize) {
                let mut from = 0;
                $(
                    $name::ask(&args[from..], at);
                    from += $name::COUNT;
                )+
            }
            #[inline(always)]
            #[allow(unused_assignments, reason = "the last part moves the start as well")]
            unsafe fn read<const WHOLE: bool>(args: &[TileArg], at: usize) -> Self {
                let mut from = 0;
                ($({
                    let part = &args[from..];
                    from += $name::COUNT;
                    // SAFETY: as for the whole.
                    unsafe { $name::read::<WHOLE>(part, at) }
                },)+)
            }
            #[inline(always)]
            #[allow(unused_assignments, reason = "the last part moves the start as well")]
            unsafe fn write(self, outs: &[*mut u8], at: usize) {
                let mut from = 0;
                $(
                    // SAFETY: as for the whole.
                    unsafe { self.$k.write(&outs[from..], at) };
                    from += $name::COUNT;
                )+
            }
            #[inline(always)]
            fn get(lanes: &Self::Lanes, k: usize) -> Self {
                ($($name::get(&lanes.$k, k),)+)
            }
            #[inline(always)]
            fn put(lanes: &mut Self::Lanes, k: usize, value: Self) {
                $($name::put(&mut lanes.$k, k, value.$k);)+
            }
            #[inline(always)]
            #[allow(unused_assignments, reason = "the last part moves the start as well")]
            unsafe fn store(lanes: &Self::Lanes, outs: &[*mut u8], at: usize, count: usize) {
                let mut from = 0;
                $(
                    // SAFETY: as for the whole.
                    unsafe { $name::store(&lanes.$k, &outs[from..], at, count) };
                    from += $name::COUNT;
                )+
            }
        }
    )*};
}
up_to_12!(tuples);
