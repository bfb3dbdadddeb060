//! Indices by several arrays, masks and ranges: reading, assigning, combining.

use super::{File, with_file};
use lazuli::Index;
use lazuli::prelude::*;
use ndarray::{NewAxis, Slice};

fn check<I: Index>(file: &File, name: &str, index: impl Fn() -> I) {
    let a = file.array::<i32>("q");
    let named = |what: &str| format!("{what}_{name}");
    let fail = |e: Error| -> ! { panic!("{name}: {e}") };
    let or_fail = |r: Result<DeviceArray<i32>>| r.unwrap_or_else(|e| fail(e));
    file.exact(&named("index"), or_fail(a.index(index())));
    // Read from an expression, transposed twice.
    let moved = (a.permute(&[2, 0, 1]).flip(0) - 5).flip(0).permute(&[1, 2, 0]) + 5;
    file.exact(&named("index"), or_fail(moved.index(index())));
    let values = file.array::<i32>(&named("values"));
    file.exact(&named("assign"), or_fail(a.with_index(index(), 7)));
    let mut b = a.clone();
    b.assign_index(index(), 7).unwrap_or_else(|e| fail(e));
    file.exact(&named("assign"), b);
    file.exact(&named("add"), or_fail(a.scatter_add_at(index(), &values)));
    file.exact(&named("multiply"), or_fail(a.scatter_multiply_at(index(), &values)));
    file.exact(&named("minimum"), or_fail(a.scatter_min_at(index(), &values)));
    file.exact(&named("maximum"), or_fail(a.scatter_max_at(index(), &values)));
}

#[test]
fn indices_are_numpys() {
    with_file(|file| {
        let [i, j, two] = ["i", "j", "two"].map(|name| file.array::<i64>(name));
        let [mask, rows, last] =
            ["mask", "mask_rows", "mask_last"].map(|name| file.array::<bool>(name));
        let first = i.index_axis(0, 0).cast::<i16>();
        check(file, "pair", || (&i, &j));
        check(file, "pair_behind", || (.., &j, &i));
        check(file, "apart", || (&i, .., &j));
        check(file, "apart_range", || (&j, 1..3, &i));
        check(file, "number", || (0, .., &two));
        check(file, "number_near", || (.., 0, &two));
        check(file, "number_first", || (1, &i));
        check(file, "reversed", || (s![..;-1], &first, Slice::new(0, None, -2)));
        check(file, "new", || (&two, NewAxis, 1.., 0));
        check(file, "ellipsis", || (Ellipsis, &i));
        check(file, "ellipsis_ends", || (&two, Ellipsis, &two));
        check(file, "ellipsis_zero", || (NewAxis, &two, &two, Ellipsis, &two));
        check(file, "mask", || &mask);
        check(file, "mask_behind", || (&rows, .., &last));
        check(file, "mask_range", || (&mask, s![..;2]));
        check(file, "mask_number", || (&rows, 1));
        check(file, "mask_array", || (&mask, 3));
        check(file, "last", || (Ellipsis, &last));
        check(file, "listed", || ([0, 2, 1], .., 3));
        check(file, "basic", || (Ellipsis, s![1..4;2]));
        check(file, "basic_number", || (1, Ellipsis, 2));
        let values = file.array::<i32>("values");
        let mut a = file.array::<i32>("q");
        a.assign_index(([0, 0, 2], .., 1), &values).unwrap();
        file.exact("assign_values", a);
    });
}

#[test]
fn empty_indices() {
    with_file(|file| {
        let a = file.array::<i32>("q");
        let none = DeviceArray::<i64>::zeros([0, 2]);
        assert_eq!(a.index((&none, 0)).unwrap().shape(), [0, 2, 5]);
        assert_eq!(a.with_index((&none, 0), 7).unwrap().to_vec().unwrap(), a.to_vec().unwrap());
        let never = DeviceArray::<bool>::zeros(3);
        assert!(a.index((&never, .., [0, 1])).is_err_and(|e| e.is_shape()));
        assert_eq!(a.index((&never, .., [1])).unwrap().shape(), [0, 4]);
        assert_eq!(a.scatter_add_at(&never, 1).unwrap().to_vec().unwrap(), a.to_vec().unwrap());
        let hollow = DeviceArray::<f64>::zeros([2, 0, 3]);
        assert_eq!(hollow.index(([0, 1], .., [1, 2])).unwrap().shape(), [2, 0]);
        assert!(hollow.index((.., [0])).is_err_and(|e| e.is_shape()));
        let one = DeviceArray::from(5);
        assert_eq!(one.index(Ellipsis).unwrap().item().unwrap(), 5);
        assert_eq!(one.index(NewAxis).unwrap().shape(), [1]);
    });
}

#[test]
fn what_indices_refuse() {
    with_file(|file| {
        let a = file.array::<i32>("q");
        let beyond = DeviceArray::from_slice(&[0i64, 3]).unwrap();
        for result in [
            a.index((0, 0, 0, 0)),
            a.index((Ellipsis, Ellipsis)),
            a.index([3]),
            a.index((.., -5, [0])),
            a.index(([0, 1], [0, 1, 2])),
            a.index(&DeviceArray::<bool>::zeros([4, 3])),
            a.index(&DeviceArray::from(true)),
            a.index((.., 7)),
            a.with_index([0, 1], &DeviceArray::zeros(4)),
        ] {
            let error = result.unwrap_err();
            assert!(error.is_shape(), "{error}");
            assert!(error.to_string().contains("indexing.rs:"), "{error}");
        }
        let error = a.index((&beyond, &beyond)).unwrap().to_vec().unwrap_err().to_string();
        assert!(
            error.contains("index 3, number 1 of the indices, is out of bounds for axis 0"),
            "{error}"
        );
        assert!(a.scatter_add_at((&beyond, 0), 1).unwrap().eval().is_err());
        let large = DeviceArray::from_slice(&[u64::MAX]).unwrap();
        assert!(a.index(&large).unwrap().eval().is_err());
    });
}
