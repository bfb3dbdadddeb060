//! The instruction sets that loops are compiled for.

use std::sync::LazyLock;

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the architecture has (on aarch64 with NEON).
    Baseline,
    /// AVX2 with fma.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl Level {
    /// The best instruction set of this processor.
    pub fn best() -> Level {
        static BEST: LazyLock<Level> = LazyLock::new(detect);
        *BEST
    }

    /// The instruction sets that this processor has.
    pub fn available() -> impl Iterator<Item = Level> {
        [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|&l| l <= Level::best())
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Level::Baseline if cfg!(target_arch = "aarch64") => "NEON",
            Level::Baseline if cfg!(target_arch = "x86_64") => "SSE2",
            Level::Baseline => "baseline",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}

/// Makes a function that finds the compilation of a generic `#[inline(always)]` loop for an
/// instruction set: `name::<types>(level)` is a pointer to it.
#[doc(hidden)]
#[macro_export]
macro_rules! levels {
    ($(#[$doc:meta])* $name:ident[$($g:ident $(: $bound:path)?),*]($($arg:ident: $ty:ty),*) = $inner:expr;) => {
        $(#[$doc])*
        pub fn $name<$($g $(: $bound)?),*>(level: $crate::level::Level) -> unsafe fn($($ty),*)
        where $($g: 'static),*
        {
            unsafe fn baseline<$($g $(: $bound)?),*>($($arg: $ty),*) {
                // SAFETY: the caller keeps the contract of the inner function.
                unsafe { $inner($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx2<$($g $(: $bound)?),*>($($arg: $ty),*) {
                // SAFETY: the caller keeps the contract of the inner function.
                unsafe { $inner($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw,avx512cd")]
            unsafe fn avx512<$($g $(: $bound)?),*>($($arg: $ty),*) {
                // SAFETY: the caller keeps the contract of the inner function.
                unsafe { $inner($($arg),*) }
            }
            match level {
                #[cfg(target_arch = "x86_64")]
                $crate::level::Level::Avx512 => avx512::<$($g),*>,
                #[cfg(target_arch = "x86_64")]
                $crate::level::Level::Avx2 => avx2::<$($g),*>,
                _ => baseline::<$($g),*>,
            }
        }
    };
}
pub use levels;
