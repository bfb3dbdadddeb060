//! `lazuli::special` against mpmath's values (`tests/data/special`), within the bounds that its
//! documentation says, and against SciPy's at the edges of the domains.

use crate::support::load::{Arrays, arrays};
use crate::support::on_each_device;
use crate::support::value::Host;
use lazuli::prelude::*;
use lazuli::special as sp;
use ndarray::{Array2, Ix2};

pub(crate) type F64 = DeviceArray<f64>;

/// What a function may be off by: units of 2⁻⁵² of the result or of the floor, the larger of the two,
/// and as many more for each power of e in the result.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) units: f64,
    pub(crate) slope: f64,
    pub(crate) floor: f64,
    /// The absolute error of CUDA's own Bessel functions.
    pub(crate) gpu: f64,
}

pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) arguments: usize,
    pub(crate) call: fn(&[F64]) -> Vec<F64>,
    pub(crate) bound: Bound,
}

pub(crate) fn whole(a: &F64) -> DeviceArray<i32> {
    a.cast::<i32>()
}

macro_rules! checks {
    ($($name:ident($($kind:ident),*): $units:literal $slope:literal $floor:literal $gpu:literal;)*) => {
        vec![$(Row {
            name: stringify!($name),
            arguments: [$(stringify!($kind)),*].len(),
            call: |a| {
                let mut a = a.iter();
                checks!(@results sp::$name($(checks!(@$kind a.next().expect("an argument"))),*))
            },
            bound: Bound { units: $units as f64, slope: $slope as f64, floor: $floor as f64, gpu: $gpu as f64 },
        }),*]
    };
    (@x $a:expr) => { $a };
    (@n $a:expr) => { whole($a) };
    (@results $made:expr) => { Results::list($made) };
}
pub(crate) use checks;

/// One array, several, or the parts of complex numbers.
pub(crate) trait Results {
    fn list(self) -> Vec<F64>;
}
impl Results for F64 {
    fn list(self) -> Vec<F64> {
        vec![self]
    }
}
impl Results for (F64, F64) {
    fn list(self) -> Vec<F64> {
        vec![self.0, self.1]
    }
}
impl Results for (F64, F64, F64, F64) {
    fn list(self) -> Vec<F64> {
        vec![self.0, self.1, self.2]
    }
}
impl Results for DeviceArray<Complex<f64>> {
    fn list(self) -> Vec<F64> {
        vec![self.real(), self.imag()]
    }
}

/// Units, units for each power of e, floor, and what a GPU's Bessel functions add.
fn rows() -> Vec<Row> {
    let mut rows = gammas();
    rows.extend(incomplete());
    rows.extend(others());
    rows
}

fn gammas() -> Vec<Row> {
    checks! {
        digamma(x): 8 0 1 0;
        polygamma(n, x): 8 0 0 0;
        zeta(x): 8 1 0 0;
        zeta_hurwitz(x, x): 8 0 0 0;
        beta(x, x): 4 2 0 0;
        betaln(x, x): 4 0 1 0;
        binom(x, x): 8 1 0 0;
        factorial(x): 2 0 0 0;
        factorial2(x): 8 0 0 0;
        poch(x, x): 8 2 0 0;
    }
}

fn incomplete() -> Vec<Row> {
    checks! {
        gammainc(x, x): 20 2 0 0;
        gammaincc(x, x): 60 2 0 0;
        gammaincinv(x, x): 50 0 0 0;
        gammainccinv(x, x): 80 0 0 0;
        betainc(x, x, x): 150 2 0.2 0;
        betaincc(x, x, x): 150 2 0.2 0;
        betaincinv(x, x, x): 500 2 0 0;
        betainccinv(x, x, x): 500 2 0 0;
    }
}

fn others() -> Vec<Row> {
    checks! {
        ndtr(x): 4 0 0 0;
        ndtri(x): 4 0 0 0;
        log_ndtr(x): 4 0 0 0;
        exp1(x): 4 0 0 0;
        expi(x): 8 0 0 0;
        lambertw(x): 4 0 0 0;
        lambertw_lower(x): 4 0 0 0;
        k0(x): 6 0 0 0;
        k1(x): 6 0 0 0;
        k0e(x): 6 0 0 0;
        k1e(x): 6 0 0 0;
        i0e(x): 3 0 0 0;
        i1e(x): 3 0 0 0;
        jn(n, x): 20 0 0.1 5e-12;
        yn(n, x): 20 0 0.1 5e-12;
        kn(n, x): 24 0 0 0;
        jv(x, x): 20 0 0.9 0;
        yv(x, x): 20 0 0.9 0;
        iv(x, x): 24 0 0 0;
        ive(x, x): 24 0 0 0;
        kv(x, x): 24 0 0 0;
        kve(x, x): 24 0 0 0;
        ellipk(x): 4 0 0 0;
        ellipkm1(x): 4 0 0 0;
        ellipe(x): 4 0 0 0;
        ellipkinc(x, x): 8 0 0 0;
        ellipeinc(x, x): 8 0 0 0;
        ellipj(x, x): 18 0 1 0;
        legendre_p(n, x): 4 0 1 0;
        assoc_legendre_p(n, n, x): 40 0 0.2 0;
        sph_harm_y(n, n, x, x): 40 0 1 0;
    }
}

