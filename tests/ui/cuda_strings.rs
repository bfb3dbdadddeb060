use lazuli::{ElementwiseKernel, RawFunction, ReductionKernel};

pub fn elementwise() {
    let _ = ElementwiseKernel::new("float x", "float y", "y = x", "same"); //~ is unsafe and requires unsafe
}

pub fn reduction() {
    let _ = ReductionKernel::new("float x", "float y", "x", "a + b", "y = a", "0", "sum"); //~ is unsafe and requires unsafe
}

pub fn preamble(kernel: ElementwiseKernel) -> ElementwiseKernel {
    kernel.with_preamble("__device__ int zero() { return 0; }") //~ is unsafe and requires unsafe
}

pub fn raw(function: &RawFunction) {
    function.launch(1, 1, (1i32,)).unwrap(); //~ is unsafe and requires unsafe
}
