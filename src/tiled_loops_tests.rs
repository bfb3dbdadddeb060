//! Loops over stencils that take several turns a launch, without a GPU: their kernels are rendered as
//! CUDA C++ and run by the emulator, against a launch for each turn.

use crate::PadMode;
use crate::backend::cuda::render::tests::tiled::{Checked, check_tiled, chosen};
use crate::loop_tests::{self, state, turn};
use crate::prelude::*;

type Array = DeviceArray<f64>;
type States = loop_tests::States<f64>;

fn check(name: &str, start: &States, body: &dyn Fn(States) -> States) -> Checked {
    let (kernel, pairs) = turn(start, body).unwrap_or_else(|| panic!("{name} is no kernel"));
    let checked = check_tiled(name, &kernel, &pairs);
    eprintln!("{name}: {checked:?}");
    checked
}

type Body = (&'static str, usize, fn(States) -> States);

fn one(state: States, step: impl Fn(&Array) -> Array) -> States {
    state.iter().map(step).collect()
}

/// Plates with held edges, on rings, and with edges that are mirrors; coefficients, several states, and
/// neighbours two away.
const PLATES: [Body; 9] = [
    ("held edges", 1, |s| one(s, held)),
    ("ring", 1, |s| {
        one(s, |u| (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1)) * 0.25)
    }),
    ("ring and edges", 1, |s| {
        one(s, |u| {
            let inner = (u.slice(s![..-2, ..]) + u.slice(s![2.., ..])).roll(1, 1);
            u.with_slice(s![1..-1, ..], inner * 0.5)
        })
    }),
    ("repeated edges", 1, |s| one(s, |u| padded(u, PadMode::Edge, 1))),
    ("mirrors", 1, |s| one(s, |u| padded(u, PadMode::Reflect, 2))),
    ("zeros", 1, |s| one(s, |u| padded(u, PadMode::Constant(0.0), 2))),
    ("along rows", 1, |s| one(s, |u| u.roll(1, 1) * 0.5 + u)),
    ("across rows", 1, |s| one(s, |u| u.roll(2, 0) * 0.5 + u)),
    ("two plates", 2, |s| {
        let flow = &s[0] + 0.1 * (s[1].roll(1, 0) - s[1].roll(-1, 0));
        let back = &s[1] + 0.1 * (s[0].roll(1, 1) - s[0].roll(-1, 1));
        vec![flow, back]
    }),
];

fn held(u: &Array) -> Array {
    let inner = u.slice(s![1..-1, ..-2]) + u.slice(s![1..-1, 2..]);
    let inner = inner + u.slice(s![2.., 1..-1]) + u.slice(s![..-2, 1..-1]);
    u.with_slice(s![1..-1, 1..-1], inner * 0.25)
}

fn padded(u: &Array, mode: PadMode<f64>, by: usize) -> Array {
    let [h, w] = [u.shape()[0] as isize, u.shape()[1] as isize];
    let wide = u.pad(&[(by, by), (by, by)], mode);
    let (by, far) = (by as isize, 2 * by as isize);
    let side = |y: isize, x: isize| wide.slice(s![y..y + h, x..x + w]);
    (side(0, by) + side(far, by) + side(by, 0) + side(by, far)) * 0.25
}

#[test]
fn plates_of_all_sizes() {
    Device::cpu().scope(|| {
        for (name, count, body) in PLATES {
            for shape in [[37, 50], [5, 6], [16, 16]] {
                let checked = check(&format!("{name} {shape:?}"), &state(&shape, count), &body);
                assert!(checked.shapes >= 2, "{name} {shape:?}: {checked:?}");
            }
        }
    });
}

#[test]
fn lines_and_stacks() {
    let lines: [Body; 5] = [
        ("line with held ends", 1, |s| {
            one(s, |u| {
                let inner = (u.slice(s![..-2]) + u.slice(s![2..])) * 0.5;
                u.with_slice(s![1..-1], inner)
            })
        }),
        ("ring of neighbours", 1, |s| one(s, |u| (u.roll(1, 0) - u.roll(2, 0)) * u.roll(-1, 0))),
        ("wave", 2, |s| {
            let new =
                2.0 * &s[0] - &s[1] + 0.1 * (s[0].roll(1, 0) + s[0].roll(-1, 0) - 2.0 * &s[0]);
            vec![new, &s[0] * 1.0]
        }),
        ("wave by leaps", 2, |s| {
            let around = s[0].roll(1, 0) + s[0].roll(-1, 0);
            vec![1.8 * &s[0] - &s[1] + 0.1 * around, s[0].clone()]
        }),
        ("upwind", 1, |s| {
            one(s, |u| {
                let left = u.roll(1, 0);
                u.greater(0.0).select(&(u - 0.1 * (u - &left)), &(u - 0.1 * (u.roll(-1, 0) - u)))
            })
        }),
    ];
    let stacks: [Body; 2] = [
        ("stack of plates", 1, |s| one(s, |u| (u.roll(1, 1) + u.roll(-1, 2)) * 0.5)),
        ("stack of lines", 1, |s| one(s, |u| u.roll(1, 2) * 0.5 + u)),
    ];
    Device::cpu().scope(|| {
        for (name, count, body) in lines {
            for n in [1000, 7, 129] {
                let checked = check(&format!("{name} {n}"), &state(&[n], count), &body);
                assert!(checked.shapes >= 2, "{name} {n}: {checked:?}");
            }
        }
        for (name, count, body) in stacks {
            let checked = check(name, &state(&[3, 20, 18], count), &body);
            assert!(checked.shapes >= 2, "{name}: {checked:?}");
        }
    });
}

