//! Tensors that cannot be taken: an error that says why, and the tensor goes back once.

use super::producer::{Layout, Noted, Returned, STRUCTURES, Structure, exchange};
use lazuli::exchange::RawParts;
use lazuli::exchange::dlpack::{
    DLDataType, DLDevice, DLManagedTensorVersioned, DLTensor, from_dlpack,
};
use lazuli::prelude::*;

type Is = fn(&Error) -> bool;

fn matrix() -> Layout {
    Layout {
        name: "matrix",
        shape: vec![2, 3],
        strides: Some(vec![3, 1]),
        first: 0,
        by_offset: false,
    }
}

/// Takes a tensor that was changed, in each structure.
fn refused(name: &str, layout: &Layout, is: Is, says: &str, change: impl Fn(&mut DLTensor)) {
    for structure in STRUCTURES {
        let returned = Returned::default();
        let values = vec![1.5f64; 12];
        let error =
            exchange(values, layout, structure, &returned, &change).map(|_| ()).unwrap_err();
        assert!(is(&error), "{name}: {error}");
        let text = error.to_string();
        assert!(text.starts_with("from_dlpack: ") && text.contains(says), "{name}: {text}");
        assert!(text.contains("producer.rs"), "{name}: {text}");
        assert_eq!(returned.count(), 1, "{name}");
    }
}

#[test]
fn another_major_version() {
    for major in [0, 2, u32::MAX] {
        let structure = Structure::Versioned { major, flags: 0 };
        let returned = Returned::default();
        // Nothing behind the flags may be read.
        let spoil = |tensor: &mut DLTensor| {
            tensor.ndim = i32::MAX;
            tensor.shape = std::ptr::dangling_mut();
        };
        let error = exchange(vec![1u8], &matrix(), structure, &returned, spoil).map(|_| ());
        let error = error.unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains(&format!("DLPack {major}.7")));
        assert_eq!(returned.count(), 1);
    }
}

#[test]
fn types_that_arrays_lack() {
    let dtype = |code, bits, lanes| {
        move |tensor: &mut DLTensor| {
            tensor.dtype = DLDataType { code, bits, lanes };
        }
    };
    let m = &matrix();
    refused("lanes", m, Error::is_unsupported, "4 lanes", dtype(2, 32, 4));
    refused("no lanes", m, Error::is_unsupported, "0 lanes", dtype(2, 64, 0));
    refused("a handle", m, Error::is_unsupported, "opaque handles of 64 bits", dtype(3, 64, 1));
    refused("float8", m, Error::is_unsupported, "narrower than halves", dtype(10, 8, 1));
    refused("int4", m, Error::is_unsupported, "signed integers of 4 bits", dtype(0, 4, 1));
    refused("float128", m, Error::is_unsupported, "floats of 128 bits", dtype(2, 128, 1));
    refused("complex32", m, Error::is_unsupported, "complex numbers of 32", dtype(5, 32, 1));
    refused("bits of bool", m, Error::is_unsupported, "truth values of 1 bits", dtype(6, 1, 1));
    refused("nonsense", m, Error::is_unsupported, "unknown class", dtype(200, 8, 1));
}

#[test]
fn devices_that_are_not_there() {
    let device = |device_type, device_id| {
        move |tensor: &mut DLTensor| {
            tensor.device = DLDevice { device_type, device_id };
        }
    };
    let m = &matrix();
    refused("ROCm", m, Error::is_device, "kind 10 (ROCm)", device(10, 0));
    refused("Metal", m, Error::is_device, "kind 8 (Metal)", device(8, 0));
    refused("nonsense", m, Error::is_device, "kind 77 (unknown)", device(77, 0));
    refused("a GPU too many", m, Error::is_device, "", device(DLDevice::CUDA, 4000));
    refused("a negative GPU", m, Error::is_device, "cuda:-1", device(DLDevice::CUDA, -1));
    if Device::cuda(0).is_ok() {
        refused("the host's memory", m, Error::is_device, "address", device(DLDevice::CUDA, 0));
    }
}

