//! The launch of a kernel: arguments are evaluated and bound, sizes checked, and the threads run,
//! on the device where the arrays are.

use super::cuda;
use super::dims::Dim3;
use super::engine::{self, Failure};
use super::options::{Checks, KernelInfo, LaunchOptions, Sizes};
use super::param::{Bound, Nodes, Params};
use super::shared::{Block, MOST_SHARED};
use super::stops::Fault;
use crate::backend::{Device, trace};
use crate::error::{Error, Result};
use crate::eval::{count_launch, evaluate};
use crate::user::code::Describe;
use smallvec::SmallVec;
use std::panic::Location;

/// Launches: what `kernel.launch(grid, block, (…))` expands to.
#[doc(hidden)]
#[track_caller]
pub fn launch<P: Params>(
    info: &'static KernelInfo,
    options: LaunchOptions,
    grid: Dim3,
    block: Dim3,
    args: P::Args<'_>,
    body: impl for<'b, 'k> Fn(Block<'b>, P::Seen<'k>) + Sync,
    describe: fn(&mut Describe),
) -> Result<()> {
    let sizes = Sizes { grid, block, options, checks: Checks::On };
    // SAFETY: indices are checked.
    unsafe { start::<P>(info, sizes, args, body, describe) }
}

/// Launches without checks on a GPU.
///
/// # Safety
/// Every index of every thread is inside its array.
#[doc(hidden)]
#[track_caller]
pub unsafe fn launch_unchecked<P: Params>(
    info: &'static KernelInfo,
    options: LaunchOptions,
    grid: Dim3,
    block: Dim3,
    args: P::Args<'_>,
    body: impl for<'b, 'k> Fn(Block<'b>, P::Seen<'k>) + Sync,
    describe: fn(&mut Describe),
) -> Result<()> {
    let sizes = Sizes { grid, block, options, checks: Checks::Off };
    // SAFETY: as the caller says.
    unsafe { start::<P>(info, sizes, args, body, describe) }
}

/// # Safety
/// Indices are checked, or every one is inside its array.
#[track_caller]
unsafe fn start<P: Params>(
    info: &'static KernelInfo,
    sizes: Sizes,
    args: P::Args<'_>,
    body: impl for<'b, 'k> Fn(Block<'b>, P::Seen<'k>) + Sync,
    describe: fn(&mut Describe),
) -> Result<()> {
    let line = Location::caller();
    let run = || {
        sizes.check(info)?;
        let mut nodes = Nodes(SmallVec::new());
        P::gather(&args, &mut nodes);
        evaluate(&nodes.0)?;
        drop(nodes);
        let mut bound = Bound::new(info);
        P::bind(args, &mut bound)?;
        let device = bound.device.map_or_else(Device::current, Ok)?;
        sizes.check_shared(info, device)?;
        #[cfg(all(test, feature = "cuda"))]
        if super::tests::is_emulating() {
            return super::tests::emulate(&sizes, &bound, describe);
        }
        if device.is_cuda() {
            // SAFETY: as the caller says.
            unsafe { cuda::launch(device, &sizes, &bound, (describe, line))? };
        } else {
            // SAFETY: `P::bind` bound the parameters, on the processor, as no other device is left
            // here. What they write, `data_mut` made their own, and `args` borrowed it for the
            // launch; `bound` holds the memory until all threads have ended.
            let params = unsafe { P::get(&bound) };
            let _span = trace::user_kernel(device, info.name, line);
            on_processor(&sizes, &|block: Block<'_>| body(block, params))
                .map_err(|why| explain(why, info, &bound))?;
        }
        count_launch();
        Ok(())
    };
    crate::array::located(run())
}

fn on_processor(sizes: &Sizes, body: &(impl Fn(Block<'_>) + Sync)) -> Result<(), Failure> {
    let Sizes { grid, block, options, .. } = *sizes;
    engine::run(engine::Shape { grid, block, dynamic: options.shared }, body)
}

impl Sizes {
    fn check(&self, info: &KernelInfo) -> Result<()> {
        let (grid, block, name) = (self.grid, self.block, info.name);
        let fail = |why: String| Err(Error::shape(format!("{name}: {why}")));
        if grid.count() == 0 || block.count() == 0 {
            return fail(format!(
                "a grid of {grid} blocks of {block} threads has no threads; every number must be \
                 at least 1"
            ));
        }
        if block.count() > 1024 {
            return fail(format!(
                "a block of {block} threads has {} of them, and at most 1024 are allowed",
                block.count()
            ));
        }
        if block.z > 64 {
            return fail(format!("a block of {block} threads: at most 64 are allowed along z"));
        }
        let most = Dim3::new(i32::MAX as usize, 65535, 65535);
        if grid.x > most.x || grid.y > most.y || grid.z > most.z {
            return fail(format!("a grid of {grid} blocks: at most {most} are allowed"));
        }
        Ok(())
    }

    fn check_shared(&self, info: &KernelInfo, device: Device) -> Result<()> {
        let most = match device.is_cuda() {
            true => device.backend().shared_capacity(),
            false => MOST_SHARED,
        };
        let wanted = self.options.shared;
        if wanted <= most {
            return Ok(());
        }
        Err(Error::shape(format!(
            "{}: {wanted} bytes of dynamic shared memory, and a block has at most {most} on {device}",
            info.name
        )))
    }
}

/// Why a kernel ended early, as an error.
fn explain(failure: Failure, info: &KernelInfo, bound: &Bound) -> Error {
    let name = info.name;
    match failure {
        Failure::Panic { caught, thread, block } => {
            let place = format!("in thread {thread} of block {block}");
            if let Some(Fault(why)) = caught.payload.downcast_ref() {
                return Error::shape(format!("{name}: {why}, {place}"));
            }
            Error::panic(name, format!("{}, {place}", caught.text())).for_element("")
        }
        Failure::Stuck { why, block } => {
            Error::device(format!("{name}: block {block} cannot go on: {why}"))
        }
        Failure::Stack(why) => {
            let bytes = bound.bytes();
            Error::out_of_memory(format!(
                "{name}: no stack for a thread of the block ({why}; its arrays have {bytes} bytes)"
            ))
        }
    }
}
