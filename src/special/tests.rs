//! The code that a GPU runs, without one: kernels of special functions are compiled.

use super::*;
use crate::planned_kernels_tests::compile;
use crate::prelude::*;

fn grid<T: Floating>(from: f64) -> DeviceArray<T> {
    let all = (0..64).map(|k| T::from_f64(from + 0.25 * k as f64)).collect();
    DeviceArray::from_vec([64], all).unwrap()
}

fn functions_of_one<T: Floating>() {
    type Function<T> = fn(&DeviceArray<T>) -> DeviceArray<T>;
    let all: [(&str, Function<T>); 12] = [
        ("erfcx", |x| erfcx(x)),
        ("gammasgn", |x| gammasgn(x)),
        ("rgamma", |x| rgamma(x)),
        ("loggamma", |x| loggamma(x)),
        ("zetac", |x| zetac(x)),
        ("cosm1", |x| cosm1(x)),
        ("exprel", |x| exprel(x)),
        ("sindg", |x| sindg(x)),
        ("cosdg", |x| cosdg(x)),
        ("tandg", |x| tandg(x)),
        ("cotdg", |x| cotdg(x)),
        ("expn", |x| expn(2, x)),
    ];
    for (name, function) in all {
        compile(name, &[&function(&grid(-4.0))]);
    }
    let (si, ci) = sici(grid::<T>(0.5));
    let (shi, chi) = shichi(grid::<T>(0.5));
    compile("integrals", &[&si, &ci, &shi, &chi]);
    compile("spherical_yn", &[&spherical_yn(3, grid::<T>(0.5))]);
}

fn distributions<T: Floating>() {
    type Function<T> = fn([&DeviceArray<T>; 3]) -> DeviceArray<T>;
    let all: [(&str, Function<T>); 22] = [
        ("bdtr", |[k, n, p]| bdtr(k, n, p)),
        ("bdtrc", |[k, n, p]| bdtrc(k, n, p)),
        ("bdtri", |[k, n, p]| bdtri(k, n, p)),
        ("nbdtr", |[k, n, p]| nbdtr(k, n, p)),
        ("nbdtrc", |[k, n, p]| nbdtrc(k, n, p)),
        ("nbdtri", |[k, n, p]| nbdtri(k, n, p)),
        ("pdtr", |[k, m, _]| pdtr(k, m)),
        ("pdtrc", |[k, m, _]| pdtrc(k, m)),
        ("pdtri", |[k, _, p]| pdtri(k, p)),
        ("chdtr", |[v, x, _]| chdtr(v, x)),
        ("chdtrc", |[v, x, _]| chdtrc(v, x)),
        ("chdtri", |[v, _, p]| chdtri(v, p)),
        ("gdtr", |[a, b, x]| gdtr(a, b, x)),
        ("gdtrc", |[a, b, x]| gdtrc(a, b, x)),
        ("fdtr", |[a, b, x]| fdtr(a, b, x)),
        ("fdtrc", |[a, b, x]| fdtrc(a, b, x)),
        ("fdtri", |[a, b, p]| fdtri(a, b, p)),
        ("boxcox", |[x, y, _]| boxcox(x, y)),
        ("boxcox1p", |[x, y, _]| boxcox1p(x, y)),
        ("inv_boxcox", |[x, y, _]| inv_boxcox(x, y)),
        ("inv_boxcox1p", |[x, y, _]| inv_boxcox1p(x, y)),
        ("radian", |[d, m, s]| radian(d, m, s)),
    ];
    let probability = grid::<T>(0.0) / T::from_f64(20.0);
    for (name, function) in all {
        compile(name, &[&function([&grid(1.0), &grid(9.0), &probability])]);
    }
}

#[test]
fn kernels_of_special_functions_compile() {
    Device::cpu().scope(|| {
        functions_of_one::<f64>();
        functions_of_one::<f32>();
        distributions::<f64>();
    });
}
