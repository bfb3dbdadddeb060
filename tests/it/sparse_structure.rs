//! Sparse matrices of blocks, diagonals and drawn places, and components of graphs, against dense ones.

use crate::sparse_solvers::{dense, line};
use crate::support::on_each_device;
use lazuli::prelude::*;
use lazuli::random::Generator;
use lazuli::sparse::csgraph::{Connection, connected_components};
use lazuli::sparse::{Coo, Csr};

#[test]
fn triangles_grids_and_diagonals() {
    on_each_device(|_| {
        let mut generator = Generator::new(4);
        for shape in [[9, 6], [6, 9], [5, 5]] {
            let a = Csr::<f64>::random(&mut generator, shape, 0.4).unwrap();
            for k in [-20, -3, 0, 2, 20] {
                assert_eq!(a.tril(k).unwrap().to_dense(), a.to_dense().tril(k));
                assert_eq!(a.triu(k).unwrap().to_dense(), a.to_dense().triu(k));
            }
            let (data, offsets) = a.to_dia().unwrap();
            assert!(offsets.is_sorted() && data.shape() == [offsets.len(), shape[1]]);
            let back = Csr::from_dia(shape, &data, &offsets).unwrap();
            assert_eq!(back.to_dense(), a.to_dense());
            // What lies outside is not read, what is short is zero.
            let far = DeviceArray::<f64>::full([3, 4], 2.0);
            let b = Csr::from_dia(shape, &far, &[-1, 100, isize::MIN]).unwrap();
            let wanted: Vec<f64> = (0..shape[0] * shape[1])
                .map(|k| (k / shape[1], k % shape[1]))
                .map(|(i, j)| if i == j + 1 && j < 4 { 2.0 } else { 0.0 })
                .collect();
            assert_eq!(b.to_dense().to_vec().unwrap(), wanted);
            let grid = [vec![Some(&a), None], vec![None, Some(&b)], vec![Some(&b), Some(&a)]];
            let whole = Csr::block_array(&grid).unwrap().to_dense();
            let zeros = DeviceArray::<f64>::zeros(shape);
            let (a, b) = (a.to_dense(), b.to_dense());
            let rows = [[&a, &zeros], [&zeros, &b], [&b, &a]];
            let rows = rows.map(|row| lazuli::concatenate(&row, 1));
            assert_eq!(whole, lazuli::concatenate(&[&rows[0], &rows[1], &rows[2]], 0));
        }
        let (a, b) = (line(3, 0.2), line(4, 0.0));
        let eye = |n: usize| DeviceArray::<f64>::eye(n);
        let wanted = eye(4).kron(&a.to_dense()) + b.to_dense().kron(&eye(3));
        assert_eq!(a.kronsum(&b).unwrap().to_dense(), wanted);
        let none = Csr::<f64>::from_dense(&DeviceArray::zeros([3, 2])).unwrap();
        let (data, offsets) = none.to_dia().unwrap();
        assert!(data.shape() == [0, 2] && offsets.is_empty());
    });
    let (a, b) = (line(3, 0.0), line(4, 0.0));
    let wrong = |grid: &[Vec<Option<&Csr<f64>>>]| Csr::block_array(grid).unwrap_err().is_shape();
    assert!(wrong(&[]) && wrong(&[vec![]]) && wrong(&[vec![None]]));
    assert!(wrong(&[vec![Some(&a), Some(&b)]]) && wrong(&[vec![Some(&a)], vec![Some(&b)]]));
    assert!(wrong(&[vec![Some(&a), None]]) && wrong(&[vec![Some(&a)], vec![Some(&a), Some(&a)]]));
    assert!(a.kronsum(&dense(&[&[1.0, 2.0]])).unwrap_err().is_shape());
    let data = DeviceArray::<f64>::ones([2, 3]);
    assert!(Csr::from_dia([3, 3], &data, &[0, 0]).unwrap_err().is_shape());
    assert!(Csr::from_dia([3, 3], &data, &[0]).unwrap_err().is_shape());
    assert!(Csr::from_dia([1 << 40, 3], &data, &[0, 1]).unwrap_err().is_shape());
}

