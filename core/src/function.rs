//! A user's scalar function, as the planner and the backends see it.
//!
//! The attributes (`#[vectorize]` and its kin) and `ElementwiseKernel` make a
//! [`Function`] for given element types; nodes and kernels hold it and call it once an element.

pub mod cpp;

use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::table::{Op, Reduction};
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A user's scalar function for given element types.
pub struct Function {
    /// The name, for messages and `explain`.
    pub name: String,
    /// The types of the arguments.
    pub args: Vec<DType>,
    /// The types of the results: one, or a tuple's.
    pub results: Vec<DType>,
    /// The code for CUDA devices, if there is any.
    pub cuda: Option<CudaCode>,
    /// The code for the processor, if there is any.
    pub tile: Option<TileFn>,
    /// What a call costs, in additions: a guess from its operations.
    pub cost: f64,
    /// For a function of two states, the same over neighbours.
    pub neighbours: Option<TileFn>,
    compile_weight: u32,
    key: u128,
}

/// The code of a function for CUDA devices: `__device__ R entry(A0 a0, A1 a1, …)`, all by value,
/// in the prelude's types of the arguments. One result: `R` is its type. Several: `R` is
/// `lz_tuple<T0, T1, …>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CudaCode {
    /// The name of the function in C++.
    pub entry: String,
    /// The definitions that it needs, itself among them: a name, unique for the text, and the
    /// text. Callees come first; equal ones stand once in a translation unit.
    pub definitions: Vec<(String, String)>,
}

/// An argument of a [`TileFn`].
#[derive(Clone, Copy, Debug)]
pub struct TileArg {
    /// The first element.
    pub ptr: *const u8,
    /// Whether there is one element for each lane, or one for the whole tile.
    pub vector: bool,
    /// Whether the elements lie in an array, so that those behind them are likely to be next.
    pub far: bool,
}

impl TileArg {
    /// Elements that the caches hold, or one.
    pub const fn near(ptr: *const u8, vector: bool) -> TileArg {
        TileArg { ptr, vector, far: false }
    }
}

/// A function applied to a tile: writes `n` elements of each result. Elements lie as in an array
/// (halves in two bytes).
///
/// # Safety
/// Each argument points to `n` elements of its type, or to one; each of `outs`, one for each
/// result, to room for `n`. The outputs are disjoint from each other and from the arguments.
pub type TileFn = unsafe fn(args: &[TileArg], outs: &[*mut u8], n: usize);

impl CudaCode {
    /// Whether the function may run on values that stand for others and are thrown away: no loop
    /// that might not end, no place in an array, nothing but what the translator writes.
    pub fn is_straight(&self) -> bool {
        const LOOPS: [&str; 4] = ["for (", "while (", "do {", "goto "];
        const PLACES: [&str; 2] = ["lz_array", "["];
        self.definitions.iter().all(|(name, text)| {
            let is_outside = LOOPS.iter().chain(&PLACES).any(|part| text.contains(part));
            name.starts_with("lz_user_") && !is_outside
        })
    }

    /// What compiling the function takes at one place: about so much for a byte of its definitions,
    /// and what the operations weigh that they call, of doubles.
    fn compile_weight(&self) -> u32 {
        const BYTE: u32 = 10;
        let mut weight = 0u32;
        for (_, text) in &self.definitions {
            let calls = text.split("lz_").skip(1).filter_map(|rest| rest.split_once('('));
            let calls = calls.map(|(name, _)| Op::compile_weight_of(name, DType::F64));
            let written = (text.len() as u32).saturating_mul(BYTE);
            weight = calls.fold(weight.saturating_add(written), u32::saturating_add);
        }
        weight
    }

    /// Whether there are arrays among the arguments, the results or the locals of the functions.
    pub fn has_arrays(&self) -> bool {
        self.definitions.iter().any(|(_, text)| text.contains("lz_array"))
    }

