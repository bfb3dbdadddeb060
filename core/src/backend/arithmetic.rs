//! The arithmetic of kernels: exact, fast or strict.
//!
//! The arithmetic is a setting of the thread at evaluation. It is part of a plan's key and of
//! `Backend::compile`; nothing in a graph says it.
//!
//! - *Fast*: CUDA defines `LZ_FAST` for such kernels, and the prelude's quotients and roots of
//!   `f32` are then other instructions, spelled out, since NVRTC's flags for them changed nothing
//!   on one machine.
//! - *Strict*: `plan/one_order.rs` writes every sum in one order, kernels are compiled without
//!   contraction, and the processor's transforms and factorisations are one thread's.

use std::cell::Cell;

/// How kernels compute with floats.
///
/// | | a quotient, a root of `f32` | `a * b + c` on a GPU | a sum |
/// | --- | --- | --- | --- |
/// | `Exact` | the nearest number | rounded once or twice | in an order of the plan's |
/// | `Fast` | within 2 units in the last place on a GPU | rounded once or twice | in an order of the plan's and the devices' |
/// | `Strict` | the nearest number | rounded twice | in an order that its length decides |
///
/// Whatever the arithmetic, a program that runs again on the same device gives the same bits, and
/// whole numbers are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arithmetic {
    /// As IEEE 754 has it: quotients and roots are the nearest numbers there are. On a GPU a product
    /// that is added may keep the digits that rounding would take from it, and the order of a sum is
    /// that which is fastest for the array's layout and for what its kernel computes besides: two
    /// ways to evaluate one expression may differ in the last bits.
    #[default]
    Exact,
    /// By the GPU's approximations: a quotient is off by at most 2 units in the last place, a root
    /// or a reciprocal by 1, and subnormal numbers count as zero there, as arguments and as
    /// results. This holds for the `/` and the `sqrt` of users' functions as well, and for the
    /// roots that functions of `Complex<f32>` take; quotients of `Complex<f32>` are exact, and other
    /// functions keep the accuracy that they have. Triton's compiler divides so without being asked.
    ///
    /// A sum along the axis that is cut over several devices (`Mesh`) is that of each
    /// device's block, and then of the blocks: its last bits depend on the number of devices.
    Fast,
    /// One result for one expression: the same bits whether it is evaluated whole or in pieces, from
    /// whatever layout, by any number of threads. Of sums, differences, products, quotients and
    /// square roots, of what moves elements, of reductions, scans and products of matrices made of
    /// them, and of whole numbers, the bits are the same on every device, too. Other functions, and
    /// the libraries' Fourier transforms and factorisations, have one result on one device.
    ///
    /// Products are not contracted, and a reduction is a tree whose form depends on the number of its
    /// elements alone: sums and products, also those of `mean`, `var`, norms and matrix products,
    /// and users' `#[reduce]` functions. A sum of nothing but negative zeros is zero. The cost is
    /// speed: on an H200 elementwise work costs up to a quarter more, sums and scans two to four
    /// times, a product of matrices 21 times what they cost in `Exact` (benches/RESULTS.md); on the
    /// processor a Fourier transform or a factorisation is one thread's. `#[kernel]` functions and
    /// CUDA C++ of the program's own compute as they are written.
    Strict,
}

thread_local! {
    static ARITHMETIC: Cell<Arithmetic> = const { Cell::new(Arithmetic::Exact) };
}

impl Arithmetic {
    /// What evaluations in this thread are asked for.
    #[doc(hidden)]
    pub fn current() -> Arithmetic {
        ARITHMETIC.get()
    }
}

/// Runs `f` with expressions that are evaluated in it, in this thread, computed in the given
/// arithmetic.
///
/// [`Arithmetic::Fast`] makes a difference on a GPU, to kernels that are bound by divisions. The
/// processor divides exactly either way, and so do `f64`, library calls and `#[kernel]`.
/// [`Arithmetic::Strict`] makes results comparable bit by bit, across plans and devices.
///
/// **Laziness.** The arithmetic is that at evaluation, not at recording; a function under
/// `compile` has that of the call, and is recorded once for each. In a long run of
/// assignments to one array, which are evaluated one by one, it is that of
/// the moment.
///
/// # Example
/// ```
/// use lazuli::{Arithmetic, prelude::*, with_arithmetic};
/// let x = DeviceArray::<f32>::linspace(1.0, 2.0, 1000);
/// let mean = with_arithmetic(Arithmetic::Fast, || (1.0 / &x).mean(..).item())?;
/// assert!((mean - 2f32.ln()).abs() < 1e-3);
/// let whole = with_arithmetic(Arithmetic::Strict, || x.sum(..).item())?;
/// let rows = with_arithmetic(Arithmetic::Strict, || x.reshape([1000, 1]).t().sum(1).item())?;
/// assert_eq!(whole.to_bits(), rows.to_bits());
/// # Ok::<(), Error>(())
/// ```
pub fn with_arithmetic<R>(arithmetic: Arithmetic, f: impl FnOnce() -> R) -> R {
    struct Restore(Arithmetic);
    impl Drop for Restore {
        fn drop(&mut self) {
            ARITHMETIC.set(self.0);
        }
    }
    let _restore = Restore(ARITHMETIC.replace(arithmetic));
    f()
}
