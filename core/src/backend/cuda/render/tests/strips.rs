//! Turns of rows that stay in registers, against a launch for each turn.

use super::super::strips;
use super::turns::{emulate_turns, launched_one_by_one, same};
use super::*;

/// Checks the turns of a loop's kernel by strips; gives their source, and none where there are none.
pub fn check_strips(name: &str, kernel: &Kernel, pairs: &[(u32, u32)]) -> Option<Rendered> {
    let case = fixtures::case(kernel.clone());
    let rendered = strips::render(kernel, Some(pairs), &LARGE).unwrap()?;
    show(&format!("strips of {name}"), &rendered);
    assert!(rendered.weight <= strips::MOST_WEIGHT, "{name}: {}", rendered.weight);
    if nvrtc_is_here() {
        compile_to_cubin(&rendered.source(), Arch::new(9, 0), &CompileOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}\n{}", rendered.body));
    }
    if emulator::available() {
        for turns in [1, 2, 5] {
            let found = emulate_turns(kernel, pairs, &rendered, &case, turns);
            let wanted = launched_one_by_one(kernel, pairs, &case, turns);
            same(kernel, &found, &wanted, &|| {
                let (schedule, body) = (&rendered.schedule, &rendered.body);
                format!("{name} after {turns} turns\n{schedule}\n{kernel}\n{body}")
            });
        }
    }
    check_one_turn(name, &case);
    Some(rendered)
}

/// Checks a kernel by strips in a launch of one turn, against the reference.
fn check_one_turn(name: &str, case: &Case) {
    let once = strips::render(&case.kernel, None, &LARGE).unwrap();
    let once = once.unwrap_or_else(|| panic!("{name} has strips over turns alone"));
    agrees(name, case, &once);
}

/// A row of 9600 doubles fits into the registers of a multiprocessor, one of twice as many does not.
#[test]
fn rows_that_fit() {
    for (n, strips) in [(9600, Some(30)), (9472, Some(30)), (4000, None), (19200, None)] {
        let kernel = fixtures::lorenz(200, n);
        let name = format!("lorenz of {n}");
        let by = |pairs| strips::render(&kernel, pairs, &LARGE).unwrap();
        let rendered = [by(None), by(Some(&[(0, 0)]))];
        for rendered in rendered.iter().flatten() {
            show(&name, rendered);
            assert!(rendered.weight <= strips::MOST_WEIGHT, "{}", rendered.weight);
            if let Some(keep) = strips {
                assert!(rendered.schedule.contains(&format!(" {keep} ")), "{}", rendered.schedule);
            }
        }
        assert_eq!(rendered.iter().all(Option::is_some), n < 10_000, "{name}");
    }
    let of = |n: usize| strips::render(&fixtures::lorenz(200, n), Some(&[(0, 0)]), &LARGE).unwrap();
    assert_eq!(of(9600).map(|r| r.body), of(9472).map(|r| r.body));
}