pub(crate) fn table(file: &Arrays, name: &str) -> Array2<f64> {
    match &file[&format!("{name}.f64")] {
        Host::F64(table) => table.clone().into_dimensionality::<Ix2>().expect("a table"),
        _ => panic!("{name}: not a table of f64"),
    }
}

pub(crate) fn column(table: &Array2<f64>, k: usize) -> F64 {
    DeviceArray::from_slice(&table.column(k).to_vec()).unwrap()
}

/// How far a value is from the exact one, in what its bound allows.
fn share(found: f64, exact: f64, bound: Bound, on_gpu: bool) -> f64 {
    if found == exact {
        return 0.0;
    }
    let powers = if exact == 0.0 { 0.0 } else { exact.abs().ln().abs() };
    let unit = exact.abs().max(bound.floor) * f64::EPSILON;
    let allowed = (bound.units + bound.slope * powers) * unit;
    let allowed = if on_gpu { 4.0 * allowed + bound.gpu * exact.abs().max(1.0) } else { allowed };
    let share = (found - exact).abs() / allowed;
    if share.is_nan() { f64::INFINITY } else { share }
}

#[test]
fn values_are_within_the_documented_bounds() {
    values_within_bounds("special/special.npz", &rows());
}

/// Holds functions against a file's tables.
pub(crate) fn values_within_bounds(file: &str, rows: &[Row]) {
    let file = arrays(file);
    on_each_device(|device| {
        let mut wrong = Vec::new();
        for row in rows {
            let table = table(&file, row.name);
            let arguments: Vec<F64> = (0..row.arguments).map(|k| column(&table, k)).collect();
            let results = (row.call)(&arguments);
            assert_eq!(results.len() + row.arguments, table.ncols(), "{}", row.name);
            let mut worst = (0.0, 0, 0.0);
            for (k, result) in results.iter().enumerate() {
                let found = result.to_vec().unwrap();
                let exact = table.column(row.arguments + k);
                for (i, (&found, &exact)) in found.iter().zip(exact).enumerate() {
                    let share = share(found, exact, row.bound, device.is_cuda());
                    if share > worst.0 {
                        worst = (share, i, found);
                    }
                }
            }
            let at = table.row(worst.1).to_vec();
            let line =
                format!("{}: {:.2} of the bound, {:e} at {at:?}", row.name, worst.0, worst.2);
            eprintln!("{line}");
            if worst.0 > 1.0 {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "beyond the documented bounds:\n{}", wrong.join("\n"));
    });
}

/// SciPy's own errors reach 1e-14 at these points.
pub(crate) fn agrees(found: f64, scipy: f64) -> bool {
    found == scipy
        || found.is_nan() && scipy.is_nan()
        || (found - scipy).abs() <= 4e-14 * scipy.abs().max(0.1)
}

#[test]
fn edges_are_those_of_scipy() {
    let file = arrays("special/edges.npz");
    let more = checks! {
        kl_div(x, x): 4 0 0 0;
        xlogy(x, x): 4 0 0 0;
        xlog1py(x, x): 4 0 0 0;
        rel_entr(x, x): 4 0 0 0;
        huber(x, x): 4 0 0 0;
        pseudo_huber(x, x): 4 0 0 0;
        entr(x): 4 0 0 0;
        expit(x): 4 0 0 0;
        logit(x): 4 0 0 0;
        log_expit(x): 4 0 0 0;
    };
    on_each_device(|_| {
        let mut seen = 0;
        for row in rows().iter().chain(&more) {
            if !file.contains_key(&format!("{}.f64", row.name)) {
                continue;
            }
            seen += 1;
            let table = table(&file, row.name);
            let arguments: Vec<F64> = (0..row.arguments).map(|k| column(&table, k)).collect();
            let found = (row.call)(&arguments)[0].to_vec().unwrap();
            for (row_of_table, found) in table.rows().into_iter().zip(found) {
                let scipy = row_of_table[row.arguments];
                assert!(agrees(found, scipy), "{}: {found:e} at {row_of_table}", row.name);
            }
        }
        assert_eq!(seen, file.len(), "a table without its function");
    });
}

#[test]
fn narrow_types_are_rounded_once() {
    fn check<T: Floating>(x: &F64) {
        let narrow = x.cast::<T>();
        let wide = narrow.cast::<f64>();
        let pairs = [
            (sp::digamma(&narrow), sp::digamma(&wide)),
            (sp::ndtr(&narrow), sp::ndtr(&wide)),
            (sp::gammainc(&narrow, T::from_f64(2.0)), sp::gammainc(&wide, 2.0)),
            (sp::jn(2, &narrow), sp::jn(2, &wide)),
            (sp::ellipj(&narrow, T::from_f64(0.5)).1, sp::ellipj(&wide, 0.5).1),
        ];
        for (narrow, wide) in pairs {
            let bits = |a: DeviceArray<T>| a.cast::<f64>().to_vec().unwrap();
            assert_eq!(bits(narrow), bits(wide.cast::<T>()), "{}", T::DTYPE);
        }
        let losses = sp::huber(T::from_f64(1.0), &narrow).cast::<f64>().to_vec().unwrap();
        assert_eq!(losses, sp::huber(1.0, &wide).cast::<T>().cast::<f64>().to_vec().unwrap());
    }
    on_each_device(|_| {
        let x = DeviceArray::<f64>::linspace(0.25, 8.0, 32);
        check::<f32>(&x);
        check::<f16>(&x);
        check::<bf16>(&x);
    });
}

#[test]
fn shapes_broadcast_and_may_be_empty_or_strided() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::linspace(0.5, 3.0, 6);
        let column = a.reshape([6, 1]);
        let p = sp::gammainc(&column, &a);
        assert_eq!(p.shape(), [6, 6]);
        let p = p.to_vec().unwrap();
        // Mathematics of arrays and of single numbers differ in their last bits.
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-14, "{a} for {b}");
        close(p[3 * 6 + 1], sp::device::gammainc(2.0, 1.0));
        let backwards = sp::digamma(&a.slice(s![..;-2])).to_vec().unwrap();
        let forwards = sp::digamma(&a).to_vec().unwrap();
        assert_eq!(backwards, [forwards[5], forwards[3], forwards[1]]);
        assert_eq!(sp::zeta(&a.slice(s![..0])).to_vec().unwrap(), [0.0; 0]);
        assert_eq!(sp::betainc(&a.slice(s![..0]), 1.0, 0.5).shape(), [0]);
        let point = sp::kv(1.5, &a.sum(..));
        assert_eq!(point.shape(), [0; 0]);
        close(point.item().unwrap(), sp::device::kv(1.5, 10.5));
        // Scalars alone make an array of no axes.
        assert_eq!(sp::binom(5.0, 2.0).item().unwrap(), 10.0);
        assert_eq!(sp::xlogy(0.0f32, 0.0).item().unwrap(), 0.0);
        let error = sp::try_beta(&a, &DeviceArray::<f64>::ones(5)).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("beta"), "{error}");
        let orders = DeviceArray::from_slice(&[0, 1]).unwrap().reshape([2, 1]);
        assert_eq!(sp::jn(&orders, &a).shape(), [2, 6]);
    });
}

#[test]
fn functions_fuse_with_their_surroundings() {
    on_each_device(|_| {
        let a = DeviceArray::<f64>::linspace(0.5, 3.0, 6);
        let before = lazuli::counters();
        (sp::digamma(&(&a + 1.0)) * sp::xlogy(&a, 2.0)).eval().unwrap();
        assert_eq!(lazuli::counters().launches - before.launches, 1);
    });
}

/// The difference of the entropy of a gamma distribution from its parts.
#[vectorize]
fn entropy(k: f64, theta: f64) -> f64 {
    k + theta.ln() + k.lgamma() + (1.0 - k) * sp::device::digamma(k)
}

#[test]
fn users_functions_call_them() {
    on_each_device(|_| {
        let k = DeviceArray::from_slice(&[1.0, 2.0, 7.5]).unwrap();
        let found = entropy::call(&k, 2.0).to_vec().unwrap();
        let by_arrays = &k + 2f64.ln() + k.lgamma() + (1.0 - &k) * sp::digamma(&k);
        for (found, wanted) in found.into_iter().zip(by_arrays.to_vec().unwrap()) {
            assert!((found - wanted).abs() < 1e-14, "{found} instead of {wanted}");
        }
    });
}
