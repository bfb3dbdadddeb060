//! Flow of a fluid in a cavity and in a channel, by the Navier-Stokes equations.

use lazuli::prelude::*;
use ndarray::SliceInfoElem;

type A = DeviceArray<f64>;

/// The distances of a grid and the step of time.
#[derive(Clone, Copy)]
struct Steps {
    dt: f64,
    dx: f64,
    dy: f64,
}

/// The neighbours of a part of a field: the part itself, east, west, north and south of it.
struct Around {
    here: A,
    east: A,
    west: A,
    north: A,
    south: A,
}

/// The inner part of the axis of x, or one of its ends with the neighbours across the border.
#[derive(Clone, Copy)]
enum Columns {
    Inner,
    Last,
    First,
}

impl Columns {
    /// The part itself, east and west of it.
    fn parts(self) -> [SliceInfoElem; 3] {
        match self {
            Columns::Inner => [(1..-1).into(), (2..).into(), (0..-2).into()],
            Columns::Last => [(-1).into(), 0.into(), (-2).into()],
            Columns::First => [0.into(), 1.into(), (-1).into()],
        }
    }

    fn around(self, a: &A) -> Around {
        let [here, east, west] = self.parts();
        let at = |rows: SliceInfoElem, columns| a.slice([rows, columns]);
        Around {
            here: at((1..-1).into(), here),
            east: at((1..-1).into(), east),
            west: at((1..-1).into(), west),
            north: at((2..).into(), here),
            south: at((0..-2).into(), here),
        }
    }

    /// Where a result goes.
    fn region(self) -> [SliceInfoElem; 2] {
        [(1..-1).into(), self.parts()[0]]
    }
}

/// The source of the pressure equation.
fn source(columns: Columns, u: &A, v: &A, rho: f64, Steps { dt, dx, dy }: Steps) -> A {
    let (u, v) = (columns.around(u), columns.around(v));
    let (ux, uy) = ((u.east - u.west) / (2.0 * dx), (u.north - u.south) / (2.0 * dy));
    let (vx, vy) = (v.east - v.west, (v.north - v.south) / (2.0 * dy));
    rho * (1.0 / dt * (&ux + &vy) - ux.square() - 2.0 * (uy * vx / (2.0 * dx)) - vy.square())
}

/// One step towards the pressure.
fn poisson(columns: Columns, p: &A, b: &A, Steps { dx, dy, .. }: Steps) -> A {
    let (p, b) = (columns.around(p), b.slice(columns.region()));
    let (dx2, dy2) = (dx * dx, dy * dy);
    ((p.east + p.west) * dy2 + (p.north + p.south) * dx2) / (2.0 * (dx2 + dy2))
        - dx2 * dy2 / (2.0 * (dx2 + dy2)) * b
}

/// A component of the velocity after a step without pressure.
fn carried(own: &Around, u: &A, v: &A, nu: f64, Steps { dt, dx, dy }: Steps) -> A {
    &own.here - u * dt / dx * (&own.here - &own.west) - v * dt / dy * (&own.here - &own.south)
        + nu * (dt / (dx * dx) * (&own.east - 2.0 * &own.here + &own.west)
            + dt / (dy * dy) * (&own.north - 2.0 * &own.here + &own.south))
}

/// Both components of the velocity after a step, of the given part.
fn moved(columns: Columns, un: &A, vn: &A, p: &A, rho: f64, nu: f64, steps: Steps) -> (A, A) {
    let (u, v, p) = (columns.around(un), columns.around(vn), columns.around(p));
    let Steps { dt, dx, dy } = steps;
    let push_x = dt / (2.0 * rho * dx) * (p.east - p.west);
    let push_y = dt / (2.0 * rho * dy) * (p.north - p.south);
    (
        carried(&u, &u.here, &v.here, nu, steps) - push_x,
        carried(&v, &u.here, &v.here, nu, steps) - push_y,
    )
}

#[rustfmt::skip]
pub fn cavity_flow(
    nx: usize, ny: usize, nt: usize, nit: usize, mut u: A, mut v: A, dt: f64, dx: f64, dy: f64,
    mut p: A, rho: f64, nu: f64,
) -> (A, A, A) {
    let steps = Steps { dt, dx, dy };
    let mut b = A::zeros([ny, nx]);
    for _ in 0..nt {
        let (un, vn) = (u.clone(), v.clone());
        b.assign(s![1..-1, 1..-1], source(Columns::Inner, &u, &v, rho, steps));
        for _ in 0..nit {
            let pn = p.clone();
            p.assign(s![1..-1, 1..-1], poisson(Columns::Inner, &pn, &b, steps));
            p.assign(s![.., -1], p.slice(s![.., -2]));
            p.assign(s![0, ..], p.slice(s![1, ..]));
            p.assign(s![.., 0], p.slice(s![.., 1]));
            p.assign(s![-1, ..], 0.0);
        }
        let (inner_u, inner_v) = moved(Columns::Inner, &un, &vn, &p, rho, nu, steps);
        u.assign(s![1..-1, 1..-1], inner_u);
        v.assign(s![1..-1, 1..-1], inner_v);
        u.assign(s![0, ..], 0.0);
        u.assign(s![.., 0], 0.0);
        u.assign(s![.., -1], 0.0);
        u.assign(s![-1, ..], 1.0);
        v.assign(s![0, ..], 0.0);
        v.assign(s![-1, ..], 0.0);
        v.assign(s![.., 0], 0.0);
        v.assign(s![.., -1], 0.0);
    }
    (u, v, p)
}

#[rustfmt::skip]
pub fn channel_flow(
    nit: usize, mut u: A, mut v: A, dt: f64, dx: f64, dy: f64, mut p: A, rho: f64, nu: f64, force: f64,
) -> Result<(i64, A, A, A)> {
    const PARTS: [Columns; 3] = [Columns::Inner, Columns::Last, Columns::First];
    let steps = Steps { dt, dx, dy };
    let (mut change, mut count) = (1.0, 0);
    while change > 0.001 {
        let (un, vn) = (u.clone(), v.clone());
        let mut b = u.zeros_like();
        for part in PARTS {
            b.assign(part.region(), source(part, &u, &v, rho, steps));
        }
        for _ in 0..nit {
            let pn = p.clone();
            for part in PARTS {
                p.assign(part.region(), poisson(part, &pn, &b, steps));
            }
            p.assign(s![-1, ..], p.slice(s![-2, ..]));
            p.assign(s![0, ..], p.slice(s![1, ..]));
        }
        for part in PARTS {
            let (part_u, part_v) = moved(part, &un, &vn, &p, rho, nu, steps);
            u.assign(part.region(), part_u + force * dt);
            v.assign(part.region(), part_v);
        }
        u.assign(s![0, ..], 0.0);
        u.assign(s![-1, ..], 0.0);
        v.assign(s![0, ..], 0.0);
        v.assign(s![-1, ..], 0.0);
        change = ((u.sum(..) - un.sum(..)) / u.sum(..)).item()?;
        count += 1;
    }
    Ok((count, u, v, p))
}
