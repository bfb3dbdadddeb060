//! How a thread of a kernel stops before its end: it waits for others, or asks for something that is
//! not there.

use std::panic::Location;

/// What a coroutine is told when it goes on.
pub(super) enum Order {
    /// The threads that wait for their block's others may go on; the bits are the answer.
    Go([u64; 2]),
    /// There is nothing more to run.
    End,
}

/// Why a coroutine stopped.
pub(super) enum Stop {
    /// No thread of the block is left to begin.
    Idle,
    /// Its thread waits.
    Wait(Request),
}

/// What a thread waits for.
#[derive(Clone, Copy)]
pub(super) struct Request {
    /// The number of the thread in its block.
    pub(super) thread: usize,
    /// Where it waits.
    pub(super) site: &'static Location<'static>,
    pub(super) what: What,
}

#[derive(Clone, Copy)]
pub(super) enum What {
    /// All threads of the block; the answer is the number of those that vote yes.
    Barrier { vote: bool },
    /// The lanes of its warp that are at the same place; the answer is what lane `from` brings.
    Shuffle { value: [u64; 2], from: usize },
    /// The same lanes; the answer has a bit for each of them that votes yes.
    Ballot { vote: bool },
}

/// What ends a kernel that asks for something that is not there: a panic without the noise of one,
/// since it becomes the launch's error.
pub(super) struct Fault(pub(super) String);

impl Fault {
    #[cold]
    pub(super) fn raise(why: String) -> ! {
        std::panic::resume_unwind(Box::new(Fault(why)))
    }
}