    /// Whether one of these functions is called.
    pub fn calls(&self, names: &[&str]) -> bool {
        let calls = |text: &str| names.iter().any(|name| text.contains(name));
        self.definitions.iter().any(|(_, text)| calls(text))
    }
}

impl Function {
    /// A function with everything given.
    ///
    /// # Panics
    /// Where there is no result, or more than 255.
    pub fn new(
        name: impl Into<String>,
        args: Vec<DType>,
        results: Vec<DType>,
        cuda: Option<CudaCode>,
        tile: Option<TileFn>,
        cost: f64,
    ) -> Self {
        let name = name.into();
        assert!((1..256).contains(&results.len()), "{name}: a function has 1 to 255 results");
        let half = |seed: u64| {
            let mut hasher = FxHasher::default();
            seed.hash(&mut hasher);
            (&name, &args, &results, &cuda).hash(&mut hasher);
            tile.map(|tile| tile as usize).hash(&mut hasher);
            cost.to_bits().hash(&mut hasher);
            u128::from(hasher.finish())
        };
        let key = half(0x243f_6a88_85a3_08d3) << 64 | half(0x1319_8a2e_0370_7344);
        let compile_weight = cuda.as_ref().map_or(0, CudaCode::compile_weight);
        Function { name, args, results, cuda, tile, cost, neighbours: None, compile_weight, key }
    }

    /// The same with loops over neighbours.
    pub fn with_neighbours(self, neighbours: TileFn) -> Self {
        Function { neighbours: Some(neighbours), ..self }
    }

    /// Whether a device can call the function.
    pub fn check_device(&self, is_processor: bool) -> Result<()> {
        let missing = match is_processor {
            true if self.tile.is_none() => {
                "is CUDA C++ alone, which does not run on the processor; arrays on a GPU can take it"
            }
            false if self.cuda.is_none() => "has no code for CUDA devices",
            _ => return Ok(()),
        };
        Err(Error::unsupported(format!("{} {missing}", self.name)))
    }

    /// Whether the function may panic on the processor: all that indexes, turns, or computes with
    /// whole numbers, and what is compiled with checks.
    pub fn may_panic(&self) -> bool {
        const WHOLE: [&str; 8] =
            ["lz_i8", "lz_i16", "lz_i32", "lz_i64", "lz_u8", "lz_u16", "lz_u32", "lz_u64"];
        let is_safe = |code: &CudaCode| code.is_straight() && !code.calls(&WHOLE);
        cfg!(debug_assertions) || !self.cuda.as_ref().is_some_and(is_safe)
    }

    /// What compiling the function takes at one place, see [`Op::compile_weight`].
    pub fn compile_weight(&self) -> u32 {
        self.compile_weight
    }

    /// The cost as a whole number of additions, at least 1.
    pub fn additions(&self) -> u32 {
        self.cost.clamp(1.0, 1e6) as u32
    }
}

/// A reduction by a user's binary function: its arguments are the components of two states, its
/// results those of their combination. It is associative and need not commute, so elements are
/// combined in their order.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// `(S…, S…) -> S…`.
    pub function: Arc<Function>,
    /// The state that changes no other, before or behind it.
    pub identity: Vec<Scalar>,
}

impl Fold {
    /// A fold.
    ///
    /// # Errors
    /// Where the function is no binary function over the identity's types.
    pub fn new(function: Arc<Function>, identity: Vec<Scalar>) -> Result<Self> {
        let types: Vec<DType> = identity.iter().map(Scalar::dtype).collect();
        let twice = [&types[..], &types[..]].concat();
        if function.results != types || function.args != twice {
            let name = &function.name;
            return Err(Error::shape(format!(
                "{name}: a reduction takes two states of {types:?} and gives one"
            )));
        }
        Ok(Fold { function, identity })
    }

    /// The types of a state's components.
    pub fn types(&self) -> &[DType] {
        &self.function.results
    }
}

/// What a scan combines elements by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScanBy {
    /// A reduction of the table: states are single values.
    Table(Reduction),
    /// A user's function.
    User(Arc<Fold>),
}

