//! Kernels that a byte skips: what they give where they run, and that they touch nothing where not.

use super::super::render_skipped;
use super::turns::same;
use super::*;

#[test]
fn a_kernel_runs_unless_its_byte_is_zero() {
    // Each is compiled twice for the emulator, and once by NVRTC.
    for (name, case) in fixtures::all().into_iter().step_by(12) {
        let kernel = &case.kernel;
        let mut rendered = render_skipped(kernel, &SMALL).unwrap();
        show(&format!("skipped {name}"), &rendered);
        if nvrtc_is_here() {
            compile_to_cubin(&rendered.source(), Arch::new(9, 0), &CompileOptions::default())
                .unwrap_or_else(|error| panic!("{name}: {error}\n{}", rendered.body));
        }
        if !emulator::available() {
            continue;
        }
        let as_ever = emulate(kernel, &render(kernel, &SMALL).unwrap(), &case);
        let before = |o: &crate::kernel::Output| match o.alias {
            Some(input) => case.inputs[input as usize].clone(),
            None => vec![0; o.len * o.dtype.size()],
        };
        let before: Vec<Vec<u8>> = kernel.outputs.iter().map(before).collect();
        let goes_on = rendered.template.goes_on;
        assert!(goes_on.is_some());
        for (byte, runs) in [(None, true), (Some(1u8), true), (Some(0), false)] {
            let address = byte.as_ref().map_or(0, |byte| std::ptr::from_ref(byte) as u64);
            Template::write_address(&mut rendered.template.bytes, goes_on, address);
            let found = emulate(kernel, &rendered, &case);
            let wanted = if runs { &as_ever } else { &before };
            same(kernel, &found, wanted, &|| format!("{name}, {byte:?}\n{}", rendered.body));
        }
    }
}
