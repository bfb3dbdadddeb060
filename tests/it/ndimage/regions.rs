//! Labels, measurements of regions, distances.

use super::{EXACT, close, with_file};
use crate::support::compare::Tolerance;
use lazuli::ndimage::*;
use lazuli::prelude::*;

#[test]
fn labels_are_scipys() {
    with_file(|file| {
        for k in 0..3 {
            let a = file.array::<bool>(&format!("noise{k}"));
            for connectivity in [1, 2] {
                let (labels, count) = label(&a, connectivity).unwrap();
                file.within(&format!("label{k}_{connectivity}"), &labels, EXACT);
                let wanted = file.array::<i64>(&format!("count{k}_{connectivity}"));
                assert_eq!(count as i64, wanted.item().unwrap());
            }
        }
        let noise = file.array::<bool>("noise1");
        let diagonal = file.flags("diagonal");
        file.within("label_diagonal", &label(&noise, diagonal).unwrap().0, EXACT);
        let cube = file.array::<bool>("cube").slice(s![..;2]);
        file.within("label_cube", &label(&cube, 1).unwrap().0, EXACT);
        let line = file.array::<bool>("noise0").slice(s![0]);
        file.within("label_line", &label(&line, 1).unwrap().0, EXACT);
        file.within("label_four", &label(&file.array("four"), 1).unwrap().0, EXACT);
    });
}

#[test]
fn labels_of_large_and_of_odd_arrays() {
    with_file(|_| {
        // A snake through all rows, whose ends are far apart: one component.
        let (rows, columns) = (301usize, 500usize);
        let snake = DeviceArray::from_vec(
            [rows, columns],
            (0..rows * columns)
                .map(|k| {
                    let (y, x) = (k / columns, k % columns);
                    let turn = if y % 4 == 1 { columns - 1 } else { 0 };
                    y % 2 == 0 || x == turn
                })
                .collect(),
        )
        .unwrap();
        let (labels, count) = label(&snake, 1).unwrap();
        assert_eq!(count, 1);
        assert_eq!(labels.to_vec().unwrap(), snake.cast::<i32>().to_vec().unwrap());
        let (labels, count) = label(&DeviceArray::<bool>::full([3, 0], true), 1).unwrap();
        assert_eq!((labels.shape(), count), (&[3, 0][..], 0));
        assert_eq!(label(&DeviceArray::<bool>::full([3, 4], false), 2).unwrap().1, 0);
        let number = DeviceArray::from(true);
        assert_eq!(label(&number, 1).unwrap().0.item().unwrap(), 1);
        let lopsided = ndarray::array![[false, false, false], [false, true, true], [false; 3]];
        for structure in [lopsided, ndarray::Array2::from_elem((1, 3), true)] {
            assert!(label(&snake, structure).unwrap_err().is_shape());
        }
    });
}

#[test]
fn measurements_are_scipys() {
    with_file(|file| {
        let regions = &file.array::<i32>("regions");
        let values = &file.array::<f64>("values");
        let count = i64::from(regions.max(..).item().unwrap());
        let index = || file.array::<i64>("index").to_vec().unwrap();
        let near = Tolerance { rtol: 1e-12, atol: 1e-13, ..close::<f64>() };
        type Call = fn(&DeviceArray<f64>, &DeviceArray<i32>, Vec<i64>) -> DeviceArray<f64>;
        let six: [(&str, Call); 6] = [
            ("sum_labels", sum_labels),
            ("mean", mean),
            ("variance", variance),
            ("standard_deviation", standard_deviation),
            ("minimum", minimum),
            ("maximum", maximum),
        ];
        for (name, call) in six {
            let all = (1..=count).collect();
            file.within(&format!("{name}_all"), &call(values, regions, all), near);
            file.within(&format!("{name}_index"), &call(values, regions, index()), near);
        }
        let present = || file.array::<i64>("present").to_vec().unwrap();
        let least = minimum_position(values, regions, present());
        file.within("minimum_position", &least, EXACT);
        let greatest = maximum_position(values, regions, present());
        file.within("maximum_position", &greatest, EXACT);
        let weights = file.array::<f64>("weights");
        file.within("center_of_mass", &center_of_mass(&weights, regions, present()), near);
    });
}