impl ScanBy {
    /// The name of what combines.
    pub fn name(&self) -> &str {
        match self {
            ScanBy::Table(op) => op.name(),
            ScanBy::User(fold) => &fold.function.name,
        }
    }

    /// The user's function, if it is one.
    pub fn fold(&self) -> Option<&Arc<Fold>> {
        match self {
            ScanBy::Table(_) => None,
            ScanBy::User(fold) => Some(fold),
        }
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(dead_code, unused_imports))]
pub mod tests {
    use super::*;

    /// `(a, b) -> (a·b + 1, a < b)` on `f64`, in Rust and in C++.
    pub fn two_results() -> Function {
        unsafe fn tile(args: &[TileArg], outs: &[*mut u8], n: usize) {
            for k in 0..n {
                // SAFETY: the caller keeps the contract of TileFn.
                unsafe {
                    let at = |arg: TileArg| arg.ptr.cast::<f64>().add(k * usize::from(arg.vector));
                    let (a, b) = (at(args[0]).read(), at(args[1]).read());
                    outs[0].cast::<f64>().add(k).write(a * b + 1.0);
                    outs[1].cast::<bool>().add(k).write(a < b);
                }
            }
        }
        let code = "LZ_FN lz_tuple<lz_f64, lz_bool> two_results(lz_f64 a, lz_f64 b) {\n    \
                    return {lz_add(lz_multiply(a, b), 1.0), a < b};\n}\n";
        let cuda = CudaCode {
            entry: "two_results".into(),
            definitions: vec![("two_results".into(), code.into())],
        };
        let (args, results) = (vec![DType::F64; 2], vec![DType::F64, DType::Bool]);
        Function::new("two_results", args, results, Some(cuda), Some(tile), 3.0)
    }

    /// `a -> a·a + b` on `f16`, computed in `f32`, in Rust and in C++.
    pub fn on_halves() -> Function {
        use half::f16;
        unsafe fn tile(args: &[TileArg], outs: &[*mut u8], n: usize) {
            for k in 0..n {
                // SAFETY: the caller keeps the contract of TileFn.
                unsafe {
                    let at = |arg: TileArg| arg.ptr.cast::<f16>().add(k * usize::from(arg.vector));
                    let (a, b) = (at(args[0]).read().to_f32(), at(args[1]).read().to_f32());
                    outs[0].cast::<f16>().add(k).write(f16::from_f32(a * a + b));
                }
            }
        }
        let code = "LZ_FN lz_f16 on_halves(lz_f16 a, lz_f16 b) {\n    \
                    float x = lz_to_f32(a);\n    \
                    return lz_round_f16(__fadd_rn(__fmul_rn(x, x), lz_to_f32(b)));\n}\n";
        let cuda = CudaCode {
            entry: "on_halves".into(),
            definitions: vec![("on_halves".into(), code.into())],
        };
        Function::new(
            "on_halves",
            vec![DType::F16; 2],
            vec![DType::F16],
            Some(cuda),
            Some(tile),
            2.0,
        )
    }

    fn code(name: &str, text: &str) -> Option<CudaCode> {
        let definitions = vec![(name.to_string(), text.to_string())];
        Some(CudaCode { entry: name.to_string(), definitions })
    }

    /// Defines a tile function of `n` components of one type, each argument in one array.
    macro_rules! combining {
        ($name:ident: $t:ty, $count:literal, $f:expr) => {
            unsafe fn $name(args: &[TileArg], outs: &[*mut u8], n: usize) {
                for k in 0..n {
                    // SAFETY: the caller keeps the contract of TileFn.
                    unsafe {
                        let at = |arg: &TileArg| {
                            arg.ptr.cast::<$t>().add(k * usize::from(arg.vector)).read()
                        };
                        let args: Vec<$t> = args.iter().map(at).collect();
                        let f: fn(&[$t], &[$t]) -> [$t; $count] = $f;
                        let result = f(&args[..$count], &args[$count..]);
                        for (out, value) in outs.iter().zip(result) {
                            out.cast::<$t>().add(k).write(value);
                        }
                    }
                }
            }
        };
    }

