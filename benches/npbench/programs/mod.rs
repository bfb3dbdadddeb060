//! The programs of NPBench as NumPy has them, line by line. None is tuned.

// NPBench's functions take what they take.
#![allow(clippy::too_many_arguments)]

mod flow;
mod fractals;
mod networks;
mod physics;
mod products;
mod sequences;
mod statistics;
mod stencils;
mod triangles;
mod weather;

use crate::inputs::Inputs;
use crate::outputs::Run;

/// A program: its name in NPBench's `bench_info`, and how it runs on inputs.
pub struct Program {
    pub name: &'static str,
    pub run: fn(&Inputs) -> Result<Run, String>,
}

/// One line a program: the function, and the names of its arguments in NPBench. The function's
/// types say what is read for each.
macro_rules! programs {
    ($($module:ident::$name:ident($($argument:ident),*);)*) => {
        pub const ALL: &[Program] = &[$(Program {
            name: stringify!($name),
            #[allow(non_snake_case)]
            run: |inputs| {
                $(let $argument = inputs.take(stringify!($argument))?;)*
                Run::of(inputs.explain, || $module::$name($($argument),*))
            },
        }),*];
    };
}

programs! {
    stencils::adi(TSTEPS, N, u);
    statistics::arc_distance(theta_1, phi_1, theta_2, phi_2);
    products::atax(A, x);
    statistics::azimint_hist(data, radius, npt);
    statistics::azimint_naive(data, radius, npt);
    products::bicg(A, p, r);
    flow::cavity_flow(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu);
    flow::channel_flow(nit, u, v, dt, dx, dy, p, rho, nu, F);
    triangles::cholesky(A);
    triangles::cholesky2(A);
    statistics::compute(array_1, array_2, a, b, c);
    physics::contour_integral(NR, NM, slab_per_bc, Ham, int_pts, Y);
    networks::conv2d_bias(input, weights, bias);
    statistics::correlation(M, float_n, data);
    statistics::covariance(M, float_n, data);
    statistics::covariance2(data);
    sequences::crc16(data);
    sequences::deriche(alpha, imgIn);
    products::doitgen(NR, NQ, NP, A, C4);
    triangles::durbin(r);
    stencils::fdtd_2d(TMAX, ex, ey, hz, _fict_);
    sequences::floyd_warshall(path);
    products::gemm(alpha, beta, C, A, B);
    products::gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z);
    products::gesummv(alpha, beta, A, B, x);
    statistics::go_fast(a);
    triangles::gramschmidt(A);
    weather::hdiff(in_field, out_field, coeff);
    stencils::heat_3d(TSTEPS, A, B);
    stencils::jacobi_1d(TSTEPS, A, B);
    stencils::jacobi_2d(TSTEPS, A, B);
    products::k2mm(alpha, beta, A, B, C, D);
    products::k3mm(A, B, C, D);
    networks::lenet(
        input, conv1, conv1bias, conv2, conv2bias, fc1w, fc1b, fc2w, fc2b, fc3w, fc3b, N,
        C_before_fc1
    );
    triangles::lu(A);
    triangles::ludcmp(A, b);
    fractals::mandelbrot1(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon);
    fractals::mandelbrot2(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon);
    networks::mlp(input, w1, b1, w2, b2, w3, b3);
    products::mvt(x1, x2, y_1, y_2, A);
    physics::nbody(mass, pos, vel, Nt, dt, G, softening);
    sequences::nussinov(N, seq);
    networks::resnet(input, conv1, conv2, conv3);
    physics::scattering_self_energies(neigh_idx, dH, G, D, Sigma);
    stencils::seidel_2d(TSTEPS, N, A);
    networks::softmax(x);
    sequences::spmv(A_row, A_col, A_val, x);
    sequences::stockham_fft(N, R, K, x);
    triangles::symm(alpha, beta, C, A, B);
    triangles::syr2k(alpha, beta, C, A, B);
    triangles::syrk(alpha, beta, C, A);
    triangles::trisolv(L, x, b);
    triangles::trmm(alpha, A, B);
    weather::vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage);
}
