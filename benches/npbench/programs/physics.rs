//! Bodies that attract each other, and quantum transport.

use lazuli::prelude::*;

type A = DeviceArray<f64>;
type C = DeviceArray<Complex<f64>>;

/// The differences of all pairs in x, y and z.
fn pairs(pos: &A) -> [A; 3] {
    [0, 1, 2].map(|k| {
        let x = pos.slice(s![.., k..k + 1]);
        x.t() - x
    })
}

fn acceleration(pos: &A, mass: &A, g: f64, softening: f64) -> A {
    let [dx, dy, dz] = pairs(pos);
    let mut inv_r3 = dx.square() + dy.square() + dz.square() + softening * softening;
    inv_r3.assign_where(&inv_r3.greater(0.0), inv_r3.power(-1.5));
    hstack(&[dx, dy, dz].map(|d| (g * (d * &inv_r3)).matmul(mass)))
}

fn energy(pos: &A, vel: &A, mass: &A, g: f64) -> (A, A) {
    let kinetic = 0.5 * (mass * vel.square()).sum(..);
    let [dx, dy, dz] = pairs(pos);
    let mut inv_r = (dx.square() + dy.square() + dz.square()).sqrt();
    inv_r.assign_where(&inv_r.greater(0.0), 1.0 / &inv_r);
    let potential = g * (-(mass * mass.t()) * inv_r).triu(1).sum(..);
    (kinetic, potential)
}

#[rustfmt::skip]
pub fn nbody(
    mass: &A, pos: &A, vel: &A, steps: usize, dt: f64, g: f64, softening: f64,
) -> (A, A) {
    let mut pos = pos.clone();
    let mut vel = vel - (mass * vel).mean(0) / mass.mean(..);
    let mut acc = acceleration(&pos, mass, g, softening);
    let (mut ke, mut pe) = (A::zeros(steps + 1), A::zeros(steps + 1));
    let mut note = |i: usize, (kinetic, potential): (A, A)| {
        ke.assign(s![i], kinetic);
        pe.assign(s![i], potential);
    };
    note(0, energy(&pos, &vel, mass, g));
    for i in 0..steps {
        vel += &acc * dt / 2.0;
        pos += &vel * dt;
        acc = acceleration(&pos, mass, g, softening);
        vel += &acc * dt / 2.0;
        note(i + 1, energy(&pos, &vel, mass, g));
    }
    (ke, pe)
}

pub fn contour_integral(
    nr: usize,
    nm: usize,
    slab_per_bc: usize,
    ham: &C,
    int_pts: &C,
    y: &C,
) -> Result<(C, C)> {
    let (mut p0, mut p1) = (C::zeros([nr, nm]), C::zeros([nr, nm]));
    for z in int_pts.to_vec()? {
        let mut tz = C::zeros([nr, nr]);
        for n in 0..=slab_per_bc {
            let zz = z.powf(slab_per_bc as f64 / 2.0 - n as f64);
            tz += zz * ham.slice(s![n, .., ..]);
        }
        let mut x = if nr == nm { tz.inverse() } else { tz.solve(y) };
        if z.norm() < 1.0 {
            x = -x;
        }
        p0 += &x;
        p1 += z * x;
    }
    Ok((p0, p1))
}

pub fn scattering_self_energies(
    neigh_idx: &DeviceArray<i32>,
    dh: &C,
    g: &C,
    d: &C,
    mut sigma: C,
) -> Result<C> {
    let [nkz, ne, ..] = g.shape() else { unreachable!("five axes") };
    let [nqz, nw, na, nb, ni, nj] = d.shape() else { unreachable!("six axes") };
    let neighbours = neigh_idx.copy_to_host()?;
    for (k, e) in product(*nkz, *ne) {
        for (q, w) in product(*nqz, *nw) {
            for (i, j) in product(*ni, *nj) {
                for (a, b) in product(*na, *nb) {
                    if e >= w {
                        let f = neighbours[[a, b]] as usize;
                        let dhg =
                            g.slice(s![k, e - w, f, .., ..]).matmul(&dh.slice(s![a, b, i, .., ..]));
                        let dhd = dh.slice(s![a, b, j, .., ..]) * d.slice(s![q, w, a, b, i, j]);
                        let sum = sigma.slice(s![k, e, a, .., ..]) + dhg.matmul(&dhd);
                        sigma.assign(s![k, e, a, .., ..], sum);
                    }
                }
            }
        }
    }
    Ok(sigma)
}

/// All pairs of numbers below two bounds.
fn product(n: usize, m: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)))
}
