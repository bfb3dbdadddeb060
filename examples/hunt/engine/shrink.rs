//! Makes a program that fails smaller, for as long as it fails in the same way.

use super::check::{Finding, Way, check};
use super::interpret::interpret;
use super::op::{Node, Op, Program};
use super::value::{Host, V};
use std::time::{Duration, Instant};

/// A smaller program that fails too, and what is wrong with it.
pub fn shrink(program: &Program, finding: Finding, limit: Duration) -> (Program, Finding) {
    let until = Instant::now() + limit;
    let mut best = (program.clone(), finding);
    loop {
        let candidates = smaller(&best.0, &best.1);
        let way = best.1.way;
        let kind = class(&best.1);
        let better = candidates.into_iter().find_map(|p| {
            if Instant::now() > until {
                return None;
            }
            let found = attempt(&p, way)?;
            (class(&found) == kind).then_some((p, found))
        });
        match better {
            Some(next) => best = next,
            None => return best,
        }
    }
}

/// Fails now and again where threads are at play, so that a failure is looked for more than once.
fn attempt(program: &Program, way: Way) -> Option<Finding> {
    check(program, way)
}

/// Wrong values, errors and panics are different findings.
fn class(finding: &Finding) -> &str {
    finding.what.split(':').next().filter(|w| ["error", "panic"].contains(w)).unwrap_or("value")
}

/// A program of the nodes that are still needed, interpreted anew.
pub fn rebuilt(program: &Program, nodes: Vec<Node>, outputs: Vec<usize>) -> Option<Program> {
    let mut needed = vec![false; nodes.len()];
    outputs.iter().for_each(|&k| needed[k] = true);
    for k in (0..nodes.len()).rev() {
        if needed[k] {
            nodes[k].args.iter().for_each(|&a| needed[a] = true);
        }
    }
    let mut place = vec![usize::MAX; nodes.len()];
    let mut kept: Vec<Node> = Vec::new();
    for (k, node) in nodes.into_iter().enumerate() {
        if !needed[k] {
            continue;
        }
        let args: Vec<usize> = node.args.iter().map(|&a| place[a]).collect();
        let values: Vec<&Host> = args.iter().map(|&a| &kept[a].value).collect();
        let value = interpret(&node.op, &values)?;
        place[k] = kept.len();
        kept.push(Node { op: node.op, args, value });
    }
    let outputs = outputs.iter().map(|&k| place[k]).collect();
    Some(Program { seed: program.seed, nodes: kept, outputs })
}

/// Programs that are a little smaller, the smallest first.
fn smaller(program: &Program, finding: &Finding) -> Vec<Program> {
    let mut all = Vec::new();
    let nodes = &program.nodes;
    let mut add = |p: Option<Program>| all.extend(p);
    // What comes behind the node that is wrong, and what is not asked for.
    if let Some(k) = finding.node.filter(|k| k + 1 < nodes.len() || program.outputs.len() > 1) {
        add(rebuilt(program, nodes[..=k].to_vec(), vec![k]));
    }
    for drop in 0..program.outputs.len() {
        if program.outputs.len() > 1 {
            let mut outputs = program.outputs.clone();
            outputs.remove(drop);
            add(rebuilt(program, nodes.clone(), outputs));
        }
    }
    // A node's value in place of the node; an argument in place of the node.
    for k in (0..nodes.len()).rev() {
        if !matches!(nodes[k].op, Op::Input(_)) && nodes[k].value.is_exact() {
            let mut changed = nodes.clone();
            changed[k].op = Op::Input(nodes[k].value.clone());
            changed[k].args.clear();
            add(rebuilt(program, changed, program.outputs.clone()));
        }
        for &a in &nodes[k].args {
            if nodes[a].value.kind == nodes[k].value.kind {
                let mut changed = nodes.clone();
                let last = program.outputs.last() == Some(&k);
                changed.iter_mut().for_each(|n| {
                    n.args.iter_mut().for_each(|x| *x = if *x == k { a } else { *x });
                });
                let outputs: Vec<usize> =
                    program.outputs.iter().map(|&o| if o == k { a } else { o }).collect();
                if !last || a > 0 {
                    add(rebuilt(program, changed, outputs));
                }
            }
        }
    }
    lengths(program).into_iter().for_each(|p| add(Some(p)));
    values(program).into_iter().for_each(|p| add(Some(p)));
    let size = |p: &Program| -> usize {
        p.nodes.iter().map(|n| 50 + n.value.data.len()).sum::<usize>() + 20 * p.outputs.len()
    };
    all.sort_by_key(size);
    all
}

/// The program with one length made shorter wherever it occurs.
fn lengths(program: &Program) -> Vec<Program> {
    let mut found: Vec<usize> =
        program.nodes.iter().flat_map(|n| n.value.shape.clone()).filter(|&n| n > 1).collect();
    found.sort_unstable();
    found.dedup();
    let mut all = Vec::new();
    for &from in &found {
        for to in [1, from / 2, from - 1] {
            if to == from || to == 0 {
                continue;
            }
            for front in [false, true] {
                let nodes = program.nodes.iter().map(|n| shortened(n, from, to, front)).collect();
                all.extend(rebuilt(program, nodes, program.outputs.clone()));
            }
        }
    }
    all
}

/// A node with shorter axes: what goes is the end, or the front.
fn shortened(node: &Node, from: usize, to: usize, front: bool) -> Node {
    let shorter = |shape: &[usize]| -> Vec<usize> {
        shape.iter().map(|&n| if n == from { to } else { n }).collect()
    };
    let cut = |host: &Host| {
        Host::build(host.kind, shorter(&host.shape), |at| {
            let moved =
                |(&i, &n): (&usize, &usize)| i + if n == from && front { n - to } else { 0 };
            let place: Vec<usize> = at.iter().zip(&host.shape).map(moved).collect();
            host.data[host.offset(&place)]
        })
    };
    let op = match &node.op {
        Op::Input(host) => Op::Input(cut(host)),
        Op::Full(kind, shape, v) => Op::Full(*kind, shorter(shape), *v),
        Op::Range(kind, n) => Op::Range(*kind, if *n == from { to } else { *n }),
        Op::Reshape(shape) => Op::Reshape(shorter(shape)),
        Op::Broadcast(shape) => Op::Broadcast(shorter(shape)),
        Op::Windows(w, axis) if *w == from => Op::Windows(to, *axis),
        other => other.clone(),
    };
    Node { op, ..node.clone() }
}

/// The program with simpler elements in its inputs.
fn values(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for k in 0..program.nodes.len() {
        let Op::Input(host) = &program.nodes[k].op else { continue };
        let mut change = |f: &dyn Fn(usize, &V) -> V| {
            let data: Vec<V> = host.data.iter().enumerate().map(|(i, v)| f(i, v)).collect();
            let same =
                |a: &V, b: &V| a.int == b.int && a.re.to_bits() == b.re.to_bits() && a.im == b.im;
            if data.iter().zip(&host.data).all(|(a, b)| same(a, b)) {
                return;
            }
            let mut nodes = program.nodes.clone();
            nodes[k].op = Op::Input(Host::new(host.kind, host.shape.clone(), data));
            all.extend(rebuilt(program, nodes, program.outputs.clone()));
        };
        change(&|_, _| V::zero());
        let n = host.data.len();
        for (low, high) in
            [(0, n / 2), (n / 2, n), (0, n / 4), (n / 4, n / 2), (n / 2, n * 3 / 4), (n * 3 / 4, n)]
        {
            change(&|i, v| if (low..high).contains(&i) { V::zero() } else { *v });
        }
    }
    all
}