#[test]
fn random_matrices() {
    on_each_device(|_| {
        let mut generator = Generator::new(1);
        let a = Csr::<f64>::random(&mut generator, [200, 300], 0.05).unwrap();
        assert_eq!(a.nnz(), 3000);
        let (low, high) = (a.data().min(..).item().unwrap(), a.data().max(..).item().unwrap());
        assert!(low >= 0.0 && high < 1.0 && high - low > 0.9);
        // Spread over the rows: about 15 in each.
        let most = a.indptr().windows(2).map(|row| row[1] - row[0]).max().unwrap();
        assert!((20..40).contains(&most), "{most}");
        let other = Csr::<f64>::random(&mut generator, [200, 300], 0.05).unwrap();
        assert_ne!(a.indices(), other.indices());
        let again = Csr::<f64>::random(&mut Generator::new(1), [200, 300], 0.05).unwrap();
        assert_eq!(a.indices(), again.indices());
        assert_eq!(Csr::<f32>::random(&mut generator, [7, 5], 1.0).unwrap().nnz(), 35);
        for shape in [[0, 5], [5, 0], [4, 4]] {
            assert_eq!(Csr::<f64>::random(&mut generator, shape, 0.0).unwrap().nnz(), 0);
        }
        assert_eq!(
            Csr::<f64>::random(&mut generator, [100_000, 2_000_000_000], 1e-12).unwrap().nnz(),
            200
        );
    });
    for density in [-0.1, 1.1, f64::NAN] {
        assert!(
            Csr::<f64>::random(&mut Generator::new(1), [3, 3], density).unwrap_err().is_shape()
        );
    }
}

#[test]
fn components_of_graphs() {
    on_each_device(|_| {
        // A ring of three, a tail into it, and a node alone.
        let ones = DeviceArray::<f64>::ones([4]);
        let a = Coo::new([5, 5], &[4, 1, 2, 3], &[1, 2, 4, 2], &ones).unwrap().to_csr().unwrap();
        let (count, labels) = connected_components(&a, Connection::Weak).unwrap();
        assert_eq!((count, labels.to_vec().unwrap()), (2, vec![0, 1, 1, 1, 1]));
        let (count, labels) = connected_components(&a, Connection::Strong).unwrap();
        assert_eq!((count, labels.to_vec().unwrap()), (3, vec![0, 1, 1, 2, 1]));
        // Against what the powers of the matrix reach.
        let mut generator = Generator::new(8);
        for density in [0.01, 0.03, 0.06] {
            let n = 40;
            let a = Csr::<f64>::random(&mut generator, [n, n], density).unwrap();
            let step = (a.to_dense() + DeviceArray::<f64>::eye(n)).greater(0.0).cast::<f64>();
            for connection in [Connection::Weak, Connection::Strong] {
                let mut reach = match connection {
                    Connection::Weak => (&step + step.t()).greater(0.0).cast::<f64>(),
                    Connection::Strong => step.clone(),
                };
                for _ in 0..6 {
                    reach = reach.matmul(&reach).greater(0.0).cast::<f64>();
                }
                let both = reach.multiply(reach.t()).to_vec().unwrap();
                let (count, labels) = connected_components(&a, connection).unwrap();
                let labels = labels.to_vec().unwrap();
                for (k, both) in both.iter().enumerate() {
                    assert_eq!(*both > 0.0, labels[k / n] == labels[k % n], "{k}");
                }
                assert_eq!(labels.iter().max().unwrap() + 1, count as i32);
            }
        }
        // A path is deeper than any stack of calls.
        let path = Csr::diags([200_000, 200_000], &[(1, &DeviceArray::<f32>::ones([1]))]).unwrap();
        assert_eq!(connected_components(&path, Connection::Weak).unwrap().0, 1);
        assert_eq!(connected_components(&path, Connection::Strong).unwrap().0, 200_000);
        let none = Csr::<f64>::eye(0).unwrap();
        assert_eq!(connected_components(&none, Connection::Strong).unwrap().0, 0);
    });
    let wide = dense(&[&[1.0, 2.0]]);
    assert!(connected_components(&wide, Connection::Weak).unwrap_err().is_shape());
}
