//! Whether a thread records a function, and who asks for data meanwhile.

use crate::graph::{Arg, Node, NodeOp};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, ThreadId};

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is recording a function to be run again and again.
pub(crate) fn is_recording() -> bool {
    RECORDING.get()
}

/// Runs a function whose expressions are recorded as a whole, however deep they are.
pub(crate) fn while_recording<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            RECORDING.set(self.0);
        }
    }
    let _restore = Restore(RECORDING.replace(true));
    f()
}

/// A function that is recorded on stand-ins for its arguments, watched for who asks for the data
/// of these: what was computed from it on the host cannot be replayed.
pub(crate) struct Watch {
    thread: ThreadId,
    stand_ins: Vec<Arc<Node>>,
    saw_data: AtomicBool,
}

/// What is watched in all threads: a function may hand its arguments to other threads.
static WATCHES: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());
/// How many there are. An evaluation asks for no more than this where there are none.
static WATCHED: AtomicUsize = AtomicUsize::new(0);

/// Records a function and all that becomes of it, and watches the stand-ins meanwhile.
pub(crate) fn while_watched<R>(stand_ins: &[Arc<Node>], f: impl FnOnce(&Watch) -> R) -> R {
    struct Watching(Arc<Watch>);
    impl Drop for Watching {
        fn drop(&mut self) {
            let mut watches = WATCHES.lock();
            watches.retain(|watch| !Arc::ptr_eq(watch, &self.0));
            WATCHED.store(watches.len(), Relaxed);
        }
    }
    let watch = Arc::new(Watch {
        thread: thread::current().id(),
        stand_ins: stand_ins.to_vec(),
        saw_data: AtomicBool::new(false),
    });
    let watching = Watching(watch.clone());
    {
        let mut watches = WATCHES.lock();
        watches.push(watch);
        WATCHED.store(watches.len(), Relaxed);
    }
    while_recording(|| f(&watching.0))
}

/// Tells the recordings under way that somebody asks for the data of nodes. Every way to data
/// begins here, whether there is some by now and whether what follows fails or not.
#[inline(always)]
pub(crate) fn ask(nodes: &[Arc<Node>]) {
    // Who has a stand-in got it after the number rose, so that the order does not matter.
    if WATCHED.load(Relaxed) > 0 {
        tell(nodes);
    }
}

#[cold]
fn tell(nodes: &[Arc<Node>]) {
    let here = thread::current().id();
    let watches = WATCHES.lock().clone();
    for watch in watches.iter().filter(|watch| !watch.saw_data()) {
        // What the function computes now, it might compute from other values next time, be it
        // with its arguments or not. To read what it captured changes nothing.
        let computes = watch.thread == here && nodes.iter().any(|node| !node.is_evaluated());
        if computes || watch.is_below(nodes) {
            watch.saw_data.store(true, Relaxed);
        }
    }
}

/// Tells the recording under way in this thread that it ran a kernel, which writes whatever it
/// likes.
pub(super) fn tell_of_launch() {
    if let Some(watch) = own() {
        watch.saw_data.store(true, Relaxed);
    }
}

/// Whether the recording under way in this thread will come to nothing, since data was seen.
pub(crate) fn is_in_vain() -> bool {
    own().is_some_and(|watch| watch.saw_data())
}

/// Whether this thread records a compiled function, whose numbers are others at the next call.
pub(super) fn is_compiled() -> bool {
    own().is_some()
}

/// What watches this thread, which records one function at a time.
fn own() -> Option<Arc<Watch>> {
    if !is_recording() {
        return None;
    }
    let here = thread::current().id();
    WATCHES.lock().iter().find(|watch| watch.thread == here).cloned()
}

impl Watch {
    /// Whether somebody asked for the data of the arguments, or the function computed something.
    pub(crate) fn saw_data(&self) -> bool {
        self.saw_data.load(Relaxed)
    }

    /// Whether nodes stand on a stand-in.
    fn is_below(&self, nodes: &[Arc<Node>]) -> bool {
        let stand_ins: FxHashSet<*const Node> = self.stand_ins.iter().map(Arc::as_ptr).collect();
        let mut met: FxHashSet<*const Node> = FxHashSet::default();
        let mut waiting = nodes.to_vec();
        while let Some(node) = waiting.pop() {
            if stand_ins.contains(&Arc::as_ptr(&node)) {
                return true;
            }
            if !met.insert(Arc::as_ptr(&node)) {
                continue;
            }
            waiting.extend(node.state().args.iter().filter_map(|arg| match arg {
                Arg::Node(arg) => Some(arg.clone()),
                Arg::Scalar(_) => None,
            }));
        }
        false
    }
}

/// Which output of a library call a node is, if it is one.
pub(super) fn part(node: &Arc<Node>) -> Option<u8> {
    let mut node = node.clone();
    loop {
        let next = match (&node.op, node.state().args.first()) {
            (NodeOp::Part(k), _) => return Some(*k),
            (NodeOp::Reshape, Some(Arg::Node(next))) => next.clone(),
            _ => return None,
        };
        node = next;
    }
}
