//! Arrays of the host among the arguments of kernels.

use crate::support::{on_each_device, on_each_device_by_itself};
use lazuli::RawModule;
use lazuli::gpu::*;
use lazuli::prelude::*;
use ndarray::{Array1, Array2, s};

#[kernel]
fn scale_rows(x: Array<f64, 2>, by: Array<f64, 1>, out: ArrayMut<f64, 2>) {
    let (i, j) = grid::<2>();
    if i < x.shape(0) && j < x.shape(1) {
        out[(i, j)] = x[(i, j)] * by[i];
    }
}

#[kernel]
fn add_to<T: Float>(x: ArrayMut<T, 1>, by: T, from: usize) {
    let i = grid::<1>();
    if i >= from && i < x.len() {
        x[i] += by;
    }
}

#[kernel]
fn beyond(x: ArrayMut<i32, 1>) {
    x[thread_idx().x + 2] = 1;
}

#[test]
fn hosts_and_devices_arrays_stand_side_by_side() {
    on_each_device(|_| {
        let x = Array2::from_shape_fn((5, 7), |(i, j)| (i * 7 + j) as f64);
        let by = DeviceArray::<f64>::arange_to(5.0) + 1.0;
        let mut wide = Array2::from_elem((5, 14), -1.0);
        let mut out = wide.slice_mut(s![.., ..;-2]);
        scale_rows.launch_with(1, (8, 8), (In(&x), &by, Out(&mut out))).unwrap();
        for ((i, j), value) in wide.indexed_iter() {
            let wanted =
                if j % 2 == 1 { (i * 7 + (13 - j) / 2) as f64 * (i + 1) as f64 } else { -1.0 };
            assert_eq!(*value, wanted);
        }
        let view = x.t();
        let mut device = DeviceArray::<f64>::zeros([7, 5]);
        let ones = [1.0; 7];
        scale_rows.launch_with(1, (8, 8), (In(&view), In(&ones), &mut device)).unwrap();
        assert_eq!(device.copy_to_host().unwrap(), view.into_dyn());
    });
}

#[test]
fn what_goes_both_ways_is_read_and_written() {
    on_each_device(|_| {
        let mut values = vec![1.0f32, 2.0, 3.0, f32::INFINITY];
        add_to.launch_with(1, 32, (InOut(&mut values), 0.5, 1)).unwrap();
        assert_eq!(values, [1.0, 2.5, 3.5, f32::INFINITY]);
        add_to.launch_with(1, 32, (InOut(&mut values[..2]), 1.0, 0)).unwrap();
        assert_eq!(values, [2.0, 3.5, 3.5, f32::INFINITY]);
        let mut doubles = Array1::<f64>::zeros(3);
        add_to.launch_with(1, 32, (InOut(&mut doubles), 2.0, 0)).unwrap();
        assert_eq!(doubles.to_vec(), [2.0; 3]);
        let mut none = Vec::<f64>::new();
        add_to.launch_with(1, 32, (InOut(&mut none), 2.0, 0)).unwrap();
        let mut array = [0.0f64; 2];
        add_to.launch_with(1, 32, (Out(&mut array), 0.0, 2)).unwrap();
    });
}

#[test]
fn after_a_failure_the_host_keeps_its_values() {
    on_each_device_by_itself(|_| {
        let mut values = [5, 6, 7];
        let error = beyond.launch_with(1, 2, (InOut(&mut values),)).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("kernels.rs"), "{error}");
        let mut plane = Array2::from_elem((2, 2), 1);
        let error = beyond.launch_with(1, 2, (Out(&mut plane),)).unwrap_err();
        assert!(error.to_string().contains("x has 1 axes"), "{error}");
        assert_eq!(plane.sum(), 4);
    });
}

#[test]
fn cuda_code_takes_arrays_of_the_host() {
    let source = r#"extern "C" __global__ void multiply_them(float* dest, float* a, float* b, int* n) {
        int i = threadIdx.x;
        if (i < 400) { dest[i] = a[i] * b[i]; atomicAdd(n, 1); }
    }"#;
    let Ok(module) = RawModule::from_source(source) else { return };
    let multiply_them = module.function("multiply_them").unwrap();
    let (a, b) = (Array1::linspace(0.0f32, 1.0, 400), vec![2.0f32; 400]);
    let (mut dest, mut n) = (vec![0.0f32; 400], [10]);
    // SAFETY: the kernel stays inside the arrays.
    unsafe {
        let args = (Out(&mut dest), In(&a), In(&b), InOut(&mut n));
        multiply_them.launch(1, 512, args).unwrap();
    }
    assert!(dest.iter().zip(&a).all(|(dest, a)| *dest == a * 2.0));
    assert_eq!(n, [410]);
}