#[test]
fn boxes_are_scipys() {
    with_file(|file| {
        let boxes = find_objects(&file.array::<i32>("few"), None).unwrap();
        let wanted = file.array::<i64>("boxes").to_vec().unwrap();
        let found: Vec<i64> = boxes
            .iter()
            .flat_map(|found| match found {
                Some(ranges) => {
                    ranges.iter().flat_map(|range| [range.start as i64, range.end as i64]).collect()
                }
                None => vec![-1; 4],
            })
            .collect();
        assert_eq!(found, wanted);
        let labels = DeviceArray::from_slice(&[2u64, 0, u64::MAX]).unwrap();
        let first: Vec<std::ops::Range<usize>> = std::iter::once(0..1).collect();
        assert_eq!(find_objects(&labels, Some(3)).unwrap(), [None, Some(first), None]);
        assert!(find_objects(&DeviceArray::<i32>::zeros([0, 2]), None).unwrap().is_empty());
        let other = DeviceArray::<i32>::zeros(2);
        assert!(try_mean(&labels, &other, [1]).unwrap_err().is_shape());
        assert_eq!(sum_labels(&labels, &labels, []).shape(), [0]);
    });
}

#[test]
fn distances_are_scipys() {
    with_file(|file| {
        let near = Tolerance { rtol: 1e-15, atol: 0.0, ..close::<f64>() };
        for k in 0..4 {
            let a = &file.array::<bool>(&format!("far{k}"));
            file.within(&format!("edt{k}"), &distance_transform_edt(a, &[]).unwrap(), near);
            let sampling = &[0.5, 2.0, 1.25][..a.ndim()];
            let sampled = distance_transform_edt(a, sampling).unwrap();
            file.within(&format!("edt_sampled{k}"), &sampled, near);
            let king = distance_transform_chessboard(a).unwrap();
            file.within(&format!("chessboard{k}"), &king, EXACT);
            file.within(&format!("taxicab{k}"), &distance_transform_taxicab(a), EXACT);
            // What is nearest is background, as far away as the distance says.
            let to = nearest_background(a, sampling).unwrap().to_vec().unwrap();
            let set = a.to_vec().unwrap();
            let far = sampled.to_vec().unwrap();
            let place = |mut k: usize| {
                let mut at = vec![0.0; a.ndim()];
                for (axis, &n) in a.shape().iter().enumerate().rev() {
                    (at[axis], k) = ((k % n) as f64 * sampling[axis], k / n);
                }
                at
            };
            for (from, &to) in to.iter().enumerate() {
                assert!(!set[to as usize]);
                let squares: f64 = place(from)
                    .iter()
                    .zip(place(to as usize))
                    .map(|(a, b)| (a - b) * (a - b))
                    .sum();
                assert!((squares.sqrt() - far[from]).abs() < 1e-12);
            }
        }
    });
}

#[test]
fn distances_to_nothing() {
    with_file(|_| {
        let all = &DeviceArray::<bool>::full([2, 3], true);
        let far = distance_transform_edt(all, &[]).unwrap().to_vec().unwrap();
        assert_eq!(far, [f64::INFINITY; 6]);
        assert_eq!(nearest_background(all, &[]).unwrap().to_vec().unwrap(), [-1; 6]);
        assert_eq!(distance_transform_chessboard(all).unwrap().to_vec().unwrap(), [-1; 6]);
        assert_eq!(distance_transform_taxicab(all).to_vec().unwrap(), [-1; 6]);
        let none = &DeviceArray::<bool>::full([0, 3], true);
        assert_eq!(distance_transform_edt(none, &[]).unwrap().shape(), [0, 3]);
        assert_eq!(distance_transform_chessboard(none).unwrap().shape(), [0, 3]);
        assert_eq!(distance_transform_taxicab(none).shape(), [0, 3]);
        for sampling in [&[1.0, 1.0, 1.0][..], &[0.0], &[f64::NAN]] {
            assert!(distance_transform_edt(all, sampling).unwrap_err().is_shape());
        }
    });
}
