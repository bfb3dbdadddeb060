//! The device code of the functions that kernels call: each has a type of its name, as a function
//! with `#[device]` has, so that kernels and device functions find it by the same path.

use super::shared::{FixedArray, Shared, SharedArray};
use super::thread::{GridRank, Rank};
use super::{Dim3, thread, warp};
use crate::dtype::Element;
use crate::user::code::{Callee, Const, Describe, DeviceFn, Slot};
use crate::user::lanes::{Course, LANES, Laned, Lanes, Mask, in_a_row};
use crate::user::types::DeviceType;

/// Defines the types, each from the C++ of its function. `#` stands for the types' C++ name.
macro_rules! intrinsics {
    ($($module:ident::$name:ident $(<$t:ident>)? ($($arg:ident: $ty:ty),*) -> $out:ty = $cpp:literal;)*) => {$(
        #[doc = concat!("The device code of [`", stringify!($name), "`](fn@super::", stringify!($name), ").")]
        #[doc(hidden)]
        #[allow(non_camel_case_types, clippy::empty_enums)]
        pub enum $name {}

        #[doc(hidden)]
        impl $name {
            pub const DEVICE_CODE_HAS_NO_RECURSION: () = ();
            pub const LZ_LANES: bool = false;

            pub fn lz_device $(<$t: Element + DeviceType>)? (
                _: &Slot<Callee<$name, ($($t,)?)>>,
                $(_: $ty),*
            ) -> $out {
                unreachable!("probes are never run")
            }

            pub fn lz_lanes $(<$t: Element + DeviceType>)? (
                $(_: Lanes<$ty>,)*
                _: &Mask,
                _: &mut Course,
            ) -> Lanes<$out> {
                unreachable!("threads have no lanes")
            }

            #[track_caller]
            #[inline(always)]
            pub fn lz_twin $(<$t: Element + DeviceType>)? ($($arg: $ty,)* _: &mut bool) -> $out {
                $module::$name($($arg),*)
            }
        }

        impl $(<$t: Element + DeviceType>)? DeviceFn<($($t,)?)> for $name {
            type Args = ($($ty,)*);
            type Output = $out;
            const NAME: &'static str = concat!("lazuli::gpu::", stringify!($name));

            fn describe(lz: &mut Describe) {
                $(lz.named::<$t>();)?
                lz.template(concat!("LZ_FN ", $cpp, "\n"), 1.0);
            }

            #[track_caller]
            fn fast(($($arg,)*): Self::Args, _: &mut bool) -> $out {
                $module::$name($($arg),*)
            }

            #[track_caller]
            fn plain(($($arg,)*): Self::Args) -> $out {
                $module::$name($($arg),*)
            }
        }
    )*};
}

intrinsics! {
    thread::thread_idx() -> Dim3 = "lz_dim3 @() { return lz_thread_idx(); }";
    thread::block_idx() -> Dim3 = "lz_dim3 @() { return lz_block_idx(); }";
    thread::block_dim() -> Dim3 = "lz_dim3 @() { return lz_block_dim(); }";
    thread::grid_dim() -> Dim3 = "lz_dim3 @() { return lz_grid_dim(); }";
    thread::lane_index() -> usize = "lz_u64 @() { return lz_u64(lz_lane()); }";
    warp::sync_threads() -> () = "void @() { __syncthreads(); }";
    warp::sync_threads_count(predicate: bool) -> usize =
        "lz_u64 @(bool p) { return lz_u64(__syncthreads_count(p)); }";
    warp::sync_threads_any(predicate: bool) -> bool =
        "bool @(bool p) { return __syncthreads_or(p) != 0; }";
    warp::sync_threads_all(predicate: bool) -> bool =
        "bool @(bool p) { return __syncthreads_and(p) != 0; }";
    warp::sync_warp() -> () = "void @() { __syncwarp(__activemask()); }";
    warp::shuffle<T>(value: T, lane: u32) -> T =
        "$0$ @($0$ v, lz_u32 lane) { return lz_gpu_shuffle(v, lane); }";
    warp::shuffle_down<T>(value: T, by: u32) -> T =
        "$0$ @($0$ v, lz_u32 by) { return lz_gpu_shuffle_down(v, by); }";
    warp::shuffle_up<T>(value: T, by: u32) -> T =
        "$0$ @($0$ v, lz_u32 by) { return lz_gpu_shuffle_up(v, by); }";
    warp::shuffle_xor<T>(value: T, mask: u32) -> T =
        "$0$ @($0$ v, lz_u32 mask) { return lz_gpu_shuffle_xor(v, mask); }";
    warp::ballot(predicate: bool) -> u32 = "lz_u32 @(bool p) { return lz_gpu_ballot(p); }";
    warp::any(predicate: bool) -> bool = "bool @(bool p) { return lz_gpu_any(p); }";
    warp::all(predicate: bool) -> bool = "bool @(bool p) { return lz_gpu_all(p); }";
    warp::active_mask() -> u32 = "lz_u32 @() { return __activemask(); }";
    warp::thread_fence() -> () = "void @() { __threadfence(); }";
    warp::thread_fence_block() -> () = "void @() { __threadfence_block(); }";
}

