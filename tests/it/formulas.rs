//! Functions that are made of others (`macros/src/formulas/rows.rs`): each row against mpmath's values, as a
//! function and a method of arrays, in users' functions and as a method of floats, in all element types.

use crate::special_functions::{Bound, F64, Row, column, table, values_within_bounds};
use crate::support::load::arrays;
use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::special as sp;

const FILE: &str = "formulas/formulas.npz";

/// What a row of a method is called by in these tests.
struct Method {
    row: Row,
    by_method: fn(&[F64]) -> F64,
    /// The method of `f64`.
    of_numbers: fn(&[f64]) -> f64,
    /// The function in a narrower type, as numbers of `f64`.
    narrow: [(fn(&[F64]) -> F64, f64, f64); 3],
}

macro_rules! rows {
    ($($kind:ident [$($doc:tt)*] [$($method:tt)*] [$($example:tt)*]
        fn $name:ident | $try_name:ident($($arg:ident),*) $body:block within $within:literal, floor $floor:literal;)*) => {
        fn functions() -> Vec<Row> {
            vec![$(row!($name($($arg),*) by sp::$name, $within, $floor)),*]
        }

        fn methods() -> Vec<Method> {
            let mut methods = Vec::new();
            $(method!($kind methods $name($($arg),*) $within, $floor);)*
            methods
        }
    };
}

macro_rules! row {
    ($name:ident($($arg:ident),*) by $call:expr, $within:literal, $floor:literal) => {
        Row {
            name: stringify!($name),
            arguments: [$(stringify!($arg)),*].len(),
            call: |arguments| {
                let [$($arg),*] = arguments else { panic!("other arguments") };
                vec![$call($($arg),*)]
            },
            bound: Bound { units: $within, slope: 0.0, floor: $floor, gpu: 0.0 },
        }
    };
}

macro_rules! method {
    (function $($row:tt)*) => {};
    (method $methods:ident $name:ident($this:ident $(, $arg:ident)*) $within:literal, $floor:literal) => {{
        /// A user's function that calls the method.
        #[vectorize]
        fn in_function($this: f64 $(, $arg: f64)*) -> f64 {
            $this.$name($($arg),*)
        }
        fn narrow<T: Floating>(arguments: &[F64]) -> F64 {
            let [$this $(, $arg)*] = arguments else { panic!("other arguments") };
            $this.cast::<T>().$name($(&$arg.cast::<T>()),*).cast()
        }
        $methods.push(Method {
            row: row!($name($this $(, $arg)*) by in_function::call, $within, $floor),
            by_method: |arguments| {
                let [$this $(, $arg)*] = arguments else { panic!("other arguments") };
                $this.$name($($arg),*)
            },
            of_numbers: |arguments| {
                let &[$this $(, $arg)*] = arguments else { panic!("other arguments") };
                $this.$name($($arg),*)
            },
            narrow: [
                (narrow::<f32>, f32::EPSILON.into(), $within),
                (narrow::<f16>, f16::EPSILON.to_f64(), 1.0),
                (narrow::<bf16>, bf16::EPSILON.to_f64(), 1.0),
            ],
        });
    }};
}

lazuli_macros::formulas!(rows);

#[test]
fn values_are_within_what_the_rows_say() {
    values_within_bounds(FILE, &functions());
    assert_eq!(arrays(FILE).len(), functions().len(), "values of another row");
}

#[test]
fn users_functions_call_the_methods() {
    let rows: Vec<Row> = methods().into_iter().map(|method| method.row).collect();
    values_within_bounds(FILE, &rows);
}

#[test]
fn methods_are_the_functions() {
    let (file, functions) = (arrays(FILE), functions());
    on_each_device(|_| {
        for method in methods() {
            let name = method.row.name;
            let table = table(&file, name);
            let arguments: Vec<F64> =
                (0..method.row.arguments).map(|k| column(&table, k)).collect();
            let function = functions.iter().find(|row| row.name == name).expect("its function");
            let bits =
                |a: F64| a.to_vec().unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>();
            let wanted = bits((function.call)(&arguments).remove(0));
            assert_eq!(bits((method.by_method)(&arguments)), wanted, "{name}");
        }
    });
    for method in methods() {
        let (table, row) = (table(&file, method.row.name), &method.row);
        for line in table.rows() {
            let (arguments, exact) = line.as_slice().expect("a row").split_at(row.arguments);
            let unit = exact[0].abs().max(row.bound.floor) * f64::EPSILON;
            let found = (method.of_numbers)(arguments);
            // The standard library's functions are less exact than ours by a unit or two.
            let allowed = (row.bound.units + 2.0) * unit;
            assert!((found - exact[0]).abs() <= allowed, "{}: {found:e} at {line}", row.name);
        }
    }
}

#[test]
fn narrow_types_are_as_exact() {
    let file = arrays(FILE);
    on_each_device(|device| {
        for method in methods() {
            let row = &method.row;
            let table = table(&file, row.name);
            for (narrow, epsilon, units) in method.narrow {
                // Arguments that each of the types holds.
                let arguments: Vec<F64> = (0..row.arguments)
                    .map(|k| column(&table, k).cast::<bf16>().cast::<f16>().cast())
                    .collect();
                let found = narrow(&arguments).to_vec().unwrap();
                let exact = (method.by_method)(&arguments).to_vec().unwrap();
                let units = if device.is_cuda() { 4.0 * units } else { units };
                // Half of a half's smallest number: what is below may be rounded to nothing.
                let least = if epsilon == f16::EPSILON.to_f64() { 3e-8 } else { 1e-40 };
                for (found, exact) in found.into_iter().zip(exact) {
                    let off = (found - exact).abs();
                    let allowed = units * epsilon * exact.abs().max(row.bound.floor) + least;
                    let is_right = found == exact || off <= allowed;
                    assert!(is_right, "{}: {found:e} for {exact:e}, {epsilon:e}", row.name);
                }
            }
        }
    });
}

#[test]
fn methods_broadcast_and_say_what_does_not_fit() {
    on_each_device(|_| {
        let (x, y) = (DeviceArray::<f64>::arange_to(3.0), DeviceArray::<f64>::ones([2, 1]));
        assert_eq!(x.xlogy(&y).shape(), [2, 3]);
        assert_eq!(x.xlogy(1.0).to_vec().unwrap(), [0.0; 3]);
        assert_eq!(x.slice(s![..0]).softsign().shape(), [0]);
        assert_eq!(x.slice(s![..;-2]).softsign().to_vec().unwrap(), [2.0 / 3.0, 0.0]);
        let error = x.try_rel_entr(&DeviceArray::<f64>::ones(2)).unwrap_err();
        assert!(error.is_shape() && error.to_string().contains("rel_entr"), "{error}");
        // One kernel with what stands around.
        let before = lazuli::counters();
        (x.softsign() * 2.0).gelu_exact().sum(..).item().unwrap();
        assert_eq!(lazuli::counters().kernels - before.kernels, 1);
    });
}
