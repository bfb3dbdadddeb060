//! The programs, in the order and with the numbers of `peers.py`.

use lazuli::prelude::*;

type A = DeviceArray<f64>;

/// A program's name, and the program.
type Program = (&'static str, fn() -> Result<f64>);

pub const ALL: &[Program] = &[
    ("recurrent", recurrent),
    ("particles", particles),
    ("wave", wave),
    ("deflation", deflation),
    ("bootstrap", bootstrap),
    ("hausdorff", hausdorff),
    ("ratings", ratings),
    ("mixture", mixture),
    ("fdtd", fdtd),
    ("denoise", denoise),
    ("batches", batches),
    ("eigenvalues", eigenvalues),
    ("square_root", square_root),
    ("percolation", percolation),
    ("adam", adam),
    ("smoothing", smoothing),
    ("fire", fire),
    ("tracking", tracking),
];

/// Numbers between −1 and 1 without an obvious pattern, the same as those of `peers.py`.
fn noise<const R: usize>(shape: [usize; R], seed: u64) -> Result<A> {
    let len = shape.iter().product::<usize>() as u64;
    let number = |k: u64| {
        let mixed = (k + seed * 7_919 + 1) * 2_654_435_761 % 4_294_967_296;
        (mixed * (mixed >> 16) % 4_294_967_291) as f64 / 2_147_483_648.0 - 1.0
    };
    A::from_vec(shape, (0..len).map(number).collect())
}

/// A layer of recurrent units over sequences.
fn recurrent() -> Result<f64> {
    let (xs, b) = (noise([150, 32, 64], 1)?, noise([96], 4)?);
    let (wx, wh) = (noise([64, 96], 2)? * 0.1, noise([96, 96], 3)? * 0.1);
    let mut h = A::zeros([32, 96]);
    for t in 0..150 {
        h = (xs.slice(s![t]).dot(&wx) + h.dot(&wh) + &b).tanh();
    }
    h.sum(..).item()
}

/// A particle filter that follows a wave, resampled in each step.
fn particles() -> Result<f64> {
    let n = 5000;
    let (mut x, steps) = (noise([n], 1)?, noise([60, n], 2)?);
    let places = (A::arange_to(n as f64) + 0.5) / n as f64;
    let mut means = A::zeros(60);
    for t in 0..60 {
        x = &x * 0.9 + steps.slice(s![t]) * 0.3;
        let seen = (t as f64 * 0.2).sin();
        let w = ((&x - seen).square() * -4.0).exp();
        let w = &w / w.sum(..);
        means.assign(s![t], (&w * &x).sum(..));
        x = x.take(w.cumsum(0).searchsorted(&places, Side::Left).clip(0, n as i64 - 1), 0);
    }
    means.sum(..).item()
}

/// Waves on a membrane, by leapfrog.
fn wave() -> Result<f64> {
    let n = 256;
    let x = A::linspace(-1.0, 1.0, n);
    let mut u = ((x.square() + x.square().insert_axis(1)) * -40.0).exp();
    let mut before = u.clone();
    for _ in 0..200 {
        let mut next = &u * 2.0 - &before;
        let around = u.slice(s![..-2, 1..-1])
            + u.slice(s![2.., 1..-1])
            + u.slice(s![1..-1, ..-2])
            + u.slice(s![1..-1, 2..])
            - u.slice(s![1..-1, 1..-1]) * 4.0;
        let inner = next.slice(s![1..-1, 1..-1]) + around * 0.2;
        next.assign(s![1..-1, 1..-1], inner);
        next.assign(s![0], 0.0);
        next.assign(s![-1], 0.0);
        next.assign(s![.., 0], 0.0);
        next.assign(s![.., -1], 0.0);
        (before, u) = (u, next);
    }
    u.square().sum(..).item()
}

/// Eigenvalues by power iteration, each taken out of the matrix.
fn deflation() -> Result<f64> {
    let a = noise([200, 200], 1)?;
    let mut a = a.dot(&a.t());
    let mut sum = 0.0;
    for _ in 0..4 {
        let mut v = A::ones(200);
        for _ in 0..60 {
            let w = a.dot(&v);
            v = &w / w.square().sum(..).sqrt();
        }
        let value = v.dot(&a.dot(&v)).item()?;
        a -= v.insert_axis(1) * &v * value;
        sum += value;
    }
    Ok(sum)
}

/// Confidence of a mean by resampling.
fn bootstrap() -> Result<f64> {
    let x = noise([1000], 1)?;
    let chosen = ((noise([2000, 1000], 2)? + 1.0) * 500.0).floor().cast::<i64>().clip(0, 999);
    let means = x.take(chosen, 0).mean(1);
    let means = means.sort(0);
    Ok(means.slice(s![50]).item()? + means.slice(s![1949]).item()?)
}

/// How far two sets of points are apart.
fn hausdorff() -> Result<f64> {
    let (a, b) = (noise([1500, 3], 1)?, noise([1200, 3], 2)? * 1.1);
    let d = (a.insert_axis(1) - b.insert_axis(0)).square().sum(2).sqrt();
    d.min(1).max(..).maximum(d.min(0).max(..)).item()
}

/// A matrix of ratings as a product of two thin ones, by gradient descent.
fn ratings() -> Result<f64> {
    let (r, mask) = (noise([400, 300], 1)?, noise([400, 300], 2)?.greater(0.0).cast::<f64>());
    let (mut p, mut q) = (noise([400, 16], 3)? * 0.1, noise([300, 16], 4)? * 0.1);
    for _ in 0..60 {
        let e = (&r - p.dot(&q.t())) * &mask;
        let (dp, dq) = (e.dot(&q) - &p * 0.02, e.t().dot(&p) - &q * 0.02);
        p += dp * 0.005;
        q += dq * 0.005;
    }
    ((&r - p.dot(&q.t())) * &mask).square().sum(..).item()
}

/// Three bell curves under a sample, by expectation and maximisation.
fn mixture() -> Result<f64> {
    let x = noise([20_000], 1)? + noise([20_000], 2)? * noise([20_000], 3)?;
    let mut mean = A::from_slice(&[-0.6, 0.0, 0.7])?;
    let (mut var, mut weight) = (A::ones(3) * 0.2, A::ones(3) / 3.0);
    for _ in 0..40 {
        let d = (x.insert_axis(1) - &mean).square();
        let p = (&d / &var * -0.5).exp() * &weight / var.sqrt();
        let r = &p / p.sum(keep(1));
        let n = r.sum(0);
        mean = (&r * x.insert_axis(1)).sum(0) / &n;
        var = (&r * (x.insert_axis(1) - &mean).square()).sum(0) / &n;
        weight = &n / 20_000.0;
    }
    (&mean + &var * 2.0 + &weight * 3.0).square().sum(..).item()
}

/// Maxwell's equations in a plane, a source and a probe.
fn fdtd() -> Result<f64> {
    let n = 200;
    let (mut ez, mut hx, mut hy) = (A::zeros([n, n]), A::zeros([n, n - 1]), A::zeros([n - 1, n]));
    let mut probe = A::zeros(150);
    for t in 0..150 {
        hx -= (ez.slice(s![.., 1..]) - ez.slice(s![.., ..-1])) * 0.5;
        hy += (ez.slice(s![1.., ..]) - ez.slice(s![..-1, ..])) * 0.5;
        let curl = hy.slice(s![1.., 1..-1])
            - hy.slice(s![..-1, 1..-1])
            - (hx.slice(s![1..-1, 1..]) - hx.slice(s![1..-1, ..-1]));
        ez.assign(s![1..-1, 1..-1], ez.slice(s![1..-1, 1..-1]) + curl * 0.5);
        ez.assign(s![100, 100], ez.slice(s![100, 100]) + (t as f64 * 0.1).sin());
        probe.assign(s![t], ez.slice(s![120, 110]));
    }
    probe.square().sum(..).item()
}

/// A picture freed of noise by its total variation.
fn denoise() -> Result<f64> {
    let f = noise([256, 256], 1)?;
    let (mut px, mut py) = (A::zeros([256, 256]), A::zeros([256, 256]));
    let mut u = f.clone();
    for _ in 0..40 {
        let gx = u.roll(-1, 1) - &u;
        let gy = u.roll(-1, 0) - &u;
        let norm = (gx.square() + gy.square()).sqrt() * 0.25 + 1.0;
        px = (&px + gx * 0.25) / &norm;
        py = (&py + gy * 0.25) / &norm;
        u = &f + (&px - px.roll(1, 1) + &py - py.roll(1, 0));
    }
    u.square().sum(..).item()
}

/// Logistic regression by batches of rows that a permutation chooses.
fn batches() -> Result<f64> {
    let (x, order) = (noise([6400, 20], 1)?, noise([6400], 2)?.argsort(0));
    let y = x.sum(1).greater(0.2).cast::<f64>();
    let mut w = A::zeros(20);
    for k in 0..200usize {
        let at = k % 100 * 64;
        let rows = order.slice(s![at..at + 64]);
        let (xb, yb) = (x.take(&rows, 0), y.take(&rows, 0));
        let p = 1.0 / (1.0 + (-xb.dot(&w)).exp());
        w -= xb.t().dot(&(p - yb)) * 0.01;
    }
    w.square().sum(..).item()
}

/// Eigenvalues by the plain QR algorithm.
fn eigenvalues() -> Result<f64> {
    let a = noise([24, 24], 1)?;
    let mut a = &a + a.t();
    for _ in 0..100 {
        let (q, r) = a.qr();
        a = r.dot(&q);
    }
    a.diagonal(0, 0, 1).abs().sum(..).item()
}

/// The square root of a matrix, by Denman and Beavers.
fn square_root() -> Result<f64> {
    let a = noise([80, 80], 1)?;
    let a = a.dot(&a.t()) + A::eye(80) * 10.0;
    let (mut y, mut z) = (a, A::eye(80));
    for _ in 0..12 {
        let next = (&y + z.inverse()) * 0.5;
        z = (&z + y.inverse()) * 0.5;
        y = next;
    }
    y.trace(0).item()
}

/// The number of connected regions, by labels that spread until nothing changes.
fn percolation() -> Result<f64> {
    let n = 64;
    let open = noise([n, n], 1)?.greater(-0.3);
    let mut label = open.select(A::arange_to((n * n) as f64).reshape([n, n]) + 1.0, 0.0);
    loop {
        let padded = label.pad(&[(1, 1), (1, 1)], PadMode::Constant(0.0));
        let most = padded.slice(s![..-2, 1..-1]).maximum(padded.slice(s![2.., 1..-1]));
        let most = most.maximum(padded.slice(s![1..-1, ..-2]));
        let most = most.maximum(padded.slice(s![1..-1, 2..])).maximum(&label);
        let next = open.select(most, 0.0);
        if next.equal(&label).all(..).item()? {
            break;
        }
        label = next;
    }
    Ok(label.unique()?.len() as f64)
}

/// Rosenbrock's function of many variables, by Adam.
fn adam() -> Result<f64> {
    let n = 10_000;
    let (mut x, mut m, mut v) = (noise([n], 1)?, A::zeros(n), A::zeros(n));
    for t in 1..=300 {
        let (a, b) = (x.slice(s![..-1]), x.slice(s![1..]));
        let inner = &b - a.square();
        let mut g = A::zeros(n);
        g.assign(s![..-1], &a * &inner * -400.0 - (1.0 - &a) * 2.0);
        g.assign(s![1..], g.slice(s![1..]) + &inner * 200.0);
        m = &m * 0.9 + &g * 0.1;
        v = &v * 0.999 + g.square() * 0.001;
        let mh = &m / (1.0 - 0.9f64.powi(t));
        let vh = &v / (1.0 - 0.999f64.powi(t));
        x -= mh / (vh.sqrt() + 1e-8) * 0.01;
    }
    x.sum(..).item()
}

/// Exponential smoothing, element by element.
fn smoothing() -> Result<f64> {
    let x = noise([2000], 1)?;
    let mut y = A::zeros(2000);
    y.assign(s![0], x.slice(s![0]));
    for i in 1..2000 {
        y.assign(s![i], x.slice(s![i]) * 0.2 + y.slice(s![i - 1]) * 0.8);
    }
    y.square().sum(..).item()
}

/// A forest that grows and burns.
fn fire() -> Result<f64> {
    let n = 128;
    let chance = noise([100, n, n], 1)?;
    let mut forest = DeviceArray::<i64>::ones([n, n]);
    let mut burning = A::zeros(100);
    for t in 0..100 {
        let on_fire = forest.equal(2);
        let near =
            on_fire.roll(1, 0) | on_fire.roll(-1, 0) | on_fire.roll(1, 1) | on_fire.roll(-1, 1);
        let (tree, empty) = (forest.equal(1), forest.equal(0));
        let c = chance.slice(s![t]);
        let mut next = forest.clone();
        next.assign_where(&on_fire, 0);
        next.assign_where(&(&tree & (near | c.less(-0.999))), 2);
        next.assign_where(&(&empty & c.greater(0.9)), 1);
        forest = next;
        burning.assign(s![t], forest.equal(2).cast::<f64>().sum(..));
    }
    Ok(burning.sum(..).item()? + forest.sum(..).item()? as f64)
}

/// Blobs that are followed: where a picture is brightest, frame after frame.
fn tracking() -> Result<f64> {
    let n = 96;
    let (x, y) = (A::arange_to(n as f64), A::arange_to(n as f64).insert_axis(1));
    let mut path = A::zeros([80, 2]);
    for t in 0..80 {
        let (cx, cy) =
            (48.0 + 30.0 * (t as f64 * 0.1).cos(), 48.0 + 30.0 * (t as f64 * 0.07).sin());
        let frame = (((&x - cx).square() + (&y - cy).square()) * -0.05).exp();
        let k = frame.argmax(..).item()?;
        path.assign(s![t, 0], (k / n as i64) as f64);
        path.assign(s![t, 1], (k % n as i64) as f64);
    }
    let steps = path.slice(s![1.., ..]) - path.slice(s![..-1, ..]);
    steps.square().sum(1).sqrt().sum(..).item()
}
