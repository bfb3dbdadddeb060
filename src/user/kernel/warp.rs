//! Operations of threads together: barriers, shuffles, votes, fences.

use super::engine::wait;
use super::memory::{from_bits, to_bits};
use super::stops::What;
use super::thread::{CONTEXT, WARP, lane_index};
use crate::dtype::Element;
use std::panic::Location;
use std::sync::atomic::{Ordering::SeqCst, fence};

/// Waits until every thread of the block is here; what they wrote before, all see afterwards.
///
/// Every thread of the block must come to the same barrier. On the processor a barrier that some
/// thread does not reach is found and ends the kernel with an error; on a GPU it is undefined.
///
/// CUDA's `__syncthreads`, Numba's `cuda.syncthreads`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn reversed(out: ArrayMut<u32, 1>) {
///     let tile = shared::<[u32; 4]>();
///     let t = thread_idx().x;
///     tile[t] = t as u32;
///     sync_threads(); // what all wrote, all see
///     out[t] = tile[3 - t];
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// reversed.launch(1, 4, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [3, 2, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn sync_threads() {
    wait(Location::caller(), What::Barrier { vote: false });
}

/// As [`sync_threads`]; gives the number of the block's threads for which `predicate` holds.
///
/// CUDA's `__syncthreads_count`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn votes(out: ArrayMut<u32, 1>) {
///     out[thread_idx().x] = sync_threads_count(thread_idx().x > 0) as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// votes.launch(1, 4, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [3, 3, 3, 3]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn sync_threads_count(predicate: bool) -> usize {
    let answer = wait(Location::caller(), What::Barrier { vote: predicate });
    answer.map_or(usize::from(predicate), |bits| bits[0] as usize)
}

/// As [`sync_threads`]; tells whether `predicate` holds for any of the block's threads.
///
/// CUDA's `__syncthreads_or`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn votes(out: ArrayMut<u32, 1>) {
///     out[thread_idx().x] = sync_threads_any(thread_idx().x == 2) as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// votes.launch(1, 4, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [1, 1, 1, 1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn sync_threads_any(predicate: bool) -> bool {
    sync_threads_count(predicate) > 0
}

/// As [`sync_threads`]; tells whether `predicate` holds for all of the block's threads.
///
/// CUDA's `__syncthreads_and`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn votes(out: ArrayMut<u32, 1>) {
///     out[thread_idx().x] = sync_threads_all(thread_idx().x == 2) as u32;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// votes.launch(1, 4, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0, 0, 0, 0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn sync_threads_all(predicate: bool) -> bool {
    sync_threads_count(!predicate) == 0
}

/// Waits until every active lane of the warp is here.
///
/// CUDA's `__syncwarp`, Numba's `cuda.syncwarp`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn reversed(out: ArrayMut<u32, 1>) {
///     let tile = shared::<[u32; 32]>();
///     let lane = lane_index();
///     tile[lane] = lane as u32;
///     sync_warp(); // one warp needs no barrier of the block
///     if lane < 3 {
///         out[lane] = tile[31 - lane];
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(3);
/// reversed.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [31, 30, 29]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn sync_warp() {
    wait(Location::caller(), What::Ballot { vote: false });
}

#[inline]
fn exchange<T: Element>(site: &'static Location<'static>, value: T, from: usize) -> T {
    let answer = wait(site, What::Shuffle { value: to_bits(value), from });
    answer.map_or(value, from_bits)
}

/// The value that lane `lane` (its lowest five bits) of the warp brings.
///
/// Lanes that are at the same call take part. What a lane that does not take part would bring is
/// undefined; on the processor the own value comes back.
///
/// CUDA's `__shfl_sync`, Numba's `cuda.shfl_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn shuffled(out: ArrayMut<u32, 1>) {
///     let value = shuffle(10 * lane_index() as u32, 5);
///     if lane_index() < 3 {
///         out[lane_index()] = value;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(3);
/// shuffled.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [50, 50, 50]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn shuffle<T: Element>(value: T, lane: u32) -> T {
    exchange(Location::caller(), value, lane as usize % WARP)
}

