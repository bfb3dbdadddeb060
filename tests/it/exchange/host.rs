//! Memory of the host, in and out.

use super::producer::{Noted, Returned, Sample, for_every_type};
use lazuli::exchange::RawParts;
use lazuli::prelude::*;
use ndarray::{ArcArray, Array, Array2, ArrayD, ArrayView1, Axis, IxDyn};
use std::sync::Arc;

fn bits<T: Sample>(values: impl IntoIterator<Item = T>) -> Vec<Vec<u8>> {
    values.into_iter().map(T::bits).collect()
}

/// Arrays of all layouts that ndarray has: what it iterates over is the oracle.
fn layouts<T: Sample>() -> Vec<ArrayD<T>> {
    let base =
        || Array::from_shape_fn(IxDyn(&[3, 4, 2]), |at| T::sample(at[0] * 8 + at[1] * 2 + at[2]));
    let sliced = |by: s_info!()| base().slice_move(by).into_dyn();
    vec![
        base(),
        base().reversed_axes(),
        base().permuted_axes(IxDyn(&[1, 2, 0])),
        sliced(s![..;-1, .., ..]),
        sliced(s![1.., ..;-2, ..]),
        sliced(s![.., .., 1..]),
        base().index_axis_move(Axis(1), 2),
        base().insert_axis(Axis(1)),
        Array::from_elem(IxDyn(&[]), T::sample(7)),
        Array::from_elem(IxDyn(&[0, 3]), T::sample(7)),
    ]
}

macro_rules! s_info {
    () => {
        ndarray::SliceInfo<[ndarray::SliceInfoElem; 3], ndarray::Ix3, ndarray::Ix3>
    };
}
use s_info;

fn adopts<T: Sample>() {
    for host in layouts::<T>() {
        let wanted = bits(host.iter().copied());
        // SAFETY: the array outlives what is made of its view.
        let seen = unsafe { DeviceArray::adopt_view(&host) }.unwrap().to_vec().unwrap();
        assert_eq!(bits(seen), wanted);
        let shared: ArcArray<T, IxDyn> = host.clone().into_shared();
        let shared = DeviceArray::adopt(shared).unwrap();
        assert_eq!((shared.shape(), shared.device()), (host.shape(), Device::cpu()));
        assert_eq!(bits(shared.to_vec().unwrap()), wanted);
        assert_eq!(bits(DeviceArray::adopt(host).unwrap().to_vec().unwrap()), wanted);
    }
    let values: Vec<T> = (0..9).map(T::sample).collect();
    let wanted = bits(values.clone());
    let boxed = values.clone().into_boxed_slice();
    let arrays = [
        DeviceArray::adopt(boxed),
        DeviceArray::adopt(Arc::<[T]>::from(&values[..])),
        DeviceArray::adopt(Arc::new(values.clone())),
        DeviceArray::adopt(&*values.clone().leak()),
        DeviceArray::adopt(ArrayView1::from(&*values.clone().leak())),
        DeviceArray::adopt(values),
    ];
    for array in arrays {
        assert_eq!(bits(array.unwrap().to_vec().unwrap()), wanted);
    }
}

#[test]
fn memory_of_every_kind_type_and_layout_is_read() {
    for_every_type!(T => adopts::<T>());
}

#[test]
fn c_order_is_the_data_itself_and_goes_with_the_array() {
    let shared = Arc::new(vec![1.0f64, 2.0, 3.0]);
    let a = DeviceArray::adopt(shared.clone()).unwrap();
    assert_eq!(Arc::strong_count(&shared), 2);
    let lent = a.lend(None).unwrap();
    assert_eq!(lent.as_ptr(), shared.as_ptr());
    assert_eq!(lent.as_slice().unwrap(), [1.0, 2.0, 3.0]);
    drop(a);
    assert_eq!(Arc::strong_count(&shared), 2, "it is lent still");
    drop(lent);
    assert_eq!(Arc::strong_count(&shared), 1);
}

#[test]
fn writers_of_shared_arrays_copy_first() {
    let mut shared = Array2::from_elem((2, 2), 1i32).into_shared();
    let a = DeviceArray::adopt(shared.clone()).unwrap();
    shared[[0, 0]] = 9;
    assert_eq!(a.sum(..).item().unwrap(), 4);
}

#[test]
fn lent_data_stays_as_it_is() {
    Device::cpu().scope(|| {
        let mut a = DeviceArray::<i64>::arange_to(6).reshape([2, 3]);
        let lent = a.lend(None).unwrap();
        a.assign(s![0, ..], 0);
        a.eval().unwrap();
        assert_eq!(lent.view().unwrap(), ndarray::arr2(&[[0, 1, 2], [3, 4, 5]]).into_dyn());
        assert_eq!(a.sum(..).item().unwrap(), 12);
        let empty = DeviceArray::<f32>::zeros([0, 2]).lend(None).unwrap();
        assert_eq!((empty.shape(), empty.as_slice().unwrap().len()), (&[0, 2][..], 0));
        assert_eq!(empty.view().unwrap().shape(), [0, 2]);
    });
}

#[test]
fn data_on_a_gpu_is_no_slice_of_the_hosts() {
    if let Ok(gpu) = Device::cuda(0) {
        let lent = gpu.scope(|| DeviceArray::<f32>::ones(3)).lend(None).unwrap();
        assert!(lent.as_slice().is_err_and(|error| error.is_device()));
    }
}

#[test]
fn owners_of_pointers_are_dropped_once() {
    let returned = Returned::default();
    let values: Vec<i32> = (0..10).collect();
    let parts = RawParts::new(Device::cpu(), &values[8], [2, 3]).strides(&[-3, -2]);
    let owner = (Noted(returned.clone()), values);
    // SAFETY: the strides stay inside of the vector.
    let a = unsafe { DeviceArray::<i32>::from_raw_parts(parts, owner) }.unwrap();
    let b = a.clone();
    assert_eq!(a.sum(..).item().unwrap(), 27);
    drop(a);
    assert_eq!(returned.count(), 0);
    // Copied for the host, the array has its data and needs the owner no longer.
    assert_eq!(b.to_vec().unwrap(), [8, 6, 4, 5, 3, 1]);
    assert_eq!(returned.count(), 1);
    drop(b);
    assert_eq!(returned.count(), 1);
}
