//! Kernels with scans: the one rule that they keep to.
//!
//! A kernel with an [`Inst::Scan`] has a single Reduce axis, along which all its scans run, and a
//! single sweep over it: no reduction over R, no resident row, no scan of what a scan gave, and
//! every store covers R. So a sweep falls into three parts, which any number of threads can do for
//! a piece of R as long as they learn what all pieces before it combine to:
//!
//! 1. what the scans take (their arguments, and what those need),
//! 2. the scans of the piece, begun with what lies before it,
//! 3. what is made of the scans, and the stores.
//!
//! The grouping (`plan/group.rs`) makes such kernels, [`verify`] checks them, and a backend relies
//! on it. A scan that runs backwards is one that runs forwards in a kernel whose R is turned
//! around (`plan/emit.rs`).
//!
//! A thread that has a piece combines it by itself, learns what lies before it, and scans it from
//! there. On a GPU each tile of a long row has a block, and the blocks combine what lies before
//! them in a tree of fixed shape (`cuda/render/scan_rows.rs`); down few columns each thread of a
//! block has a piece (`scan_columns.rs`); on the processor a thread takes the next chunk and waits
//! for what the chunk before it hands on (`cpu/scan.rs`). None of them depends on who finishes
//! first, so results are the same bits on every run.
//!
//! A scan is by a reduction of the table or by a user's function (`ScanBy`), whose state may have
//! several components, as a fold's may. Both go the same way. They differ in how a piece is
//! scanned, since a user's function on the processor takes whole tiles (`cpu/user_scan.rs`), and in
//! how many positions of a thread fit into registers (`cuda/render/scan_schedule.rs`).

use super::{AxisKind, AxisSet, Inst, Kernel, Val};

impl Kernel {
    /// The scans.
    pub fn scans(&self) -> Vec<Val> {
        let all = (0..self.values.len() as u32).map(Val);
        all.filter(|&v| matches!(self.value(v).inst, Inst::Scan { .. })).collect()
    }

    /// Whether there are scans.
    pub fn has_scans(&self) -> bool {
        self.values.iter().any(|v| matches!(v.inst, Inst::Scan { .. }))
    }

    /// For each value, whether it depends on a scan or is one.
    pub fn after_scans(&self) -> Vec<bool> {
        let mut after = vec![false; self.values.len()];
        for (k, value) in self.values.iter().enumerate() {
            let mut any = matches!(value.inst, Inst::Scan { .. });
            value.inst.for_each_arg(|v| any |= after[v.at()]);
            after[k] = any;
        }
        after
    }

    /// The axes of a scan: all that are no loop inside an expression.
    pub fn scan_axes(&self) -> AxisSet {
        self.axes_of(AxisKind::Parallel).union(self.axes_of(AxisKind::Reduce))
    }
}

/// Says how a kernel breaks the rule above, if it does.
#[cfg(any(test, debug_assertions))]
pub fn verify(kernel: &Kernel) -> Result<(), String> {
    if !kernel.has_scans() {
        return Ok(());
    }
    let reduce = kernel.axes_of(AxisKind::Reduce);
    if reduce.len() != 1 {
        return Err(format!("a scan among the Reduce axes {reduce:?}"));
    }
    let after = kernel.after_scans();
    for value in &kernel.values {
        match &value.inst {
            Inst::Scan { args, axes, .. } => {
                if *axes != reduce || value.axes != kernel.scan_axes() {
                    return Err(format!("a scan over {axes:?} that depends on {:?}", value.axes));
                }
                if args.iter().any(|arg| after[arg.at()]) {
                    return Err("a scan of what a scan gave".into());
                }
            }
            inst if inst.reduced() == Some(reduce) => {
                return Err("a scan beside a reduction over R".into());
            }
            Inst::Row(_) => return Err("a scan beside a resident row".into()),
            _ => {}
        }
    }
    let covers = |index| reduce.is_subset(kernel.index_axes(index));
    if !kernel.stores.iter().all(|s| covers(&s.index)) {
        return Err("a store beside a scan that does not cover R".into());
    }
    Ok(())
}
