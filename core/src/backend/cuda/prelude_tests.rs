//! Every row of the table, for every type that it takes, compiled for several architectures.

use super::super::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use super::super::emulator;
use super::*;
use crate::dtype::DType;
use crate::function::cpp::type_name;
use crate::table::Op;

/// One kernel with a line for each type that the operation takes.
fn kernel_of(op: Op) -> String {
    let mut body = format!("extern \"C\" __global__ void k_{}(unsigned char* p) {{\n", op.name());
    for dtype in DType::ALL.into_iter().filter(|&dtype| op.class().contains(dtype)) {
        let mut expression = op.cuda().to_string();
        for k in 0..op.arity() {
            let argument = type_name(op.argument(k, dtype));
            let load = format!("*({argument}*)(p + {})", 16 * k);
            expression = expression.replace(&format!("{{{k}}}"), &format!("({load})"));
        }
        let result = type_name(op.result(dtype));
        // A brace keeps a result of another type from being converted silently.
        body += &format!("    *({result}*)(p + 64) = {result}{{{expression}}};\n");
    }
    body + "}\n"
}

fn compile_all(kernels: impl IntoIterator<Item = (String, String)>, arch: Arch) {
    if !nvrtc_is_here() {
        return;
    }
    let mut failures = Vec::new();
    for (name, kernel) in kernels {
        let source = with_prelude(&kernel);
        if let Err(error) = compile_to_cubin(&source, arch, &CompileOptions::default()) {
            let log = error.to_string();
            let log = log.split("the source:").next().unwrap_or_default().to_string();
            failures.push(format!("{name} for {arch}: {log}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn every_operation() -> impl Iterator<Item = (String, String)> {
    Op::ALL.iter().map(|&op| (op.name().to_string(), kernel_of(op)))
}

#[test]
fn every_operation_compiles_for_every_type_on_sm_80() {
    compile_all(every_operation(), Arch::new(8, 0));
}

#[test]
fn every_operation_compiles_for_every_type_on_sm_90() {
    compile_all(every_operation(), Arch::new(9, 0));
}

#[test]
fn every_operation_compiles_for_every_type_on_sm_100() {
    compile_all(every_operation(), Arch::new(10, 0));
}

/// Conversions to every type, vector access, shuffles and the rest that is no operation.
fn kernel_of_type(dtype: DType) -> String {
    let name = type_name(dtype);
    let mut body = format!("extern \"C\" __global__ void k({name}* p, unsigned char* q) {{\n");
    for to in DType::ALL.map(type_name) {
        body += &format!("    *({to}*)(q += 16) = lz_cast<{to}>(*p);\n");
    }
    for lanes in [1, 2, 4, 8, 16].iter().filter(|&&lanes| lanes * dtype.size() <= 16) {
        body += &format!(
            "    lz_store<{lanes}>(p, lz_load<{lanes}>(p + {lanes}));\n    \
             lz_store_streaming<{lanes}>(p, lz_load_streaming<{lanes}>(p + {lanes}));\n    \
             lz_store<{lanes}>(p, lz_load_readonly<{lanes}>(p + {lanes}));\n"
        );
    }
    for shuffle in ["lz_shuffle", "lz_shuffle_xor", "lz_shuffle_up", "lz_shuffle_down"] {
        body += &format!("    *p = {shuffle}(*p, 1);\n");
    }
    body += "    LZ_DYNAMIC_SHARED(bytes);\n";
    body += &format!("    {name}* row = ({name}*)bytes;\n    __shared__ {name} fixed[32];\n");
    body += "    row[threadIdx.x] = *p; fixed[threadIdx.x] = *p; __syncthreads();\n";
    body += "    if (lz_last_block((unsigned*)q, gridDim.x)) *p = row[0], p[1] = fixed[1];\n";
    body + "}\n"
}

fn every_type() -> impl Iterator<Item = (String, String)> {
    DType::ALL.into_iter().map(|dtype| (dtype.name().to_string(), kernel_of_type(dtype)))
}

#[test]
fn conversions_and_memory_compile_for_every_type() {
    for arch in [Arch::new(8, 0), Arch::new(9, 0), Arch::new(10, 0)] {
        compile_all(every_type(), arch);
    }
}

#[test]
fn a_kernel_gets_what_it_uses() {
    let has = |body: &str, words: &[&str]| {
        let source = with_prelude(body);
        words.iter().map(|word| source.contains(word)).collect::<Vec<_>>()
    };
    let words =
        ["LZ_MATH_1(lz_sin", "LZ_MATH_1(lz_cos", "#define LZ_MATH_1", "lz_philox", "lz_f16"];
    assert_eq!(has("x = lz_sin(y);", &words), [true, false, true, false, false]);
    // All overloads of a name and what they call; those for types that do not occur are left out.
    let words = ["Smith", "lz_hypot", "lz_complex<T> lz_sinh", "LZ_HALF_1(lz_abs)"];
    assert_eq!(has("lz_c64 x = lz_abs(y);", &words), [true, true, false, false]);
    let words =
        ["H lz_half_nextafter(H a", "LZ_HALF_1(lz_exp)", "LZ_HALF_COMPARE(<)", "float lz_exp("];
    assert_eq!(has("lz_bf16 x = lz_nextafter(y, z);", &words), [true, false, true, false]);
    let words = ["LZ_HALF_1(lz_erf)", "LZ_MATH_1(lz_erf, erff, erf)", "LZ_MATH_1(lz_erfc"];
    assert_eq!(has("lz_f16 x = lz_erf(y);", &words), [true, true, false]);
    assert_eq!(has("lz_remainder(x, y)", &["T lz_remainder(T a", "F lz_remainder_of("]), [true; 2]);
    // What a group of conditions declares, with its conditions.
    assert_eq!(has("lz_root(x)", &["#ifdef LZ_FAST", "sqrt.approx", "#else"]), [true; 3]);
    let kernel = with_prelude("#define LZ_NARROW\nvoid lz_kernel_k() { lz_counter i; }");
    assert!(kernel.starts_with("#define LZ_NARROW\n") && kernel.contains("lz_grid_word;"));
    assert_eq!(with_prelude("int x;").matches("lz_").count(), 0);
}

#[test]
fn the_prelude_is_cut_without_loss() {
    for part in &PARTS {
        let ranges = cut::ranges(part.source);
        let rest: String =
            ranges.windows(2).map(|pair| &part.source[pair[0].end..pair[1].start]).collect();
        let end = ranges.last().map_or("", |last| &part.source[last.end..]);
        let code = |line: &&str| !line.is_empty() && !line.starts_with("//");
        assert_eq!((rest + end).lines().find(code), None);
        for range in ranges {
            let text = &part.source[range];
            let names = cut::declared(text);
            let operator = text.starts_with("LZ_HALF_COMPARE(");
            assert!(!names.is_empty() || operator, "nothing is declared by {text}");
        }
    }
}

/// Where an argument is said to be usual, the function for such arguments gives the same bits.
#[test]
fn functions_for_usual_arguments_give_what_the_others_give() {
    let extremes = [0.0, 1.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 1e-310, 1e-42];
    let others = [1e-38, 1e-30, 3.0, 87.0, 708.3, 708.5, 745.5, 746.5, 1e16, 1e38, 1e300];
    let both = extremes.into_iter().chain(others).flat_map(|x| [x, -x]);
    let numbers: Vec<f64> = both.collect();
    let mut body = String::from(
        "template <class T> LZ_FN bool same(T a, T b) {
            return (a != a && b != b) || lz_bitcast<lz_unsigned_t<T>>(a) == lz_bitcast<lz_unsigned_t<T>>(b);
        }
        struct Args { lz_u64 n; const double* x; lz_u32* wrong; };
        template <class T> LZ_FN lz_u32 wrong(T a, T b) {
            lz_u32 bits = 0;\n",
    );
    for (k, op) in Op::USUAL.into_iter().enumerate() {
        let call = op.cuda().replace("{0}", "a").replace("{1}", "b");
        body += &format!(
            "{{ lz_usual usual; T r = usual.{call}; \
             if (usual.all && !same(r, ::{call})) bits |= 1u << {k}; }}\n"
        );
    }
    body += "return bits;
        }
        extern \"C\" __global__ void all(Args p) {
            for (lz_u64 i = 0; i < p.n * p.n; ++i) {
                const double a = p.x[i / p.n], b = p.x[i % p.n];
                p.wrong[i] = wrong(a, b) | wrong(float(a), float(b)) << 16;
            }
        }\n";
    let source = with_prelude(&body);
    if nvrtc_is_here() {
        for approximate in [false, true] {
            let options = CompileOptions { approximate, ..CompileOptions::default() };
            compile_to_cubin(&source, Arch::new(9, 0), &options).unwrap();
        }
    }
    if !emulator::available() {
        return;
    }
    let mut wrong = vec![0u32; numbers.len() * numbers.len()];
    let words = [numbers.len() as u64, numbers.as_ptr() as u64, wrong.as_mut_ptr() as u64];
    let mut args: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    emulator::run(&source, "all", [1; 3], [1; 3], 0, &mut args).unwrap();
    let found = wrong.iter().position(|&bits| bits != 0);
    let said = found.map(|at| {
        let (a, b) = (numbers[at / numbers.len()], numbers[at % numbers.len()]);
        format!("of {a:e} and {b:e}: operations {:#b} of {:?}", wrong[at], Op::USUAL)
    });
    assert_eq!(said, None);
}
