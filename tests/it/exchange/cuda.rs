//! cudarc's memory, in and out.

use crate::support::{MEMORY, devices};
use lazuli::Stream;
use lazuli::exchange::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use lazuli::exchange::dlpack::from_dlpack;
use lazuli::exchange::{RawParts, RawStream};
use lazuli::prelude::*;
use std::sync::Arc;

const LENGTH: usize = 1 << 20;

/// Runs a test on the first GPU, if there is one, with a stream of cudarc's that is not Lazuli's.
fn on_a_gpu(test: impl FnOnce(&Arc<CudaStream>)) {
    let _held = MEMORY.read();
    let Some(&gpu) = devices().get(1) else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    gpu.scope(|| test(&stream));
}

fn raw(stream: &CudaStream) -> RawStream {
    // SAFETY: the tests keep their streams, which are of the primary context.
    unsafe { RawStream::from_handle(stream.cu_stream().cast()) }
}

#[test]
fn slices_become_arrays_and_arrays_slices() {
    on_a_gpu(|stream| {
        let host: Vec<f64> = (0..LENGTH).map(|k| k as f64).collect();
        let slice = stream.clone_htod(&host).unwrap();
        let a = DeviceArray::from_cuda(slice, [1024, 1024]).unwrap();
        let before = lazuli::counters();
        let b = &a * 2.0 + 1.0;
        let slice = b.into_cuda(stream).unwrap();
        let after = lazuli::counters();
        assert_eq!(after.allocated - before.allocated, 8 * LENGTH as u64);
        let back = stream.clone_dtoh(&slice).unwrap();
        assert!(back.iter().zip(&host).all(|(b, a)| *b == a * 2.0 + 1.0));
    });
}

/// Over and over on two streams that wait for each other on the device alone.
#[test]
fn streams_are_ordered_there_and_back() {
    on_a_gpu(|stream| {
        let other = stream.context().new_stream().unwrap();
        let own = [Stream::new().unwrap(), Stream::new().unwrap()];
        let mut slice: CudaSlice<i64> = stream.clone_htod(&vec![1i64; LENGTH]).unwrap();
        for turn in 0..30 {
            let to = if turn % 2 == 0 { &other } else { stream };
            slice = own[turn / 2 % 2].scope(|| {
                let a = DeviceArray::from_cuda(slice, LENGTH).unwrap();
                ((&a * 3) & 0xffff).into_cuda(to).unwrap()
            });
            // Something to be too early for.
            stream.memset_zeros(&mut stream.alloc_zeros::<i64>(LENGTH).unwrap()).unwrap();
        }
        let wanted = (0..30).fold(1i64, |x, _| (x * 3) & 0xffff);
        assert!(stream.clone_dtoh(&slice).unwrap().iter().all(|&x| x == wanted));
    });
}

#[test]
fn shared_slices_and_views_are_read_in_place() {
    on_a_gpu(|stream| {
        let slice = Arc::new(stream.clone_htod(&(0..1000i32).collect::<Vec<_>>()).unwrap());
        let a = DeviceArray::from_cuda(slice.clone(), [10, 100]).unwrap();
        assert_eq!(a.sum(..).item().unwrap(), 499_500);
        // Views that begin at addresses of all kinds.
        for first in [0, 1, 2, 3, 5, 8, 63, 64, 65, 300] {
            let view = slice.slice(first..first + 600);
            // SAFETY: the slice is the owner, and nobody writes it.
            let a = unsafe { DeviceArray::from_cuda_view(&view, [20, 30], slice.clone()) }.unwrap();
            let wanted: Vec<i64> =
                (0..30).map(|c| (0..20).map(|r| first as i64 + r * 30 + c).sum()).collect();
            assert_eq!(a.sum(0).to_vec().unwrap(), wanted);
            let a = a.cast::<f64>();
            let product = a.t().matmul(&a).sum(..).item().unwrap();
            let wanted: f64 = (0..20)
                .map(|r| (0..30).map(|c| (first + r * 30 + c) as f64).sum::<f64>().powi(2))
                .sum();
            assert!((product - wanted).abs() <= wanted * 1e-12);
        }
        drop(a);
        assert_eq!(Arc::strong_count(&slice), 1);
    });
}

#[test]
fn lent_slices_are_read_by_others_before_they_are_written() {
    on_a_gpu(|stream| {
        for _ in 0..20 {
            let mut a = DeviceArray::<i64>::ones(LENGTH);
            a.eval().unwrap();
            let mut copy = stream.alloc_zeros::<i64>(LENGTH).unwrap();
            let lent = a.lend_cuda(stream).unwrap();
            stream.memcpy_dtod(&*lent, &mut copy).unwrap();
            drop(lent);
            a.assign(s![..], 5);
            a.eval().unwrap();
            drop(a);
            let again = DeviceArray::<i64>::full(LENGTH, 7);
            again.eval().unwrap();
            assert!(stream.clone_dtoh(&copy).unwrap().iter().all(|&x| x == 1));
        }
    });
}

#[test]
fn tensors_and_pointers_on_a_gpu_are_ordered_by_their_streams() {
    on_a_gpu(|stream| {
        for stream in
            [Some(raw(stream)), Some(RawStream::LEGACY), Some(RawStream::PER_THREAD), None]
        {
            let a = DeviceArray::<f32>::linspace(0.0, 1.0, LENGTH);
            let tensor = a.to_dlpack(stream).unwrap().into_raw();
            drop(a);
            // SAFETY: the tensor was made just now.
            let TypedArray::F32(b) = (unsafe { from_dlpack(tensor, stream) }).unwrap() else {
                panic!("another type")
            };
            let lent = b.lend(stream).unwrap();
            let mut parts = RawParts::new(b.device(), lent.as_ptr().wrapping_add(1), [1000, 2]);
            parts = stream.into_iter().fold(parts, RawParts::stream).strides(&[3, 500]);
            // SAFETY: the strides stay inside of what was lent.
            let c = unsafe { DeviceArray::<f32>::from_raw_parts(parts, lent) }.unwrap();
            let host = b.to_vec().unwrap();
            let wanted: Vec<f32> =
                (0..2000).map(|k| host[1 + k / 2 * 3 + k % 2 * 500] * 2.0).collect();
            assert_eq!((&c * 2.0).to_vec().unwrap(), wanted);
        }
    });
}

#[test]
fn what_does_not_fit_is_an_error() {
    let cpu = Device::cpu().scope(|| DeviceArray::<f32>::ones(3));
    on_a_gpu(|stream| {
        let slice = stream.clone_htod(&[1.0f32, 2.0, 3.0]).unwrap();
        let error = DeviceArray::from_cuda(slice, [2, 2]).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("3 elements"), "{error}");
        assert!(cpu.clone().into_cuda(stream).unwrap_err().is_device());
        assert!(cpu.lend_cuda(stream).unwrap_err().is_device());
        let host = [1.0f32; 4];
        let parts = RawParts::new(Device::current().unwrap(), host.as_ptr(), 4);
        // SAFETY: the memory is found to be the host's before anything reads it.
        let error = unsafe { DeviceArray::<f32>::from_raw_parts(parts, ()) }.unwrap_err();
        assert!(error.is_device() && error.to_string().contains("address"), "{error}");
        let empty = stream.null::<f32>().unwrap();
        let empty = DeviceArray::from_cuda(empty, [0, 2]).unwrap();
        assert_eq!(empty.into_cuda(stream).unwrap().len(), 0);
    });
}
