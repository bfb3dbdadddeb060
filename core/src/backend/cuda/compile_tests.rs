//! NVRTC without a device. Where the library is missing the tests say so.

use super::super::prelude::with_prelude;
use super::*;

const ARCHITECTURES: [Arch; 3] = [Arch::new(8, 0), Arch::new(9, 0), Arch::new(10, 0)];

/// Whether NVRTC is there; says why a test is skipped where it is not.
pub fn nvrtc_is_here() -> bool {
    nvrtc::nvrtc()
        .inspect_err(|why| eprintln!("skipped: {why} (tools/fetch-nvrtc fetches it)"))
        .is_ok()
}

#[test]
fn a_kernel_compiles_for_several_architectures() {
    if !nvrtc_is_here() {
        return;
    }
    let source = r#"extern "C" __global__ void k(float* x) { x[threadIdx.x] = sinf(x[0]); }"#;
    for arch in ARCHITECTURES {
        for fmad in [false, true] {
            let options = CompileOptions { fmad, max_registers: 64, ..CompileOptions::default() };
            let cubin = compile_to_cubin(source, arch, &options).unwrap();
            assert!(cubin.starts_with(b"\x7fELF"), "{arch}");
        }
    }
}

#[test]
fn what_threads_make_stays_in_order_and_the_first_error_counts() {
    let items: Vec<u64> = (0..100).collect();
    assert_eq!(
        in_parallel(&items, |k| Ok(k * k)).unwrap(),
        items.iter().map(|k| k * k).collect::<Vec<_>>()
    );
    assert_eq!(in_parallel(&items[..0], |k| Ok(k * k)).unwrap(), Vec::<u64>::new());
    let failing =
        |k: &u64| if k % 7 == 3 { Err(Error::compile(format!("item {k}"))) } else { Ok(*k) };
    let error = in_parallel(&items, failing).unwrap_err();
    assert!(error.to_string().contains("item 3"), "{error}");
    assert!(in_parallel(&items[4..10], failing).is_ok());
}

#[test]
fn contraction_is_an_option() {
    if !nvrtc_is_here() {
        return;
    }
    let source = r#"extern "C" __global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; }"#;
    let nvrtc = nvrtc::nvrtc().unwrap();
    let ptx = |fmad| {
        let options = CompileOptions { fmad, ..CompileOptions::default() };
        let settings = Settings { flags: flags(nvrtc, &options, "compute_90"), image: Image::Ptx };
        let ptx = run(nvrtc, source, &settings).unwrap();
        assert_eq!(ptx.last(), Some(&0), "the driver reads PTX up to its NUL");
        String::from_utf8(ptx).unwrap()
    };
    assert!(ptx(true).contains("fma.rn.f32"));
    assert!(!ptx(false).contains("fma.rn.f32"));
}

#[test]
fn division_and_roots_are_ieee_unless_they_may_be_approximate() {
    if !nvrtc_is_here() {
        return;
    }
    let source = with_prelude(
        r#"extern "C" __global__ void k(float* x) {
            x[0] = lz_divide(x[1], x[2]);
            x[3] = lz_sqrt(x[4]);
            x[5] = lz_reciprocal(x[6]);
        }"#,
    );
    let nvrtc = nvrtc::nvrtc().unwrap();
    let ptx = |approximate| {
        let options = CompileOptions { approximate, ..CompileOptions::default() };
        let settings = Settings { flags: flags(nvrtc, &options, "compute_90"), image: Image::Ptx };
        String::from_utf8(run(nvrtc, &source, &settings).unwrap()).unwrap()
    };
    let exact = ptx(false);
    assert!(exact.contains("div.rn.f32") && exact.contains("sqrt.rn.f32"), "{exact}");
    let fast = ptx(true);
    for wanted in ["div.full.ftz.f32", "sqrt.approx.ftz.f32", "rcp.approx.ftz.f32"] {
        assert!(fast.contains(wanted), "{wanted} in {fast}");
    }
    assert!(!fast.contains("div.rn.f32"));
}

#[test]
fn a_failure_holds_the_log_and_the_source() {
    if !nvrtc_is_here() {
        return;
    }
    let source = "extern \"C\" __global__ void k(float* x) { x[0] = no_such_name; }";
    let error = compile_to_cubin(source, ARCHITECTURES[1], &CompileOptions::default()).unwrap_err();
    assert!(error.is_compile());
    let text = error.to_string();
    assert!(text.contains("identifier \"no_such_name\" is undefined"), "{text}");
    assert!(text.contains(source), "{text}");
    let error = compile_to_cubin("\0", ARCHITECTURES[1], &CompileOptions::default()).unwrap_err();
    assert!(error.is_compile());
}

#[test]
fn a_device_newer_than_nvrtc_gets_ptx() {
    if !nvrtc_is_here() {
        return;
    }
    let source = r#"extern "C" __global__ void k(float* x) { x[0] = 1; }"#;
    let options = CompileOptions::default();
    let image = compile_for_device(source, Arch::new(99, 0), &options).unwrap();
    assert!(String::from_utf8_lossy(&image).contains(".target sm_"));
    let image = compile_for_device(source, Arch::new(9, 0), &options).unwrap();
    assert!(image.starts_with(b"\x7fELF"));
    let error = compile_for_device(source, Arch::new(1, 0), &options).unwrap_err();
    assert!(error.is_unsupported());
}
