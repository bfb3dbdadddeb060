//! Kernels on the processor against the reference interpreter.

mod bench;
mod kernels;
mod random;
mod shares;
mod windows;

use super::prepare::Pieces;
use super::worker::Launch;
use super::{nest, prepare};
use crate::dtype::{DType, Scalar, with_dtype};
use crate::kernel::Kernel;
use crate::kernel::reference;
use lazuli_inner_loops::level::Level;

/// A small generator of pseudo-random numbers.
pub(super) struct Rng(pub u64);

impl Rng {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51afd7ed558ccd) >> 11
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A small number of a type.
    pub(super) fn scalar(&mut self, dtype: DType) -> Scalar {
        let whole = self.below(19) as f64 - 9.0;
        let value = if dtype.is_float() || dtype.is_complex() {
            whole * 0.5 + self.below(1000) as f64 / 1000.0
        } else if dtype == DType::Bool {
            self.below(2) as f64
        } else {
            whole
        };
        match dtype {
            DType::C64 => Scalar::new(num_complex::Complex::new(value as f32, whole as f32)),
            DType::C128 => Scalar::new(num_complex::Complex::new(value, whole)),
            _ => Scalar::from_f64(dtype, value),
        }
    }

    /// A buffer of small numbers.
    pub(super) fn buffer(&mut self, dtype: DType, len: usize) -> Vec<u8> {
        (0..len).flat_map(|_| self.scalar(dtype).bytes().to_vec()).collect()
    }
}

/// Bytes at an address that suits every type.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    let mut words = vec![0u128; bytes.len().div_ceil(16).max(1)];
    // SAFETY: the words are at least as long as the bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), words.as_mut_ptr().cast(), bytes.len());
    }
    words
}

/// A kernel made ready, in pieces however few elements it has.
pub(super) fn prepared(kernel: &Kernel, level: Level) -> Pieces {
    prepare::prepare(kernel, level, 1)
}

/// Runs a kernel and gives its outputs' bytes.
pub(super) fn run(
    kernel: &Kernel,
    level: Level,
    inputs: &[Vec<u8>],
    scalars: &[Scalar],
) -> Vec<Vec<u8>> {
    let prepared = prepared(kernel, level);
    let mut buffers: Vec<Vec<u128>> = inputs.iter().map(|b| aligned(b)).collect();
    let mut fresh: Vec<Vec<u128>> =
        kernel.outputs.iter().map(|o| aligned(&vec![0; o.len * o.dtype.size()])).collect();
    let input_pointers: Vec<*const u8> =
        buffers.iter_mut().map(|b| b.as_mut_ptr().cast_const().cast()).collect();
    let output_pointers: Vec<*mut u8> = (kernel.outputs.iter().zip(&mut fresh))
        .map(|(output, new)| match output.alias {
            Some(k) => input_pointers[k as usize].cast_mut(),
            None => new.as_mut_ptr().cast(),
        })
        .collect();
    for p in &prepared.0 {
        nest::launch(&Launch { p, inputs: &input_pointers, outputs: &output_pointers, scalars })
            .expect("there is memory");
    }
    (kernel.outputs.iter().zip(&output_pointers))
        .map(|(output, &ptr)| {
            let bytes = output.len * output.dtype.size();
            // SAFETY: the output's buffer has that many bytes.
            unsafe { std::slice::from_raw_parts(ptr, bytes) }.to_vec()
        })
        .collect()
}

/// Checks a kernel against the reference for every instruction set of this machine.
pub(super) fn check(kernel: &Kernel, rng: &mut Rng) {
    let inputs: Vec<Vec<u8>> = kernel.inputs.iter().map(|i| rng.buffer(i.dtype, i.len)).collect();
    check_with(kernel, rng, &inputs);
}

/// Checks a kernel on given inputs.
pub(super) fn check_with(kernel: &Kernel, rng: &mut Rng, inputs: &[Vec<u8>]) {
    let scalars: Vec<Scalar> = kernel.scalars.iter().map(|&d| rng.scalar(d)).collect();
    let mut expected: Vec<Vec<u8>> = kernel
        .outputs
        .iter()
        .map(|o| match o.alias {
            Some(k) => inputs[k as usize].clone(),
            None => vec![0; o.len * o.dtype.size()],
        })
        .collect();
    let slices: Vec<&[u8]> = inputs.iter().map(|b| &b[..]).collect();
    reference::run(kernel, &slices, &mut expected, &scalars);
    for level in Level::available() {
        let found = run(kernel, level, inputs, &scalars);
        for (k, output) in kernel.outputs.iter().enumerate() {
            for at in 0..output.len {
                let want = reference::element(&expected[k], output.dtype, at);
                let have = reference::element(&found[k], output.dtype, at);
                let text = || prepared(kernel, level).text();
                assert!(
                    close(want, have),
                    "{level:?}: output {k} at {at} is {have:?}, not {want:?}\n{}",
                    text()
                );
            }
        }
    }
}

