//! What is written as CUDA C++ is what the device computes.

use super::*;
use crate::backend::cuda::render::tests::check_planned;
use crate::function::TileArg;
use crate::kernel::AxisKind::Parallel;
use crate::kernel::builder::{Builder, affine};

#[test]
fn what_is_written_is_what_the_device_computes() {
    let code = "T twice = both(x); low = twice < y ? twice : (T)y; above = x > y // done";
    let preamble = "template <class T> __device__ T both(T x) { return x + x; }";
    let (inputs, outputs) = ("T x, const float y", "T low, bool above");
    // SAFETY: the code assigns both outputs from the inputs.
    let kernel = unsafe {
        ElementwiseKernel::new(inputs, outputs, code, "clipped").unwrap().with_preamble(preamble)
    };
    let types = vec![DType::F32, DType::F32, DType::F32, DType::Bool];
    let made = kernel.function(types, 2).unwrap();
    let mut function = Function::new(
        "clipped",
        made.args.clone(),
        made.results.clone(),
        made.cuda.clone(),
        None,
        1.0,
    );
    unsafe fn tile(args: &[TileArg], outs: &[*mut u8], n: usize) {
        for k in 0..n {
            // SAFETY: the caller keeps the contract of TileFn.
            unsafe {
                let at = |a: TileArg| a.ptr.cast::<f32>().add(k * usize::from(a.vector)).read();
                let (x, y) = (at(args[0]), at(args[1]));
                outs[0].cast::<f32>().add(k).write((x + x).min(y));
                outs[1].cast::<bool>().add(k).write(x > y);
            }
        }
    }
    function.tile = Some(tile);
    let mut b = Builder::new(&[(Parallel, 1000)]);
    let x = b.input(DType::F32, 1000);
    let x = b.load(x, affine(&[(0, 1)], 0));
    let y = b.scalar(DType::F32);
    let both = b.call(&Arc::new(function), &[x, y]);
    b.store(both[0], affine(&[(0, 1)], 0), 1000);
    b.store(both[1], affine(&[(0, 1)], 0), 1000);
    check_planned("clipped", &b.kernel, (9, 0));
}

#[test]
fn what_is_malformed_or_does_not_fit_is_refused() {
    // SAFETY: nothing of it is run.
    let new = |inputs, outputs| unsafe { ElementwiseKernel::new(inputs, outputs, "z = x", "f") };
    for (inputs, outputs, why) in [
        ("float x", "", "1 to 12 outputs"),
        ("float", "float z", "needs a type and a name"),
        ("raw float x", "float z", "RawModule"),
        ("float *x", "float z", "RawModule"),
        ("floot x", "float z", "unknown type"),
        ("float 2x", "float z", "no C++ name"),
        ("float x", "float x", "stands twice"),
    ] {
        let error = new(inputs, outputs).unwrap_err();
        assert!(error.is_compile() && error.to_string().contains(why), "{error}");
    }
    // SAFETY: as above.
    let unnamed = unsafe { ElementwiseKernel::new("", "int z", "z = 1", "a b") };
    assert!(unnamed.unwrap_err().is_compile());
    let kernel = new("T x, T y", "T z").unwrap();
    let refused = |types: &[DType], count| kernel.function(types.to_vec(), count).unwrap_err();
    assert!(refused(&[DType::F32, DType::F64, DType::F32], 2).is_shape());
    assert!(refused(&[DType::F32, DType::F32, DType::F64], 2).is_shape());
    assert!(refused(&[DType::F32, DType::F32], 1).is_shape());
    crate::Device::cpu().scope(|| {
        let x = DeviceArray::<f32>::ones([3]);
        let error = kernel.try_call::<f32>((&x, 1.0f32)).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("processor"), "{error}");
    });
}