    /// The composition of affine maps `x -> a·x + b` in wrapping integers, the first map first:
    /// exact, associative, and it does not commute.
    pub fn affine() -> Fold {
        combining!(tile: i64, 2, |x, y| [
            x[0].wrapping_mul(y[0]),
            y[0].wrapping_mul(x[1]).wrapping_add(y[1]),
        ]);
        let text = "LZ_FN lz_tuple<lz_i64, lz_i64> affine(lz_i64 a, lz_i64 b, lz_i64 c, lz_i64 d) {\n    \
                    return {lz_multiply(a, c), lz_add(lz_multiply(c, b), d)};\n}\n";
        let (args, results) = (vec![DType::I64; 4], vec![DType::I64; 2]);
        let function =
            Function::new("affine", args, results, code("affine", text), Some(tile), 3.0);
        Fold::new(Arc::new(function), vec![Scalar::new(1i64), Scalar::new(0i64)]).unwrap()
    }

    /// Number, mean and sum of squared deviations of two samples together.
    pub fn moments() -> Fold {
        combining!(tile: f64, 3, |x, y| {
            let (n, d) = (x[0] + y[0], y[1] - x[1]);
            let w = if n > 0.0 { y[0] / n } else { 0.0 };
            [n, x[1] + d * w, x[2] + y[2] + d * d * x[0] * w]
        });
        let text = "LZ_FN lz_tuple<lz_f64, lz_f64, lz_f64> moments(lz_f64 n, lz_f64 a, lz_f64 p, lz_f64 m, lz_f64 b, lz_f64 q) {\n    \
                    double s = n + m, d = b - a, w = s > 0.0 ? m / s : 0.0;\n    \
                    return {s, a + d * w, p + q + d * d * n * w};\n}\n";
        let (args, results) = (vec![DType::F64; 6], vec![DType::F64; 3]);
        let function =
            Function::new("moments", args, results, code("moments", text), Some(tile), 12.0);
        Fold::new(Arc::new(function), vec![Scalar::new(0.0); 3]).unwrap()
    }

    /// The product.
    pub fn product() -> Fold {
        combining!(tile: f64, 1, |x, y| [x[0] * y[0]]);
        let text = "LZ_FN lz_f64 product(lz_f64 x, lz_f64 y) { return x * y; }\n";
        let (args, results) = (vec![DType::F64; 2], vec![DType::F64]);
        let function =
            Function::new("product", args, results, code("product", text), Some(tile), 1.0);
        Fold::new(Arc::new(function), vec![Scalar::new(1.0)]).unwrap()
    }

    /// The larger of two halves.
    pub fn larger_half() -> Fold {
        use half::f16;
        combining!(tile: f16, 1, |x, y| [if x[0] < y[0] { y[0] } else { x[0] }]);
        let text = "LZ_FN lz_f16 larger_half(lz_f16 x, lz_f16 y) {\n    \
                    return lz_to_f32(x) < lz_to_f32(y) ? y : x;\n}\n";
        let function = Function::new(
            "larger_half",
            vec![DType::F16; 2],
            vec![DType::F16],
            code("larger_half", text),
            Some(tile),
            1.0,
        );
        Fold::new(Arc::new(function), vec![Scalar::new(f16::NEG_INFINITY)]).unwrap()
    }

    #[test]
    fn equal_functions_are_equal_and_others_differ() {
        assert_eq!(two_results(), two_results());
        assert_ne!(two_results(), on_halves());
        let cheap = Function { cost: 1.0, ..two_results() };
        assert!(cheap.check_device(true).is_ok() && cheap.check_device(false).is_ok());
        let nowhere = Function::new("f", vec![], vec![DType::F64], None, None, 1.0);
        assert!(nowhere.check_device(true).unwrap_err().is_unsupported());
        assert!(nowhere.check_device(false).unwrap_err().is_unsupported());
    }
}
