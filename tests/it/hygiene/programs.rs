// A program with every attribute, in the words of which no name is short.

use lazuli::gpu::{Array, ArrayMut, Shared, shared, sync_threads, thread_idx};
use lazuli::prelude::{DeviceArray, Float, device, guvectorize, kernel, reduce, vectorize};
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1};

#[device]
fn halved<Number: Float>(first: Number, least: Number) -> (Number, i32) {
    let mut here = first.abs();
    let mut turns = 0;
    while here > least {
        here = here / (Number::ONE + Number::ONE);
        turns += 1;
    }
    (-here, turns)
}

#[vectorize]
fn elementwise<Number: Float>(first: Number, second: Number) -> (Number, i32) {
    let (mut total, mut turns) = halved(first, second);
    for turn_number in 0..turns {
        if turn_number == 3 {
            turns += 1;
            continue;
        }
        total += second.sin() * Number::from_f64(0.25);
    }
    let pair = [total, second];
    for (position, &element) in pair.iter().enumerate() {
        match (position, turns) {
            (0, 1..=3) => total += element,
            (1, _) if element > Number::ZERO => total -= element,
            _ => {}
        }
    }
    (total, turns)
}

#[guvectorize("(n,m),(m)->(n)")]
fn products(matrix: ArrayView2<f64>, vector: ArrayView1<f64>, mut results: ArrayViewMut1<f64>) {
    for row_number in 0..matrix.nrows() {
        let mut total = 0.0;
        for column_number in 0..matrix.ncols() {
            total += matrix[[row_number, column_number]] * vector[column_number].abs();
        }
        results[row_number] = if total > 1.0 { total.ln() } else { total };
    }
}

#[guvectorize("(n)->(n),()")]
fn carried(vector: &[f64], results: &mut [f64], last_one: &mut f64) {
    let mut before = 1.0;
    for position in 0..vector.len() {
        before = before * 0.5 + vector[position];
        results[position] = before;
        *last_one = before;
    }
}

#[reduce(identity = (0.0, i32::MIN))]
fn combined(left: (f64, i32), right: (f64, i32)) -> (f64, i32) {
    (left.0 + right.0, left.1.max(right.1))
}

#[device]
fn doubled(memory: Shared<[f64; 4]>, written: ArrayMut<f64, 1>, position: usize) -> f64 {
    written[position] += memory[3 - position];
    memory[position] * 2.0
}

#[kernel]
fn threads(given: Array<f64, 1>, written: ArrayMut<f64, 1>, factor: f64) {
    let memory = shared::<[f64; 4]>();
    let position = thread_idx().x;
    memory[position] = given[position] * factor;
    sync_threads();
    let more = doubled(memory, written, position);
    written[position] += more;
}

pub fn run() {
    let first = DeviceArray::from_slice(&[-9.0, 0.5, 40.0, 2.0]).unwrap();
    let (totals, turns) = elementwise::call(&first, 0.75);
    let wanted = [-9.0f64, 0.5, 40.0, 2.0].map(|value_here| elementwise(value_here, 0.75));
    assert_eq!(turns.to_vec().unwrap(), wanted.map(|pair_here| pair_here.1));
    for (found, pair_here) in totals.to_vec().unwrap().into_iter().zip(wanted) {
        assert!((found - pair_here.0).abs() < 1e-12);
    }
    let matrix = first.reshape([2, 2]);
    let found = products::call(&matrix, &first.take([0, 1], 0)).to_vec().unwrap();
    assert!((found[0] + 80.75).abs() < 1e-12 && (found[1] - 361.0f64.ln()).abs() < 1e-12);
    let (results, last_one) = carried::call(&first);
    assert_eq!(results.to_vec().unwrap(), [-8.5, -3.75, 38.125, 21.0625]);
    assert_eq!(last_one.item().unwrap(), 21.0625);
    let (total, most) = combined::reduce((&first, &turns), ..);
    assert_eq!(total.item().unwrap(), 33.5);
    assert_eq!(most.item().unwrap(), wanted.iter().map(|pair_here| pair_here.1).max().unwrap());
    let (sums, _) = combined::scan((&first, &turns), 0);
    assert_eq!(sums.to_vec().unwrap(), [-9.0, -8.5, 31.5, 33.5]);
    let mut written = DeviceArray::<f64>::ones(4);
    threads.launch(1, 4, (&first, &mut written, 0.5)).unwrap();
    // Each thread reads what the one opposite has put.
    assert_eq!(written.to_vec().unwrap(), [-7.0, 21.5, 41.25, -1.5]);
    let mut on_host = vec![1.0; 4];
    let given = vec![-9.0, 0.5, 40.0, 2.0];
    let arguments = (lazuli::gpu::In(&given), lazuli::gpu::InOut(&mut on_host), 0.5);
    threads.launch_with(1, 4, arguments).unwrap();
    assert_eq!(on_host, [-7.0, 21.5, 41.25, -1.5]);
}
