//! Structs of numbers in device code, and their arrays as columns.

use lazuli::prelude::*;
use lazuli::{compile, repeat};

#[derive(Clone, Copy, Debug, PartialEq, Columns)]
struct Particle {
    x: f64,
    v: f64,
    mass: f32,
    hits: u16,
    alive: bool,
}

/// A field named as a C++ keyword and one as a field of the complex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Columns)]
pub struct Odd {
    pub double: i32,
    pub re: f64,
    pub z: Complex<f32>,
}

#[device]
fn moved(mut p: Particle, dt: f64) -> Particle {
    p.x += p.v * dt;
    p
}

/// Makes, changes, takes apart and gives back structs.
#[vectorize]
fn step(p: Particle, dt: f64, wall: f64) -> Particle {
    let p = moved(p, dt);
    if p.x > wall {
        let mut hit = Particle { v: -p.v, hits: p.hits + 1, ..p };
        hit.x = 2.0 * wall - p.x;
        return hit;
    }
    let Particle { x, mass, .. } = p;
    Particle { mass: mass * 0.5, alive: x >= 0.0, hits: p.hits, v: p.v, x }
}

#[vectorize]
fn energy(p: Particle, scale: f64) -> f64 {
    if p.alive { 0.5 * f64::from(p.mass) * p.v * p.v * scale } else { 0.0 }
}

/// A loop, whose lanes hold structs.
#[vectorize]
fn bounced(p: Particle, turns: i32) -> Particle {
    let mut q = p;
    let mut k = 0;
    while k < turns && q.alive {
        q = step(q, 0.25, 1.0);
        k += 1;
        q.hits += 1;
    }
    q
}

#[vectorize]
fn odd(o: Odd, by: i32) -> Odd {
    let mut z = o.z;
    z.re += 1.0;
    Odd { re: o.re * 2.0 + o.z.im as f64, double: o.double + by, z }
}

#[derive(Clone, Copy, Debug, PartialEq, Columns)]
struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

#[reduce(identity = Moments { n: 0.0, mean: 0.0, squares: 0.0 })]
fn moments(a: Moments, b: Moments) -> Moments {
    let n = a.n + b.n;
    if n == 0.0 {
        return a;
    }
    let d = b.mean - a.mean;
    Moments {
        n,
        mean: a.mean + d * b.n / n,
        squares: a.squares + b.squares + d * d * a.n * b.n / n,
    }
}

fn rows(n: usize) -> Vec<Particle> {
    let row = |k: usize| Particle {
        x: (k as f64 * 0.37).sin(),
        v: (k as f64 * 0.11).cos() * 2.0,
        mass: 1.0 + k as f32 % 3.0,
        hits: (k % 5) as u16,
        alive: k % 7 != 3,
    };
    (0..n).map(row).collect()
}

#[test]
fn functions_take_and_give_columns() {
    for n in [0, 1, 5, 16, 1000] {
        let host = rows(n);
        let particles = ParticleColumns::from_rows(&host).unwrap();
        assert_eq!(particles.to_rows().unwrap(), host);
        let later = step::call(&particles, 0.5, 1.0);
        let wanted: Vec<Particle> = host.iter().map(|&p| step(p, 0.5, 1.0)).collect();
        assert_eq!(later.to_rows().unwrap(), wanted);
        let energies = energy::call(&later, 2.0).to_vec().unwrap();
        let wanted: Vec<f64> = wanted.iter().map(|&p| energy(p, 2.0)).collect();
        assert_eq!(energies, wanted);
        let turned = bounced::call(&particles, 6).to_rows().unwrap();
        let wanted: Vec<Particle> = host.iter().map(|&p| bounced(p, 6)).collect();
        assert_eq!(turned, wanted);
    }
}

#[test]
fn one_struct_stands_for_all_elements() {
    let one = rows(3)[2];
    let dt = DeviceArray::from_slice(&[0.0, 0.5, 1.0, 8.0]).unwrap();
    let got = step::call(one, &dt, 1.0).to_rows().unwrap();
    let wanted: Vec<Particle> = [0.0, 0.5, 1.0, 8.0].map(|dt| step(one, dt, 1.0)).to_vec();
    assert_eq!(got, wanted);
    // Columns broadcast as arrays do.
    let some = ParticleColumns::from_rows(&rows(3)).unwrap();
    let all = energy::call(&some, &dt.insert_axis(1)).copy_to_host().unwrap();
    assert_eq!(all.shape(), [4, 3]);
    assert_eq!(all[[3, 2]], energy(rows(3)[2], 8.0));
}

#[test]
fn fields_may_have_any_names() {
    let host = [Odd { double: 3, re: 0.5, z: Complex::new(1.0, -2.0) }; 3];
    let columns = OddColumns::from_rows(&host).unwrap();
    let got = odd::call(columns, 4).to_rows().unwrap();
    assert_eq!(got, host.map(|o| odd(o, 4)));
}

#[test]
fn columns_are_reduced() {
    let x: Vec<f64> = (0..1000).map(|k| (k as f64 * 0.7).sin() + 3.0).collect();
    let host: Vec<Moments> = x.iter().map(|&mean| Moments { n: 1.0, mean, squares: 0.0 }).collect();
    let all = moments::reduce(&MomentsColumns::from_rows(&host).unwrap(), 0).to_rows().unwrap();
    let mean = x.iter().sum::<f64>() / 1000.0;
    let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
    assert_eq!(all[0].n, 1000.0);
    assert!((all[0].mean - mean).abs() < 1e-13 && (all[0].squares - squares).abs() < 1e-10);
}

#[test]
fn columns_are_states_of_loops_and_compiled_functions() {
    let host = rows(40);
    let begin = ParticleColumns::from_rows(&host).unwrap();
    let end = repeat(5, begin.clone(), |p| step::call(&p, 0.25, 1.0));
    let mut wanted = host.clone();
    (0..5).for_each(|_| wanted.iter_mut().for_each(|p| *p = step(*p, 0.25, 1.0)));
    assert_eq!(end.to_rows().unwrap(), wanted);
    let compiled = compile(|p: &ParticleColumns| step::call(p, 0.25, 1.0));
    let mut state = begin;
    for _ in 0..5 {
        state = compiled.call(&state).unwrap();
    }
    assert_eq!(state.to_rows().unwrap(), wanted);
}

/// A kernel makes structs of columns and hands them to functions.
#[test]
fn kernels_make_structs_of_columns() {
    use lazuli::gpu::*;

    #[kernel]
    fn drift(x: ArrayMut<f64, 1>, v: Array<f64, 1>, dt: f64) {
        let i = grid::<1>();
        if i < x.len() {
            let p = Particle { x: x[i], v: v[i], mass: 1.0, hits: 0, alive: true };
            x[i] = moved(p, dt).x;
        }
    }

    let ParticleColumns { mut x, v, .. } = ParticleColumns::from_rows(&rows(100)).unwrap();
    drift.launch(1, 128, (&mut x, &v, 0.5)).unwrap();
    let wanted: Vec<f64> = rows(100).iter().map(|p| p.x + p.v * 0.5).collect();
    assert_eq!(x.to_vec().unwrap(), wanted);
}

#[test]
fn columns_of_different_shapes_are_no_rows() {
    let mut columns = MomentsColumns::from_rows(&[]).unwrap();
    columns.mean = DeviceArray::ones([2, 3]);
    let error = columns.to_rows().unwrap_err();
    assert!(error.is_shape());
    let said = error.to_string();
    assert!(said.contains("MomentsColumns") && said.contains("`mean` [2, 3]"), "{said}");
}
