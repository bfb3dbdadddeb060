//! Differential equations: ensembles whose members take steps of their own, with [`ode`](lazuli::ode),
//! picture by picture.
//!
//! [`ode::solve`](lazuli::ode::solve()) is SciPy's `solve_ivp` for many members at once, with its
//! methods, tolerances and dense output. The state is an array, a tuple, a list or a vector of arrays
//! over the members, in `f32` or `f64`, and the right-hand side a closure of arrays, which is recorded
//! once. A solution is recorded as well: asking for values computes it. Loops of fixed steps, and loops
//! of one's own, are on the page about [loops](lazuli::guide::loops); the
//! [gallery](lazuli::guide::gallery) has a pendulum above magnets.
//!
//! The pictures are those of the example `guides`, of any size:
//!
//! ```sh
//! cargo run --release --example guides -- --page ode_ensembles --size 480 --out /tmp/guides
//! ```
//!
// Only documentation has the pictures: who changes them need not build the library anew.
#![cfg_attr(doc, doc = include_str!("ode_ensembles.md"))]
#![cfg_attr(doc, doc = include_str!("pictures/ode_ensembles.md"))]
