//! Panics of users' functions on the processor: errors that name the function, the element and the
//! line, after which all arrays are as they were.

use lazuli::gpu::*;
use lazuli::prelude::*;
use ndarray::{ArrayView1, ArrayViewMut1};
use std::process::Command;

/// The line after the one that calls it.
macro_rules! next_line {
    () => {
        line!() + 1
    };
}

const TABLE_LINE: u32 = next_line!() + 4;
/// Looks into a table of four.
#[vectorize]
fn looked_up(k: i64, x: f64) -> f64 {
    let table = [1.0, 2.0, 3.0, 4.0];
    table[k as usize] * x
}

#[vectorize]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

/// Whole numbers that have no sum beyond a thousand.
#[reduce(identity = 0)]
fn bounded(a: i64, b: i64) -> i64 {
    let allowed = [0i64; 1001];
    a + b + allowed[(a + b) as usize]
}

/// The elements at places, item by item.
#[guvectorize("(n),(m)->(m)")]
fn gathered(x: ArrayView1<f64>, places: ArrayView1<i64>, mut out: ArrayViewMut1<f64>) {
    for j in 0..places.len() {
        let mut k = 0;
        while k < places[j] {
            k += 1;
        }
        out[j] = x[k as usize];
    }
}

#[kernel]
fn counted(x: ArrayMut<i64, 1>, by: i64) {
    let i = grid::<1>();
    if i < x.len() {
        x[i] = 100 / (i as i64 - by);
    }
}

fn refused<T: Element>(array: &DeviceArray<T>, parts: &[&str]) {
    let error = array.eval().expect_err("the function panics");
    assert!(error.is_panic(), "{error:?}");
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text} lacks {part}");
    }
    // It is refused again in the same words, and nothing is locked.
    let again = array.eval().expect_err("it still panics").to_string();
    let words = |text: &str| text.split(" (tests").next().unwrap_or_default().to_owned();
    assert_eq!(words(&again), words(&text));
}

fn elementwise(rows: usize, columns: usize) {
    let wrong = [rows - 2, columns / 2];
    let mut places = vec![1i64; rows * columns];
    places[wrong[0] * columns + wrong[1]] = 9;
    places[wrong[0] * columns + wrong[1] + 3] = 7;
    let k = DeviceArray::from_vec([rows, columns], places).unwrap();
    let x = DeviceArray::<f64>::arange_to(columns as f64);
    let line = format!("panics.rs:{TABLE_LINE}:5");
    let element = format!("at element {wrong:?}");
    let values = format!("for (9, {:?})", wrong[1] as f64);
    let message =
        "looked_up: the function panicked: index out of bounds: the len is 4 but the index is 9";
    let all = [message, &line, &element, &values];
    let result = looked_up::call(&k, &x);
    refused(&result, &all);
    // Fused with other operations and a sum, the element is still that of the call.
    refused(&(&result.t() * 2.0 + 1.0).sum(0), &all);
    refused(&looked_up::call(&(&k + 0), &(&x + 0.0)).reshape([columns, rows]), &all[..3]);
    // What goes into it, and what else is asked for, is as it was.
    let good = looked_up::call(&k.minimum(3), &x);
    assert_eq!(good.slice(s![0, 2]).item().unwrap(), 4.0);
    assert_eq!(k.max(..).item().unwrap(), 9);
}

fn whole_numbers(n: usize) {
    let b = DeviceArray::<i32>::arange_to(n as i32) - (n as i32 - 5);
    let q = quotient::call(7, &b);
    let element = format!("at element [{}]", n - 5);
    refused(
        &q,
        &["quotient: the function panicked: attempt to divide by zero", "(7, 0)", &element],
    );
}

fn reductions(rows: usize, columns: usize) {
    let mut ones = vec![0i64; rows * columns];
    let wrong = rows / 3;
    ones[wrong * columns..][..columns].fill(1);
    let x = DeviceArray::from_vec([rows, columns], ones).unwrap();
    if columns > 1001 {
        let element = format!("at element [{wrong}, 1000]");
        let name = "bounded: the function panicked: index out of bounds: the len is 1001";
        refused(&bounded::reduce(&x, 1), &[name, &element, "panics.rs:"]);
        refused(&bounded::scan(&x, 1), &[name, &element, "panics.rs:"]);
    }
    let few = columns.min(900);
    let sums = bounded::reduce(&x.slice(s![.., ..few as isize]), 1);
    assert_eq!(sums.slice(s![wrong as isize]).item().unwrap(), few as i64);
}

fn items(rows: usize) {
    let x = DeviceArray::<f64>::arange_to(3.0);
    let mut places = vec![2i64; rows * 2];
    places[rows] = 3;
    let places = DeviceArray::from_vec([rows, 2], places).unwrap();
    let item = format!("for item [{}]", rows / 2);
    let name = "gathered: the function panicked: ";
    refused(&gathered::call(&x, &places), &[name, "index 3", &item, "panics.rs:"]);
    let good = gathered::call(&x, &places.minimum(2));
    assert_eq!(good.slice(s![0, 0]).item().unwrap(), 2.0);
}

/// An assignment in place that reads what it overwrites keeps it where the function panics.
fn assignments(n: usize) {
    let mut a = DeviceArray::<i32>::arange_to(n as i32) + 1;
    a.eval().unwrap();
    let halved = quotient::call(&a.slice(s![1..]), &(&a.slice(s![1..]) - (n as i32 - 3)));
    a.assign(s![..-1], &halved);
    refused(&a, &["attempt to divide by zero", &format!("at element [{}]", n - 5)]);
    refused(&a, &["attempt to divide by zero", &format!("({}, 0)", n - 3)]);
}

fn kernels(n: usize) {
    let mut x = DeviceArray::<i64>::zeros([n]);
    let error = counted.launch(n.div_ceil(64), 64, (&mut x, n as i64 - 3)).unwrap_err();
    assert!(error.is_panic(), "{error:?}");
    let text = error.to_string();
    assert!(
        text.starts_with("counted: the function panicked: attempt to divide by zero, at "),
        "{text}"
    );
    let place = format!("in thread ({}, 0, 0) of block ({}, 0, 0)", (n - 3) % 64, (n - 3) / 64);
    assert!(text.contains("panics.rs:") && text.contains(&place), "{text}");
    counted.launch(n.div_ceil(64), 64, (&mut x, n as i64)).unwrap();
    assert_eq!(x.slice(s![n as isize - 1]).item().unwrap(), -100);
}

fn all() {
    Device::cpu().scope(|| {
        for (rows, columns) in [(3, 40), (900, 1100)] {
            elementwise(rows, columns);
            whole_numbers(rows * columns);
            reductions(rows, columns);
            items(rows);
            assignments(rows * columns);
            kernels(rows * 7);
        }
    });
}

#[test]
fn a_panic_names_function_element_and_line() {
    all();
}

/// Other numbers of threads, each in a process of its own, which is this test again.
#[test]
fn a_panic_is_the_same_error_for_any_number_of_threads() {
    if std::env::var_os("LAZULI_TEST_THREADS").is_some() {
        return all();
    }
    let name = "panics::a_panic_is_the_same_error_for_any_number_of_threads";
    for threads in ["1", "8"] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", name]).env("LAZULI_TEST_THREADS", threads);
        let output = child.env("RAYON_NUM_THREADS", threads).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{threads} threads: {said}");
        // Panics that are errors are not printed besides.
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{threads} threads");
    }
}
