//! Kernels from strings of CUDA C++: what they compute on a GPU, and what they say elsewhere.

use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::{ElementwiseKernel, RawModule, ReductionKernel};

#[test]
fn elementwise_kernels_fuse_and_broadcast() {
    on_each_device(|device| {
        let (code, name) = ("sum = plus(x, y);\nabove = x > y", "sum_above");
        let preamble = "template <class T> __device__ T plus(T a, T b) { return a + b; }";
        // SAFETY: the code assigns both outputs from the inputs.
        let kernel = unsafe {
            ElementwiseKernel::new("T x, T y", "T sum, bool above", code, name)
                .unwrap()
                .with_preamble(preamble)
        };
        let x = DeviceArray::<f64>::linspace(-3.0, 3.0, 700).reshape([7, 100]);
        let y = DeviceArray::<f64>::linspace(-1.0, 1.0, 100);
        let called = kernel.try_call::<(f64, bool)>((x.sin(), &y));
        if device == Device::cpu() {
            assert!(called.unwrap_err().is_unsupported());
            return;
        }
        let (sum, above) = called.unwrap();
        let (twice, wanted) = (&sum * 2.0, (x.sin() + &y) * 2.0);
        assert_eq!(explain(&[&twice, &above]).kernels(), 1);
        assert_eq!(twice.copy_to_host().unwrap(), wanted.copy_to_host().unwrap());
        assert_eq!(above.to_vec().unwrap(), x.sin().greater(&y).to_vec().unwrap());
        let whole = kernel.call::<(i32, bool)>((DeviceArray::<i32>::arange_to(5), 2i32));
        assert_eq!(whole.0.to_vec().unwrap(), [2, 3, 4, 5, 6]);
        assert_eq!(whole.1.to_vec().unwrap(), [false, false, false, true, true]);
        // SAFETY: what does not compile does not run.
        let wrong =
            unsafe { ElementwiseKernel::new("T x", "T y", "y = no_such_function(x)", "wrong") };
        let error = wrong.unwrap().call::<f64>((&x,)).eval().unwrap_err();
        assert!(error.is_compile() && error.to_string().contains("no_such_function"), "{error}");
    });
}

#[test]
fn reductions_from_strings_fuse_and_keep_axes() {
    on_each_device(|device| {
        let (map, name) = ("w * x * x", "weighted_norm");
        // SAFETY: the code assigns its output from its inputs.
        let norm = unsafe {
            ReductionKernel::new("T x, float w", "T y", map, "a + b", "y = sqrt(a)", "0", name)
        };
        let norm = norm.unwrap().with_state("double").unwrap();
        let x = DeviceArray::<f32>::linspace(-3.0, 3.0, 700).reshape([7, 100]);
        let called = norm.try_call::<f32>((x.sin(), 2.0f32), keep(1));
        if device == Device::cpu() {
            assert!(called.unwrap_err().is_unsupported());
            return;
        }
        let y = called.unwrap() + 1.0;
        assert_eq!(y.shape(), [7, 1]);
        assert_eq!(explain(&[&y]).kernels(), 1);
        let wanted = (x.sin().square() * 2.0).sum(keep(1)).sqrt() + 1.0;
        let (y, wanted) = (y.to_vec().unwrap(), wanted.to_vec().unwrap());
        assert!(y.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{y:?} {wanted:?}");
        let empty = norm.call::<f32>((DeviceArray::<f32>::zeros([3, 0]), 1.0f32), 1);
        assert_eq!(empty.to_vec().unwrap(), [0.0; 3]);
        // SAFETY: as above.
        let top = unsafe {
            ReductionKernel::new("int x", "int y", "x", "max(a, b)", "y = a", "-1", "top")
        };
        let top = top.unwrap().call::<i32>((DeviceArray::<i32>::arange_to(100_000),), ..);
        assert_eq!(top.item().unwrap(), 99_999);
    });
}

#[test]
fn raw_kernels_write_what_nobody_else_sees() {
    on_each_device(|device| {
        let source = r#"extern "C" __global__ void fill(int* y, int n, int value) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = value + i;
        }"#;
        let module = match RawModule::from_source(source) {
            Ok(module) => module,
            Err(why) => {
                assert!(why.is_unsupported() && device == Device::cpu(), "{why}");
                return;
            }
        };
        let fill = module.function("fill").unwrap();
        let mut y = DeviceArray::<i32>::zeros([10]);
        y.eval().unwrap();
        let (other, later) = (y.clone(), &y + 1);
        // SAFETY: the kernel writes below n.
        unsafe { fill.launch(1, 32, (&mut y, 10i32, 5i32)) }.unwrap();
        assert_eq!(y.to_vec().unwrap(), (5..15).collect::<Vec<i32>>());
        assert_eq!(other.to_vec().unwrap(), [0; 10]);
        assert_eq!(later.to_vec().unwrap(), [1; 10]);
        let doubled = &y * 2;
        // SAFETY: as above.
        unsafe { fill.launch((1, 1, 1), [32, 1], (&mut y, 10i32, 0i32)) }.unwrap();
        assert_eq!(doubled.to_vec().unwrap()[9], 28);
        assert!(module.function("empty").unwrap_err().is_compile());
        assert!(RawModule::from_source("what is this").unwrap_err().is_compile());
    });
}
