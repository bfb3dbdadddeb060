//! Reductions over several devices whose results are large: each share reduces a part of them.

use crate::mesh::{devices, meshes};
use crate::support::bits;
use lazuli::{Arithmetic, Mesh, explain, prelude::*, with_arithmetic};

#[test]
fn large_results_are_the_same_on_any_number_of_shares() {
    const N: usize = 1 << 20;
    for device in devices() {
        device.scope(|| {
            let k = DeviceArray::<f64>::arange_to((5 * N) as f64);
            let x = ((k * 0.618).sin() + 0.1).reshape([5, N]);
            x.eval().unwrap();
            let mut first: Option<[Vec<u64>; 3]> = None;
            for mesh in meshes(device) {
                for (axis, x) in [(0, x.clone()), (1, x.t())] {
                    let over = x.to(mesh.shard(axis)).unwrap();
                    let sum = over.sum(axis);
                    // Halves of products of the same, whatever comes behind.
                    let product = over.prod(axis) * 0.5;
                    let largest = over.max(axis);
                    eval(&[&sum, &product, &largest]).unwrap();
                    let own = [bits(&sum), bits(&product), bits(&largest)];
                    let what = format!("{} shares along {axis}", mesh.len());
                    let expected = first.get_or_insert_with(|| own.clone());
                    assert!(own == *expected, "{what}");
                    assert_eq!(bits(&largest), bits(&x.max(axis)), "{what}");
                    let fast = with_arithmetic(Arithmetic::Fast, || over.sum(axis).to_vec());
                    let exact = x.sum(axis).to_vec().unwrap();
                    for (a, b) in fast.unwrap().into_iter().zip(exact) {
                        assert!((a - b).abs() < 1e-13, "{what}: {a} and {b}");
                    }
                }
            }
        });
    }
}

#[test]
fn less_is_moved_than_all_results_to_all() {
    let mesh = Mesh::processors(4).unwrap();
    let x = DeviceArray::<f64>::ones_on(mesh.shard(0), [64, 1 << 20]);
    x.eval().unwrap();
    // Of 16 results each share sends a quarter to each other one, and its part of the sum.
    let bytes = 4 * 3 * (16 + 1) * (8 << 20) / 4;
    assert_eq!(explain(&[&x.sum(0)]).bytes_moved(), bytes);
}