/// The value of the lane `by` above; the own value where there is none. See [`shuffle`].
///
/// CUDA's `__shfl_down_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn shuffled(out: ArrayMut<u32, 1>) {
///     let value = shuffle_down(lane_index() as u32, 2);
///     if lane_index() >= 28 {
///         out[lane_index() - 28] = value;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// shuffled.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [30, 31, 30, 31]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn shuffle_down<T: Element>(value: T, by: u32) -> T {
    let (lane, by) = (lane_index(), by as usize);
    exchange(Location::caller(), value, if by < WARP - lane { lane + by } else { lane })
}

/// The value of the lane `by` below; the own value where there is none. See [`shuffle`].
///
/// CUDA's `__shfl_up_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn shuffled(out: ArrayMut<u32, 1>) {
///     let value = shuffle_up(lane_index() as u32, 2);
///     if lane_index() < 4 {
///         out[lane_index()] = value;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// shuffled.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0, 1, 0, 1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn shuffle_up<T: Element>(value: T, by: u32) -> T {
    let (lane, by) = (lane_index(), by as usize);
    exchange(Location::caller(), value, if by <= lane { lane - by } else { lane })
}

/// The value of the lane whose number differs in the bits of `mask`. See [`shuffle`].
///
/// CUDA's `__shfl_xor_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn shuffled(out: ArrayMut<u32, 1>) {
///     let value = shuffle_xor(lane_index() as u32, 1);
///     if lane_index() < 4 {
///         out[lane_index()] = value;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// shuffled.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [1, 0, 3, 2]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn shuffle_xor<T: Element>(value: T, mask: u32) -> T {
    exchange(Location::caller(), value, lane_index() ^ (mask as usize % WARP))
}

/// A bit for each active lane of the warp, set where its `predicate` holds.
///
/// CUDA's `__ballot_sync`, Numba's `cuda.ballot_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn votes(out: ArrayMut<u32, 1>) {
///     let bits = ballot(lane_index() < 4);
///     if lane_index() == 0 {
///         out[0] = bits;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(1);
/// votes.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0b1111]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn ballot(predicate: bool) -> u32 {
    let answer = wait(Location::caller(), What::Ballot { vote: predicate });
    answer.map_or(u32::from(predicate), |bits| bits[0] as u32)
}

/// Whether `predicate` holds for any active lane of the warp.
///
/// CUDA's `__any_sync`, Numba's `cuda.any_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn votes(out: ArrayMut<u32, 1>) {
///     let answer = any(lane_index() == 7);
///     if lane_index() == 0 {
///         out[0] = answer as u32;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(1);
/// votes.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [1]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn any(predicate: bool) -> bool {
    ballot(predicate) != 0
}

/// Whether `predicate` holds for all active lanes of the warp.
///
/// CUDA's `__all_sync`, Numba's `cuda.all_sync`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn votes(out: ArrayMut<u32, 1>) {
///     let answer = all(lane_index() == 7);
///     if lane_index() == 0 {
///         out[0] = answer as u32;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(1);
/// votes.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [0]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn all(predicate: bool) -> bool {
    ballot(!predicate) == 0
}

/// A bit for each active lane of the warp: those that are at this call.
///
/// CUDA's `__activemask`, Numba's `cuda.activemask`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn masks(out: ArrayMut<u32, 1>) {
///     let bits = active_mask();
///     if lane_index() == 0 {
///         out[0] = bits;
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(1);
/// masks.launch(1, 32, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [u32::MAX]);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
#[inline]
pub fn active_mask() -> u32 {
    let answer = wait(Location::caller(), What::Ballot { vote: true });
    answer.map_or(1, |bits| bits[0] as u32)
}

/// What this thread wrote before, the whole device sees before what it writes afterwards.
///
/// CUDA's `__threadfence`, Numba's `cuda.threadfence`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn last(out: ArrayMut<u32, 1>) {
///     // The block that counts last sees what the others wrote.
///     out[block_idx().x] = 1;
///     thread_fence();
///     if out.atomic_add(2, 1) == 1 {
///         out[3] = out[0] + out[1];
///     }
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// last.launch(2, 1, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [1, 1, 2, 2]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn thread_fence() {
    fence(SeqCst);
}

/// As [`thread_fence`], for the threads of the block alone.
///
/// CUDA's `__threadfence_block`, Numba's `cuda.threadfence_block`.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn ordered(out: ArrayMut<u32, 1>) {
///     out[0] = 1;
///     thread_fence_block();
///     out[1] = 2;
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(2);
/// ordered.launch(1, 1, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn thread_fence_block() {
    CONTEXT.with(|_| fence(SeqCst));
}
