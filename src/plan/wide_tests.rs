//! Wide graphs take work in proportion to their size, and not its square: steps are counted, since
//! times depend on the machine.

use super::steps_of;
use crate::prelude::*;

type Array = DeviceArray<f64>;

/// The steps that may be taken for each node of a graph: a large graph is grouped some times.
const STEPS_A_NODE: usize = 300;

/// What is recorded for a number of parts, and how many nodes these are for each part, about.
struct Form(&'static str, usize, fn(usize) -> Vec<Array>);

fn pair(k: usize) -> Array {
    DeviceArray::from_slice(&[k as f64, 1.0]).unwrap()
}

fn tree(mut level: Vec<Array>) -> Vec<Array> {
    while level.len() > 1 {
        level =
            level.chunks(2).map(|c| c.iter().skip(1).fold(c[0].clone(), |a, b| a + b)).collect();
    }
    level
}

/// Expressions of random operations on random earlier ones, of a few shapes.
fn random(n: usize) -> Vec<Array> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut all: Vec<Array> = (0..16).map(|k| pair(k).slice(s![0]) * Array::ones([5])).collect();
    for _ in 0..n {
        // Some of what was made lately, some of all.
        let mut any = || {
            let count = all.len();
            let near = below(3) > 0;
            all[if near { count - 1 - below(16.min(count)) } else { below(count) }].clone()
        };
        let (a, b) = (any(), any());
        all.push(match below(8) {
            0 => a.sum(..) * 0.1 + b * 0.5,
            1 => lazuli_join(&a, &b),
            2 => (a.tanh() - b) * 0.5,
            3 => (a.flip(0) + b) * 0.5,
            4 => a.cumsum(0) * 0.1 - b * 0.5,
            5 => a.maximum(&b),
            _ => (a + b) * 0.5,
        });
    }
    all
}

fn lazuli_join(a: &Array, b: &Array) -> Array {
    crate::concatenate(&[&a.slice(s![..2]), &b.slice(s![2..])], 0)
}

const FORMS: [Form; 14] = [
    Form("parts of a join", 1, |n| {
        vec![crate::concatenate(&(0..n).map(pair).collect::<Vec<_>>(), 0)]
    }),
    Form("computed parts of a join", 2, |n| {
        let x = pair(3);
        let parts: Vec<Array> = (0..n).map(|k| &x * k as f64).collect();
        vec![crate::concatenate(&parts, 0)]
    }),
    Form("a stack of sums", 4, |n| {
        let x = pair(3);
        let parts: Vec<Array> = (0..n).map(|k| (&x * k as f64).sum(..)).collect();
        vec![crate::stack(&parts, 0)]
    }),
    Form("a tree of sums", 2, |n| tree((0..n).map(pair).collect())),
    Form("a tree of reductions", 3, |n| {
        let x = DeviceArray::from_slice(&[1.0, 2.0, 3.0]).unwrap();
        tree((0..n).map(|k| (&x * k as f64).sum(..)).collect())
    }),
    Form("outputs of one array", 1, |n| {
        let x = pair(3);
        (0..n).map(|k| &x + k as f64).collect()
    }),
    Form("outputs of many arrays", 2, |n| (0..n).map(|k| pair(k) + 1.0).collect()),
    Form("outputs of many shapes", 2, |n| {
        (0..n).map(|k| Array::ones([1 + k % 7, 1 + k / 7]) + pair(3).slice(s![0])).collect()
    }),
    Form("sums", 2, |n| {
        let x = pair(3);
        (0..n).map(|k| (&x + k as f64).sum(..)).collect()
    }),
    Form("readers of one value", 2, |n| {
        let x = Array::arange_to(64.0).sin();
        (0..n).map(|k| x.slice(s![..1 + (k % 60) as isize]) * k as f64).collect()
    }),
    Form("slices of one array", 3, |n| {
        let x = Array::arange_to(2.0 * n as f64);
        crate::eval(&[&x]).unwrap();
        (0..n as isize).map(|k| x.slice(s![2 * k..2 * k + 2]) + 1.0).collect()
    }),
    Form("slices of many arrays", 3, |n| (0..n).map(|k| pair(k).slice(s![1..]) + 1.0).collect()),
    Form("assignments", 3, |n| {
        let assigned = |k| {
            let mut a = pair(k);
            a.assign(s![1..], pair(k).slice(s![..1]));
            a
        };
        (0..n).map(assigned).collect()
    }),
    Form("products", 3, |n| {
        let x = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0]).unwrap().reshape([2, 2]);
        (0..n).map(|k| (&x + k as f64).matmul(&x)).collect()
    }),
];

fn steps_to_evaluate(arrays: &[Array]) -> usize {
    let all: Vec<&dyn crate::AnyArray> = arrays.iter().map(|a| a as _).collect();
    steps_of(|| crate::eval(&all).unwrap()).1
}

#[test]
fn work_grows_with_the_graph() {
    let mut wrong = String::new();
    for Form(name, nodes, make) in FORMS {
        for parts in [500, 6000] {
            let steps = Device::cpu().scope(|| steps_to_evaluate(&make(parts)));
            let each = steps / (parts * nodes);
            println!("{name}, {parts} parts: {each} steps for each node");
            if each > STEPS_A_NODE {
                wrong += &format!("{name}, {parts} parts: {each} steps for each node\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn random_graphs_take_work_in_proportion_and_have_their_values() {
    for parts in [300, 3000] {
        let (whole, singly) = Device::cpu().scope(|| (random(parts), random(parts)));
        let steps = steps_to_evaluate(&whole);
        assert!(steps <= 2 * STEPS_A_NODE * parts, "{parts}: {} for each", steps / parts);
        for (k, (a, b)) in whole.iter().zip(&singly).enumerate() {
            let (a, b) = (a.to_vec().unwrap(), b.to_vec().unwrap());
            let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * x.abs().max(1.0);
            assert!(a.iter().zip(&b).all(close), "{k} of {parts}: {a:?} {b:?}");
        }
    }
}

#[test]
fn wide_graphs_have_their_values() {
    let n = 5000;
    Device::cpu().scope(|| {
        let sum = (n * (n - 1) / 2) as f64;
        for Form(name, _, make) in &FORMS[..5] {
            let got = make(n).pop().unwrap().to_vec().unwrap();
            let want: Vec<f64> = match *name {
                "parts of a join" => (0..n).flat_map(|k| [k as f64, 1.0]).collect(),
                "computed parts of a join" => {
                    (0..n).flat_map(|k| [3.0 * k as f64, k as f64]).collect()
                }
                "a stack of sums" => (0..n).map(|k| 4.0 * k as f64).collect(),
                "a tree of sums" => vec![sum, n as f64],
                _ => vec![6.0 * sum],
            };
            assert_eq!(got, want, "{name}");
        }
    });
}
