//! Spells the extreme values of the element types in C++.

pub(super) use crate::backend::cuda::prelude::type_name;
use crate::dtype::{DType, Scalar};
use half::{bf16, f16};
use num_complex::Complex;

/// The 32-bit registers that one value takes.
pub(super) fn words(dtype: DType) -> usize {
    dtype.size().div_ceil(4)
}

/// A value as a C++ constant expression.
pub(crate) fn literal(value: &Scalar) -> String {
    let get = |what: Option<String>| what.unwrap_or_else(|| "0".into());
    match value.dtype() {
        DType::Bool => get(value.get::<bool>().map(|v| v.to_string())),
        DType::F16 => {
            get(value.get::<f16>().map(|v| format!("lz_round_f16({})", single(v.to_f32()))))
        }
        DType::BF16 => {
            get(value.get::<bf16>().map(|v| format!("lz_round_bf16({})", single(v.to_f32()))))
        }
        DType::F32 => get(value.get::<f32>().map(single)),
        DType::F64 => get(value.get::<f64>().map(double)),
        DType::C64 => get(value
            .get::<Complex<f32>>()
            .map(|z| format!("lz_c64{{{}, {}}}", single(z.re), single(z.im)))),
        DType::C128 => get(value
            .get::<Complex<f64>>()
            .map(|z| format!("lz_c128{{{}, {}}}", double(z.re), double(z.im)))),
        DType::I64 if value.get() == Some(i64::MIN) => "(-9223372036854775807LL - 1)".into(),
        DType::I64 => get(value.get::<i64>().map(|v| format!("{v}LL"))),
        DType::U64 => get(value.get::<u64>().map(|v| format!("{v}ULL"))),
        DType::I32 if value.get() == Some(i32::MIN) => "(-2147483647 - 1)".into(),
        DType::I32 => get(value.get::<i32>().map(|v| v.to_string())),
        DType::U32 => get(value.get::<u32>().map(|v| format!("{v}U"))),
        DType::I16 => get(value.get::<i16>().map(|v| format!("lz_i16({v})"))),
        DType::I8 => get(value.get::<i8>().map(|v| format!("lz_i8({v})"))),
        DType::U16 => get(value.get::<u16>().map(|v| format!("lz_u16({v})"))),
        DType::U8 => get(value.get::<u8>().map(|v| format!("lz_u8({v})"))),
    }
}

fn single(v: f32) -> String {
    match v {
        v if v.is_nan() => "lz_nan<float>()".into(),
        f32::INFINITY => "lz_infinity<float>()".into(),
        f32::NEG_INFINITY => "-lz_infinity<float>()".into(),
        v => format!("{v:?}f"),
    }
}

fn double(v: f64) -> String {
    match v {
        v if v.is_nan() => "lz_nan<double>()".into(),
        f64::INFINITY => "lz_infinity<double>()".into(),
        f64::NEG_INFINITY => "-lz_infinity<double>()".into(),
        v => format!("{v:?}"),
    }
}
