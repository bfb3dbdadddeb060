//! Users' code on a device: source, PTX and machine code, and what is refused.

use super::super::compile::{CompileOptions, compile_for_device, compile_users, nvrtc_is_here};
use super::super::gpu_tests::gpu;
use super::*;

const ADD: &str = r#"extern "C" __global__ void add(int* y, const int* x, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + by STEP;
}"#;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry mark(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [out];
    cvta.to.global.u64 %d2, %d1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d3, %r1, 4;
    add.s64 %d2, %d2, %d3;
    add.s32 %r2, %r1, 5;
    st.global.u32 [%d2], %r2;
    ret;
}
";

fn ints(device: &'static CudaDevice, values: &[i32]) -> crate::backend::Buffer {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let buffer = device.allocate(bytes.len()).unwrap();
    device.copy_to_device(&bytes, &buffer, 0).unwrap();
    buffer
}

fn back(device: &'static CudaDevice, buffer: &crate::backend::Buffer) -> Vec<i32> {
    let mut bytes = vec![0; buffer.bytes()];
    device.copy_to_host(buffer, 0, &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn shape(grid: u32, block: u32) -> RawShape {
    RawShape { grid: [grid, 1, 1], block: [block, 1, 1], shared: 0 }
}

fn cuda(code: &str, options: &[&str]) -> RawSource {
    let options = options.iter().map(|o| o.to_string()).collect();
    RawSource::Cuda { code: code.into(), options, prelude: false }
}

#[test]
fn source_ptx_and_machine_code_run() {
    let Some(device) = gpu() else { return };
    let x: Vec<i32> = (0..1000).collect();
    let (dx, dy) = (ints(device, &x), ints(device, &[0; 1000]));
    let expected: Vec<i32> = x.iter().map(|v| v + 7 + 1).collect();
    let cubin = {
        let code = ADD.replace("STEP", "+ 1");
        compile_for_device(&code, device.info().arch, &CompileOptions::default()).unwrap()
    };
    for source in [cuda(ADD, &["-DSTEP=+1"]), RawSource::Cubin(cubin)] {
        let module = RawModule::load(device, &source).unwrap();
        let args = [
            RawArg::Buffer(&dy),
            RawArg::Buffer(&dx),
            RawArg::Bytes(&1000i32.to_le_bytes()),
            RawArg::Bytes(&7i32.to_le_bytes()),
        ];
        // SAFETY: the kernel stays inside the thousand elements.
        unsafe { module.launch("add", &shape(4, 256), &args, Touched::default()) }.unwrap();
        assert_eq!(back(device, &dy), expected);
        device.fill(&dy, 0).unwrap();
        // SAFETY: nothing is launched: the arguments do not fit.
        let few = unsafe { module.launch("add", &shape(4, 256), &args[..3], Touched::default()) };
        let wide = [args[0], args[1], RawArg::Bytes(&[0; 8]), args[3]];
        // SAFETY: as above.
        let wide = unsafe { module.launch("add", &shape(4, 256), &wide, Touched::default()) };
        if module.function("add").unwrap().sizes.is_some() {
            assert!(few.unwrap_err().is_shape() && wide.unwrap_err().is_shape());
        }
        let missing = module.find("subtract").unwrap_err();
        assert!(missing.is_compile() && missing.to_string().contains("extern"), "{missing}");
    }
    let module = RawModule::load(device, &RawSource::Ptx(PTX.into())).unwrap();
    // SAFETY: the kernel writes the first 64 elements.
    unsafe { module.launch("mark", &shape(1, 64), &[RawArg::Buffer(&dy)], Touched::default()) }
        .unwrap();
    assert_eq!(back(device, &dy)[..64], (5..69).collect::<Vec<i32>>()[..]);
    // SAFETY: an empty grid launches nothing, and a block of so many threads is refused.
    unsafe {
        module.launch("mark", &shape(0, 64), &[RawArg::Buffer(&dy)], Touched::default()).unwrap();
        let large =
            module.launch("mark", &shape(1, 4096), &[RawArg::Buffer(&dy)], Touched::default());
        assert!(large.unwrap_err().is_device());
    }
}

#[test]
fn the_prelude_comes_where_it_is_asked_for() {
    let Some(device) = gpu() else { return };
    let code = r#"extern "C" __global__ void k(lz_i32* y) { *y = lz_add(lz_i32(3), lz_i32(4)); }"#;
    for (prelude, options) in [(true, vec![]), (true, vec!["-DBY=1".to_string()])] {
        let module =
            RawModule::load(device, &RawSource::Cuda { code: code.into(), options, prelude });
        let y = ints(device, &[0]);
        // SAFETY: the kernel writes the one element.
        unsafe {
            module.unwrap().launch("k", &shape(1, 1), &[RawArg::Buffer(&y)], Touched::default())
        }
        .unwrap();
        assert_eq!(back(device, &y), [7]);
    }
}

#[test]
fn what_is_no_code_is_refused() {
    if nvrtc_is_here() {
        let error = compile_users("no such thing", Arch::new(9, 0), &[]).unwrap_err();
        assert!(error.is_compile() && error.to_string().contains("could not compile"), "{error}");
        let image = compile_users(&ADD.replace("STEP", ""), Arch::new(9, 0), &[]).unwrap();
        assert!(check_cubin(&image).is_ok());
    }
    assert!(check_cubin(b"not a cubin").unwrap_err().is_compile());
    let Some(device) = gpu() else { return };
    assert!(RawModule::load(device, &RawSource::Ptx("nothing".into())).is_err());
}
