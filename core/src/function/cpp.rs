//! How C++ spells element types and values, in the names of the CUDA backend's prelude. The code of
//! users' functions is written in them too, whether there is a GPU or not.

use crate::dtype::{DType, Scalar};
use half::{bf16, f16};
use num_complex::Complex;

/// The C++ name of an element type.
pub fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "lz_bool",
        DType::I8 => "lz_i8",
        DType::I16 => "lz_i16",
        DType::I32 => "lz_i32",
        DType::I64 => "lz_i64",
        DType::U8 => "lz_u8",
        DType::U16 => "lz_u16",
        DType::U32 => "lz_u32",
        DType::U64 => "lz_u64",
        DType::F16 => "lz_f16",
        DType::BF16 => "lz_bf16",
        DType::F32 => "lz_f32",
        DType::F64 => "lz_f64",
        DType::C64 => "lz_c64",
        DType::C128 => "lz_c128",
        _ => unreachable!("every type has its arm"),
    }
}

/// A value as a C++ constant expression.
pub fn literal(value: &Scalar) -> String {
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
        _ => unreachable!("every type has its arm"),
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
