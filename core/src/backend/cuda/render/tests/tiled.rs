//! Stencils that take several turns a launch, against a launch for each turn.

use super::super::tiled::render_by;
use super::super::time_plan::TimePlan;
use super::turns::{launched_one_by_one, same};
use super::*;
use crate::backend::turns::kind;

/// Shapes of small tiles: the turns of a launch, the columns and rows of a thread, and the threads along
/// both; a tile of one axis takes the columns alone.
const SHAPES: [(usize, usize, usize, usize, usize); 4] =
    [(1, 1, 1, 16, 9), (2, 2, 3, 16, 5), (3, 4, 2, 16, 12), (5, 2, 4, 32, 8)];

/// How the turns of a loop were checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked {
    /// The shapes of tiles by which they were taken.
    pub shapes: usize,
    /// The launches of all of them.
    pub launches: u64,
}

/// Checks the turns of a loop's kernel by tiles of several shapes.
pub fn check_tiled(name: &str, kernel: &Kernel, pairs: &[(u32, u32)]) -> Checked {
    let mut checked = Checked::default();
    let case = fixtures::case(kernel.clone());
    for (shape, (turns, v, rows, across, down)) in SHAPES.into_iter().enumerate() {
        let keeps = shape % 2 == 0;
        let plan = TimePlan { turns, v, rows, across, down, keeps };
        let fitting = |tiled: &super::super::time_plan::Tiled| {
            let flat = TimePlan { rows: 1, down: 1, ..plan.clone() };
            let plan = if tiled.row.is_some() { plan.clone() } else { flat };
            tiled.launch(&plan).map(|_| plan)
        };
        let Some(rendered) = render_by(kernel, pairs, &LARGE, &fitting).unwrap() else { continue };
        show(&format!("tiles of {name} {shape}"), &rendered);
        if nvrtc_is_here() && shape == 1 {
            compile_to_cubin(&rendered.source(), Arch::new(9, 0), &CompileOptions::default())
                .unwrap_or_else(|error| panic!("{name}: {error}\n{}", rendered.body));
        }
        checked.shapes += 1;
        if !emulator::available() {
            continue;
        }
        let most = turns as u64;
        for turns in [1, most - 1, most, most + 1, 3 * most + 1] {
            if turns == 0 {
                continue;
            }
            let found = launched(kernel, pairs, &rendered, &case, turns);
            checked.launches += turns.div_ceil(most);
            let wanted = launched_one_by_one(kernel, pairs, &case, turns);
            same(kernel, &found, &wanted, &|| {
                let (schedule, body) = (&rendered.schedule, &rendered.body);
                format!("{name} after {turns} turns\n{schedule}\n{kernel}\n{body}")
            });
        }
    }
    checked
}

/// What a loop gives by launches of several turns, as the device makes them.
fn launched(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    rendered: &Rendered,
    case: &Case,
    turns: u64,
) -> Vec<Vec<u8>> {
    let launches = turns.div_ceil(rendered.at_a_time.expect("it takes several turns"));
    let memory = |o: &crate::kernel::Output| Aligned::new(&vec![0; o.len * o.dtype.size()]);
    let mut inputs: Vec<Aligned> = case.inputs.iter().map(|b| Aligned::new(b)).collect();
    let mut written: [Vec<Aligned>; 2] =
        [0, 1].map(|_| kernel.outputs.iter().map(memory).collect());
    let template = &rendered.template;
    let (source, shared) = (rendered.source(), rendered.shared_bytes as usize);
    for launch in 0..launches {
        let mut bytes = template.bytes.clone();
        let mut addresses: Vec<u64> = inputs.iter_mut().map(Aligned::address).collect();
        let before = &mut written[(launch as usize + 1) % 2];
        if kind(launch) > 0 {
            for &(input, output) in pairs {
                addresses[input as usize] = before[output as usize].address();
            }
        }
        for (at, &address) in template.inputs.iter().zip(&addresses) {
            Template::write_address(&mut bytes, *at, address);
        }
        for (at, output) in template.outputs.iter().zip(&mut written[launch as usize % 2]) {
            Template::write_address(&mut bytes, *at, output.address());
        }
        for (at, scalar) in template.scalars.iter().zip(&case.scalars) {
            if let Some(at) = at {
                Template::write_scalar(&mut bytes, *at, scalar);
            }
        }
        let own = turns / launches + u64::from(launch < turns % launches);
        template.write_turns(&mut bytes, own);
        emulator::run(&source, &rendered.entry, rendered.grid, rendered.block, shared, &mut bytes)
            .unwrap_or_else(|e| panic!("{e}\n{}", rendered.body));
    }
    let last = &mut written[(launches as usize + 1) % 2];
    let read = |(output, of): (&mut Aligned, &crate::kernel::Output)| {
        output.bytes(of.len * of.dtype.size()).to_vec()
    };
    last.iter_mut().zip(&kernel.outputs).map(read).collect()
}

/// The tiles that are chosen for a kernel on the device that speed is measured on, in words.
pub fn chosen(kernel: &Kernel, pairs: &[(u32, u32)]) -> Option<Rendered> {
    super::super::render_tiled(kernel, pairs, &LARGE).unwrap()
}
