//! Operations of threads together: barriers, shuffles, votes, fences.

use super::engine::{What, wait};
use super::memory::{from_bits, to_bits};
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
#[track_caller]
#[inline]
pub fn sync_threads() {
    wait(Location::caller(), What::Barrier { vote: false });
}

/// As [`sync_threads`]; gives the number of the block's threads for which `predicate` holds.
///
/// CUDA's `__syncthreads_count`.
#[track_caller]
#[inline]
pub fn sync_threads_count(predicate: bool) -> usize {
    let answer = wait(Location::caller(), What::Barrier { vote: predicate });
    answer.map_or(usize::from(predicate), |bits| bits[0] as usize)
}

/// As [`sync_threads`]; tells whether `predicate` holds for any of the block's threads.
///
/// CUDA's `__syncthreads_or`.
#[track_caller]
#[inline]
pub fn sync_threads_any(predicate: bool) -> bool {
    sync_threads_count(predicate) > 0
}

/// As [`sync_threads`]; tells whether `predicate` holds for all of the block's threads.
///
/// CUDA's `__syncthreads_and`.
#[track_caller]
#[inline]
pub fn sync_threads_all(predicate: bool) -> bool {
    sync_threads_count(!predicate) == 0
}

/// Waits until every active lane of the warp is here.
///
/// CUDA's `__syncwarp`, Numba's `cuda.syncwarp`.
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
#[track_caller]
#[inline]
pub fn shuffle<T: Element>(value: T, lane: u32) -> T {
    exchange(Location::caller(), value, lane as usize % WARP)
}

/// The value of the lane `by` above; the own value where there is none. See [`shuffle`].
///
/// CUDA's `__shfl_down_sync`.
#[track_caller]
#[inline]
pub fn shuffle_down<T: Element>(value: T, by: u32) -> T {
    let (lane, by) = (lane_index(), by as usize);
    exchange(Location::caller(), value, if by < WARP - lane { lane + by } else { lane })
}

/// The value of the lane `by` below; the own value where there is none. See [`shuffle`].
///
/// CUDA's `__shfl_up_sync`.
#[track_caller]
#[inline]
pub fn shuffle_up<T: Element>(value: T, by: u32) -> T {
    let (lane, by) = (lane_index(), by as usize);
    exchange(Location::caller(), value, if by <= lane { lane - by } else { lane })
}

/// The value of the lane whose number differs in the bits of `mask`. See [`shuffle`].
///
/// CUDA's `__shfl_xor_sync`.
#[track_caller]
#[inline]
pub fn shuffle_xor<T: Element>(value: T, mask: u32) -> T {
    exchange(Location::caller(), value, lane_index() ^ (mask as usize % WARP))
}

/// A bit for each active lane of the warp, set where its `predicate` holds.
///
/// CUDA's `__ballot_sync`, Numba's `cuda.ballot_sync`.
#[track_caller]
#[inline]
pub fn ballot(predicate: bool) -> u32 {
    let answer = wait(Location::caller(), What::Ballot { vote: predicate });
    answer.map_or(u32::from(predicate), |bits| bits[0] as u32)
}

/// Whether `predicate` holds for any active lane of the warp.
///
/// CUDA's `__any_sync`, Numba's `cuda.any_sync`.
#[track_caller]
#[inline]
pub fn any(predicate: bool) -> bool {
    ballot(predicate) != 0
}

/// Whether `predicate` holds for all active lanes of the warp.
///
/// CUDA's `__all_sync`, Numba's `cuda.all_sync`.
#[track_caller]
#[inline]
pub fn all(predicate: bool) -> bool {
    ballot(!predicate) == 0
}

/// A bit for each active lane of the warp: those that are at this call.
///
/// CUDA's `__activemask`, Numba's `cuda.activemask`.
#[track_caller]
#[inline]
pub fn active_mask() -> u32 {
    let answer = wait(Location::caller(), What::Ballot { vote: true });
    answer.map_or(1, |bits| bits[0] as u32)
}

/// What this thread wrote before, the whole device sees before what it writes afterwards.
///
/// CUDA's `__threadfence`, Numba's `cuda.threadfence`.
#[inline]
pub fn thread_fence() {
    fence(SeqCst);
}

/// As [`thread_fence`], for the threads of the block alone.
///
/// CUDA's `__threadfence_block`, Numba's `cuda.threadfence_block`.
#[inline]
pub fn thread_fence_block() {
    CONTEXT.with(|_| fence(SeqCst));
}