/// Arrays beside the state, and numbers that change between runs.
#[test]
fn what_turns_read_besides() {
    Device::cpu().scope(|| {
        let [source, weights]: [Array; 2] = state(&[30, 41], 2).try_into().expect("two");
        let single = |shape: &[usize]| state::<f64>(shape, 1).remove(0);
        let (row, numbers, column) = (single(&[41]), single(&[]), single(&[30, 1]));
        let body = |s: States| {
            one(s, |u| {
                let around = held(u) * &weights + &source * 0.01 + source.roll(1, 1);
                around * &row * &numbers + &column
            })
        };
        let checked = check("besides", &state(&[30, 41], 1), &body);
        assert!(checked.shapes >= 3, "{checked:?}");
    });
}

/// Counts steps for as long as a number says, which is no number where nobody needs a position.
#[crate::vectorize]
fn counted(a: f64, b: f64) -> f64 {
    let (mut x, mut steps) = (a, 0.0);
    while x != b {
        x = if x < b { x + 1.0 } else { x - 1.0 };
        steps += 1.0;
    }
    a + steps % 3.0 - 1.0
}

/// A user's function is called for no position but those that are there.
#[test]
fn functions_are_called_for_what_is_needed() {
    Device::cpu().scope(|| {
        let whole = state::<f64>(&[25, 33], 1).remove(0) * 10.0;
        let start = vec![whole.round()];
        start[0].eval().unwrap();
        for (name, body) in [
            ("counted", (|s| one(s, |u| counted::call(u, u.roll(1, 0)))) as fn(States) -> States),
            ("counted within", |s| {
                one(s, |u| {
                    let steps = counted::call(u.slice(s![1.., ..]), u.slice(s![..-1, ..]));
                    u.with_slice(s![1.., ..], steps)
                })
            }),
        ] {
            let (kernel, pairs) = turn(&start, &body).expect("a kernel");
            // Numbers drawn for a test need not meet, so that `tests/it/stencil_loops.rs` runs it.
            let body = chosen(&kernel, &pairs).unwrap_or_else(|| panic!("{name}")).body;
            let calls = body.lines().filter(|line| line.contains("= lz_user_counted")).count();
            let guards = body.lines().filter(|line| line.contains("if (j * ")).count();
            assert!(calls > 0 && guards >= calls, "{name}:\n{body}");
        }
    });
}

/// What looks far, or is no stencil, is launched as it was.
#[test]
fn other_loops_have_no_tiles() {
    let others: [Body; 8] = [
        ("mean", 1, |s| one(s, |u| u * 0.9 + u.slice(s![..3, ..2]).mean(..))),
        ("flipped", 1, |s| one(s, |u| u.flip(0) * 0.5 + u)),
        ("turned", 1, |s| one(s, |u| u.t() * 0.5 + u)),
        ("far", 1, |s| one(s, |u| u.roll(100, 1) * 0.5 + u)),
        ("first row", 1, |s| one(s, |u| u.slice(s![0, ..]) * 0.5 + u)),
        ("strides", 1, |s| one(s, |u| u.reshape([-1]).roll(1, 0).reshape([240, 240]) * 0.5 + u)),
        ("own", 1, |s| one(s, |u| u * 0.5 + 1.0)),
        ("mixed", 1, |s| {
            one(s, |u| {
                let index = DeviceArray::<i64>::arange_to(240);
                u.take(&((index * 7) % 240), 0) * 0.5 + u
            })
        }),
    ];
    Device::cpu().scope(|| {
        for (name, count, body) in others {
            let Some((kernel, pairs)) = turn(&state(&[240, 240], count), &body) else { continue };
            let rendered = chosen(&kernel, &pairs);
            assert!(rendered.is_none(), "{name}: {:?}", rendered.map(|r| r.schedule));
        }
        // Three elements are near each other; what is the same for all of them is no neighbour.
        let mean = turn(&state(&[3], 1), &|s| one(s, |u| u * 0.9 + u.mean(..)));
        assert!(
            mean.is_none_or(|(kernel, pairs)| check_tiled("mean", &kernel, &pairs).shapes == 0)
        );
    });
}

/// Tiles are within their bounds, and sizes that differ in little share their code.
#[test]
fn tiles_of_large_plates() {
    Device::cpu().scope(|| {
        let mut sources: Vec<String> = Vec::new();
        for n in [64, 200, 512, 1024, 4096].into_iter().chain(1000..1020) {
            let (kernel, pairs) = turn(&state(&[n, n], 1), &|s| one(s, held)).expect("a kernel");
            let rendered = chosen(&kernel, &pairs).unwrap_or_else(|| panic!("{n} has no tiles"));
            eprintln!("{n}: {}, weight {}", rendered.schedule, rendered.weight);
            assert!(rendered.schedule.contains("turns a launch"), "{}", rendered.schedule);
            assert!(rendered.shared_bytes as usize <= 227 << 10, "{}", rendered.schedule);
            assert!(rendered.weight <= crate::kernel::weight::MOST, "{}", rendered.weight);
            if (1000..1020).contains(&n) && !sources.contains(&rendered.body) {
                sources.push(rendered.body);
            }
        }
        assert!(sources.len() <= 3, "{} sources", sources.len());
    });
}