/// The functions that give as many numbers as a grid has dimensions.
macro_rules! grids {
    ($($name:ident $cpp:literal;)*) => {$(
        #[doc(hidden)]
        #[allow(non_camel_case_types, clippy::empty_enums)]
        pub enum $name {}

        #[doc(hidden)]
        impl $name {
            pub const DEVICE_CODE_HAS_NO_RECURSION: () = ();
            pub const LZ_LANES: bool = false;

            pub fn lz_device<const N: usize>(
                _: &Slot<Callee<$name, (Const<N>,)>>,
            ) -> <Rank<N> as GridRank>::Place
            where
                Rank<N>: GridRank,
            {
                unreachable!("probes are never run")
            }

            pub fn lz_lanes<const N: usize>(
                _: &Mask,
                _: &mut Course,
            ) -> Lanes<<Rank<N> as GridRank>::Place>
            where
                Rank<N>: GridRank,
            {
                unreachable!("threads have no lanes")
            }

            #[inline(always)]
            pub fn lz_twin<const N: usize>(_: &mut bool) -> <Rank<N> as GridRank>::Place
            where
                Rank<N>: GridRank,
            {
                thread::$name::<N>()
            }
        }

        impl<const N: usize> DeviceFn<(Const<N>,)> for $name
        where
            Rank<N>: GridRank,
        {
            type Args = ();
            type Output = <Rank<N> as GridRank>::Place;
            const NAME: &'static str = concat!("lazuli::gpu::", stringify!($name));

            fn describe(lz: &mut Describe) {
                lz.template(&format!("LZ_FN auto @() {{ return {}<{N}>(); }}\n", $cpp), 1.0);
            }

            fn fast((): (), _: &mut bool) -> Self::Output {
                thread::$name::<N>()
            }

            fn plain((): ()) -> Self::Output {
                thread::$name::<N>()
            }
        }
    )*};
}
grids! {
    grid "lz_grid";
    grid_size "lz_grid_size";
}

impl Laned for Dim3 {
    in_a_row!();
}

impl DeviceType for Dim3 {
    fn type_name() -> String {
        "lz_dim3".into()
    }
    fn literal(&self) -> String {
        format!("lz_dim3{{{}u, {}u, {}u}}", self.x, self.y, self.z)
    }
}

/// A function that takes shared arrays has no lane form.
impl<A: FixedOrSlice + ?Sized + 'static> Laned for Shared<'static, A> {
    type Store = ();
    fn zeros() {}
    fn lane((): &(), _: usize) -> Self {
        unreachable!("threads have no lanes")
    }
    fn set_lane(self, (): &mut (), _: usize) {
        unreachable!("threads have no lanes")
    }
}

/// Shared arrays are values of device code, but no constants.
impl<A: FixedOrSlice + ?Sized + 'static> DeviceType for Shared<'static, A> {
    fn type_name() -> String {
        A::type_name()
    }
    fn literal(&self) -> String {
        unreachable!("a shared array is no constant")
    }
}

/// The C++ type of a [`Shared`].
#[doc(hidden)]
pub trait FixedOrSlice: SharedArray {
    fn type_name() -> String;
}

impl<T: Element> FixedOrSlice for [T] {
    fn type_name() -> String {
        let element = crate::function::cpp::type_name(T::DTYPE);
        format!("lz_dynamic_shared<{element}>")
    }
}

macro_rules! fixed {
    ($([$($length:ident),*] $array:ty;)*) => {$(
        impl<T: Element, $(const $length: usize),*> FixedOrSlice for $array {
            fn type_name() -> String {
                let element = crate::function::cpp::type_name(T::DTYPE);
                let lengths = Self::SHAPE.map(|length| length.to_string()).join(", ");
                format!("lz_shared<{element}, {lengths}>")
            }
        }
    )*};
}
fixed! {
    [A] [T; A];
    [A, B] [[T; B]; A];
    [A, B, C] [[[T; C]; B]; A];
}