/// Whether two values agree up to rounding.
fn close(a: Scalar, b: Scalar) -> bool {
    let tolerance = match a.dtype() {
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::F32 | DType::C64 => 3e-5,
        DType::F64 | DType::C128 => 1e-12,
        _ => return a == b,
    };
    let parts = |s: Scalar| match s.dtype() {
        DType::C64 => {
            let z = s.get::<num_complex::Complex<f32>>().expect("matched");
            [z.re as f64, z.im as f64]
        }
        DType::C128 => {
            let z = s.get::<num_complex::Complex<f64>>().expect("matched");
            [z.re, z.im]
        }
        _ => {
            let wide = reference::cast(s, DType::F64).get::<f64>().expect("it was cast");
            [wide, 0.0]
        }
    };
    let (a, b) = (parts(a), parts(b));
    let size = a[0].abs().max(a[1].abs()).max(1.0);
    a.iter()
        .zip(b)
        .all(|(&x, y)| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * size)
}

/// The bytes of a list of values.
pub(super) fn bytes_of<T: crate::dtype::Plain>(values: &[T]) -> Vec<u8> {
    values.iter().flat_map(|&v| Scalar::new(v).bytes().to_vec()).collect()
}

/// Every row of the table on every type: the loop agrees with itself one element at a time, at
/// every length around a vector and with operands that are the same for all elements.
#[test]
fn loops_agree_with_single_elements() {
    use crate::table::Op;
    use lazuli_inner_loops::operations::{Arg, op_fn};
    let mut rng = Rng(1);
    for &op in Op::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| d.compute() == d) {
            if !op.class().contains(dtype) {
                continue;
            }
            let n = 1 + rng.below(50);
            let types: Vec<DType> = (0..op.arity()).map(|k| op.argument(k, dtype)).collect();
            let data: Vec<Vec<u128>> = types.iter().map(|&d| aligned(&rng.buffer(d, n))).collect();
            let shared = rng.below(1 << op.arity());
            let mut args = [Arg::near(std::ptr::null(), false); 3];
            for (k, arg) in data.iter().enumerate() {
                let vector = shared & (1 << k) == 0;
                args[k] = Arg::near(arg.as_ptr().cast(), vector);
            }
            for level in Level::available() {
                let result = op.result(dtype);
                let mut out = vec![0u128; n + 1];
                let f = op_fn(op, dtype, level).expect("the class holds the type");
                // SAFETY: operands have `n` elements, and the output has room for them.
                unsafe { f(out.as_mut_ptr().cast(), &args, n) };
                for at in 0..n {
                    let scalars: Vec<Scalar> = (types.iter().zip(&args))
                        .map(|(&d, arg)| {
                            let at = if arg.vector { at } else { 0 };
                            with_dtype!(d, T => {
                                // SAFETY: the operand has that element.
                                Scalar::new(unsafe { arg.ptr.cast::<T>().add(at).read() })
                            })
                        })
                        .collect();
                    let want = super::evaluate(op, &scalars);
                    let have = with_dtype!(result, T => {
                        // SAFETY: the output has that element.
                        Scalar::new(unsafe { out.as_ptr().cast::<T>().add(at).read() })
                    });
                    assert!(
                        close(want, have),
                        "{} {dtype} {level:?} {scalars:?}: {have:?}, not {want:?}",
                        op.name()
                    );
                }
            }
        }
    }
}

#[test]
fn halves_have_their_own_neighbours() {
    use crate::table::Op;
    let args = [Scalar::new(1.0f32), Scalar::new(2.0f32)];
    for (dtype, step) in [(DType::F16, 1.0 / 1024.0), (DType::BF16, 1.0 / 128.0)] {
        let next = super::evaluate_as(Op::Nextafter, &args, dtype).get::<f32>();
        assert_eq!(next, Some(1.0 + step));
    }
}
