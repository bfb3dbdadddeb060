//! Tensors for another library.

use super::producer::{Sample, for_every_type};
use crate::support::on_each_device;
use lazuli::exchange::dlpack::{
    DLDataType, DLDevice, DLManagedTensorVersioned, DLTensor, from_dlpack,
};
use lazuli::prelude::*;

/// What a tensor says of itself, and the numbers that it points to.
fn numbers(tensor: &DLTensor) -> (Vec<i64>, Vec<i64>) {
    let rank = tensor.ndim as usize;
    // SAFETY: the tensor has so many axes, and exported ones have strides.
    unsafe {
        (
            std::slice::from_raw_parts(tensor.shape, rank).to_vec(),
            std::slice::from_raw_parts(tensor.strides, rank).to_vec(),
        )
    }
}

fn says_what_it_is<T: Sample>(device: Device) {
    let values: Vec<T> = (0..12).map(T::sample).collect();
    let a = DeviceArray::from_vec([3, 4], values.clone()).unwrap();
    let tensor = a.to_dlpack(None).unwrap();
    let t = tensor.tensor();
    assert_eq!(t.dtype.dtype(), Some(T::DTYPE));
    assert_eq!(t.device.device_type, if device.is_cuda() { DLDevice::CUDA } else { DLDevice::CPU });
    assert_eq!(numbers(t), (vec![3, 4], vec![4, 1]));
    assert_eq!(t.byte_offset, 0);
    // There and back, by either structure, nothing is copied.
    let address = t.data;
    // SAFETY: the tensors are made here, and taken once.
    let back = unsafe {
        let back = from_dlpack(tensor.into_raw(), None).unwrap();
        let tensor = (&back as &dyn AnyArray).typed_as::<T>().to_dlpack(None).unwrap();
        assert_eq!(tensor.tensor().data, address);
        DeviceArray::<T>::from_dlpack(tensor.into_raw_unversioned(), None).unwrap()
    };
    let bits = |values: Vec<T>| values.into_iter().map(T::bits).collect::<Vec<_>>();
    assert_eq!(bits(back.to_vec().unwrap()), bits(values));
}

#[test]
fn every_type_says_what_it_is_and_comes_back() {
    on_each_device(|device| for_every_type!(T => says_what_it_is::<T>(device)));
}

#[test]
fn types_have_the_numbers_of_the_standard() {
    let of = |dtype: DType| {
        let DLDataType { code, bits, lanes } = dtype.into();
        (code, bits, lanes)
    };
    assert_eq!(of(DType::Bool), (6, 8, 1));
    assert_eq!(of(DType::I16), (0, 16, 1));
    assert_eq!(of(DType::U64), (1, 64, 1));
    assert_eq!(of(DType::F16), (2, 16, 1));
    assert_eq!(of(DType::BF16), (4, 16, 1));
    assert_eq!(of(DType::F64), (2, 64, 1));
    assert_eq!(of(DType::C64), (5, 64, 1));
    assert_eq!(of(DType::C128), (5, 128, 1));
    // As the C header lays the structures out, on machines with pointers of 64 bits.
    assert_eq!((size_of::<DLTensor>(), size_of::<DLManagedTensorVersioned>()), (48, 80));
    assert_eq!(std::mem::offset_of!(DLManagedTensorVersioned, dl_tensor), 32);
    assert_eq!(std::mem::offset_of!(DLTensor, shape), 24);
}

#[test]
fn the_data_outlives_the_array_and_is_not_written_meanwhile() {
    on_each_device(|_| {
        let mut a = DeviceArray::<f64>::linspace(0.0, 7.0, 8);
        a.eval().unwrap();
        let tensor = a.to_dlpack(None).unwrap();
        assert_eq!(tensor.flags(), DLManagedTensorVersioned::READ_ONLY);
        a.assign(s![2..4], -1.0);
        a.eval().unwrap();
        // SAFETY: the tensor was made above.
        let b = unsafe { DeviceArray::<f64>::from_dlpack(tensor.into_raw(), None) }.unwrap();
        assert_eq!(b.to_vec().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(a.to_vec().unwrap(), [0.0, 1.0, -1.0, -1.0, 4.0, 5.0, 6.0, 7.0]);
        drop(a);
        assert_eq!(b.sum(..).item().unwrap(), 28.0);
    });
}

#[test]
fn what_is_given_away_is_nobody_elses() {
    on_each_device(|device| {
        let array = || {
            let a = DeviceArray::<i32>::arange_to(6).reshape([2, 3]);
            a.eval().unwrap();
            a
        };
        let (copied, own) = (DLManagedTensorVersioned::IS_COPIED, 0);
        assert_eq!(array().into_dlpack(None).unwrap().flags(), own);
        let a = array();
        let clone = a.clone();
        assert_eq!(a.into_dlpack(None).unwrap().flags(), copied);
        let a = array();
        let waits = &a + 1;
        assert_eq!(a.into_dlpack(None).unwrap().flags(), copied);
        assert_eq!(waits.sum(..).item().unwrap(), 21);
        assert_eq!(clone.sum(..).item().unwrap(), 15);
        if !device.is_cuda() {
            let tensor = array().into_dlpack(None).unwrap();
            // SAFETY: the consumer of what was given away may write it.
            unsafe { *tensor.tensor().data.cast::<i32>() = 40 };
            // SAFETY: the tensor was made above.
            let back = unsafe { DeviceArray::<i32>::from_dlpack(tensor.into_raw(), None) };
            assert_eq!(back.unwrap().sum(..).item().unwrap(), 55);
        }
    });
}

#[test]
fn arrays_without_axes_or_elements_go_out() {
    on_each_device(|_| {
        let scalar = (DeviceArray::<f32>::ones(4).sum(..)).to_dlpack(None).unwrap();
        assert_eq!((scalar.tensor().ndim, numbers(scalar.tensor())), (0, (vec![], vec![])));
        // SAFETY: the tensors are made here.
        unsafe {
            let scalar = DeviceArray::<f32>::from_dlpack(scalar.into_raw(), None).unwrap();
            assert_eq!(scalar.item().unwrap(), 4.0);
            let empty = DeviceArray::<f32>::zeros([2, 0]).to_dlpack(None).unwrap();
            let empty = DeviceArray::<f32>::from_dlpack(empty.into_raw(), None).unwrap();
            assert_eq!((empty.shape(), empty.to_vec().unwrap()), (&[2, 0][..], vec![]));
        }
    });
}

#[test]
fn tensors_go_back_from_any_thread() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::ones(1000).cumsum(0);
        let tensor = a.to_dlpack(None).unwrap();
        drop(a);
        std::thread::spawn(move || {
            let tensor = tensor.into_raw();
            // SAFETY: the tensor was handed over, and goes back once.
            unsafe { (*tensor).deleter.unwrap()(tensor) };
        })
        .join()
        .unwrap();
    });
}