#[test]
fn lengths_strides_and_pointers_that_cannot_be() {
    let with = |shape: &[i64], strides: &[i64]| Layout {
        shape: shape.to_vec(),
        strides: Some(strides.to_vec()),
        ..matrix()
    };
    let same = |_: &mut DLTensor| {};
    refused("backwards", &with(&[2, 3], &[-3, 1]), Error::is_unsupported, "go backwards", same);
    refused("a negative length", &with(&[2, -3], &[3, 1]), Error::is_shape, "negative", same);
    refused("far", &with(&[2, 3], &[i64::MAX, 1]), Error::is_shape, "outside", same);
    refused("farther", &with(&[9, 3], &[i64::MAX / 4, 1]), Error::is_shape, "outside", same);
    refused("large", &with(&[1 << 40, 1 << 40], &[1, 1]), Error::is_shape, "too many", same);
    let many = with(&[1; 17], &[1; 17]);
    refused("17 axes", &many, Error::is_shape, "17 axes", same);
    let m = &matrix();
    refused("no data", m, Error::is_shape, "is null", |t| t.data = std::ptr::null_mut());
    refused("no data but an offset", m, Error::is_shape, "is null", |t| {
        (t.data, t.byte_offset) = (std::ptr::null_mut(), 64);
    });
    refused("no shape", m, Error::is_shape, "no shape", |t| t.shape = std::ptr::null_mut());
    refused("negative axes", m, Error::is_shape, "-1 axes", |t| t.ndim = -1);
    refused("misaligned", m, Error::is_shape, "is misaligned", |t| t.byte_offset = 4);
    refused("offset", m, Error::is_shape, "offset", |t| t.byte_offset = u64::MAX);
}

#[test]
fn a_null_pointer_is_no_tensor() {
    // SAFETY: a null pointer may be given.
    let error = unsafe { from_dlpack(std::ptr::null_mut::<DLManagedTensorVersioned>(), None) };
    assert!(error.is_err_and(|error| error.is_shape() && error.to_string().contains("null")));
}

#[test]
fn a_tensor_without_a_deleter_is_taken() {
    let tensor = DeviceArray::<f32>::ones(3).to_dlpack(None).unwrap();
    let mut copy = DLManagedTensorVersioned {
        version: DLManagedTensorVersioned::VERSION,
        manager_ctx: std::ptr::null_mut(),
        deleter: None,
        flags: 0,
        dl_tensor: *tensor.tensor(),
    };
    // SAFETY: the tensor is there longer than the array.
    let a = unsafe { DeviceArray::<f32>::from_dlpack(&raw mut copy, None) }.unwrap();
    assert_eq!(a.to_vec().unwrap(), [1.0; 3]);
    drop(a);
    drop(tensor);
}

#[test]
fn another_type_than_was_asked_for() {
    let tensor = DeviceArray::<i32>::ones(3).to_dlpack(None).unwrap().into_raw();
    // SAFETY: the tensor was made just now.
    let error = unsafe { DeviceArray::<f32>::from_dlpack(tensor, None) }.unwrap_err();
    assert!(error.is_shape() && error.to_string().contains("int32"), "{error}");
}

#[test]
fn owners_of_pointers_go_with_errors() {
    let values = [1.0f64; 8];
    let cpu = |shape: &[usize]| RawParts::new(Device::cpu(), values.as_ptr(), shape);
    let odd = values.as_ptr().wrapping_byte_add(2);
    let cases: [(RawParts, &str); 5] = [
        (cpu(&[2, 2]).strides(&[1]), "1 strides do not fit"),
        (cpu(&[2, 2]).strides(&[isize::MIN, 1]), "outside of the address space"),
        (RawParts::new(Device::cpu(), odd, 2), "misaligned"),
        (RawParts::new(Device::cpu(), std::ptr::null::<f64>(), 2), "is null"),
        (cpu(&[usize::MAX, 2]), "too many elements"),
    ];
    for (parts, says) in cases {
        let returned = Returned::default();
        // SAFETY: nothing is read.
        let made = unsafe { DeviceArray::<f64>::from_raw_parts(parts, Noted(returned.clone())) };
        let error = made.unwrap_err();
        assert!(error.is_shape() && error.to_string().contains(says), "{error}");
        assert_eq!(returned.count(), 1);
    }
}
