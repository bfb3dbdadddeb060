//! The code that a GPU runs, without one: kernels in the emulator, and what filters are planned as.

use super::*;
use crate::planned_kernels_tests::check;
use crate::prelude::*;
use crate::user::kernel::tests::everywhere;

/// A mask with components of several shapes.
fn mask() -> DeviceArray<bool> {
    let rows = [
        "110010001", //
        "010110001",
        "000000101",
        "111110111",
        "100010000",
        "101010110",
    ];
    let set = rows.iter().flat_map(|row| row.bytes().map(|b| b == b'1')).collect();
    DeviceArray::from_vec([6, 9], set).unwrap()
}

#[test]
fn components_and_distances_everywhere() {
    everywhere(|place| {
        let (labels, count) = label(&mask(), 1).unwrap();
        let rows = labels.to_vec().unwrap();
        assert_eq!(count, 6, "{place:?}");
        assert_eq!(rows[..9], [1, 1, 0, 0, 2, 0, 0, 0, 3]);
        assert_eq!(rows[45..], [4, 0, 5, 0, 4, 0, 6, 6, 0]);
        let volume = mask().reshape([2, 3, 9]);
        assert_eq!(label(&volume, 3).unwrap().1, 2, "{place:?}");
        let open = DeviceArray::<bool>::full([6, 9], false).with_put([4], true, 0);
        let filled = binary_propagation(&open, Binary::new(2).mask(&mask())).unwrap();
        assert_eq!(filled.cast::<i32>().sum(..).item().unwrap(), 26);
        let squares = distance_transform_edt(&mask(), &[1.0, 2.0]).unwrap().square();
        assert_eq!(
            squares.to_vec().unwrap()[27..36],
            [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
        );
        let king = distance_transform_chessboard(&mask()).unwrap();
        assert_eq!(king.max(..).item().unwrap(), 1, "{place:?}");
        let bar = DeviceArray::<bool>::full([7, 9], true).with_put([0, 6], false, 0);
        let king = distance_transform_chessboard(&bar).unwrap().to_vec().unwrap();
        assert_eq!(king[27..36], [3; 9], "{place:?}");
    });
}

#[test]
fn filters_are_kernels_that_compile() {
    Device::cpu().scope(|| {
        let a = DeviceArray::<f32>::from_vec([40, 50], (0..2000).map(|k| k as f32).collect());
        let a = a.unwrap();
        for border in [Border::Reflect, Border::Mirror, Border::Wrap, Border::Constant(1.0)] {
            let blurred = gaussian_filter(&(&a * 2.0), Gaussian::new(1.0).border(border)) + 1.0;
            check("gaussian", &[&blurred]);
        }
        check("median", &[&median_filter(&a, 3)]);
        check("wide", &[&gaussian_filter(&a, 12.0)]);
        check("maximum", &[&maximum_filter(&a, 9)]);
        check("edges", &[&sobel(&a, 0, Border::Reflect).hypot(sobel(&a, 1, Border::Reflect))]);
        let at = DeviceArray::<f32>::zeros([2, 30]);
        for order in [1, 3] {
            check("coordinates", &[&map_coordinates(&a, &at, order)]);
            check("rotation", &[&rotate(&a, 30.0, Spline::new(order).border(Border::Reflect))]);
        }
    });
}

/// A Gaussian's weights are no part of a kernel's code where there are many.
#[test]
fn kernels_of_wide_filters_stay_small() {
    Device::cpu().scope(|| {
        let a = DeviceArray::<f32>::ones([300, 300]);
        let values = |sigma: f64| {
            let blurred = gaussian_filter(&a, sigma);
            let (prepared, ..) = crate::eval::prepare(&[blurred.node().clone()]).unwrap().unwrap();
            prepared.plan.kernels().map(|step| step.kernel.values.len()).max().unwrap()
        };
        assert!(values(40.0) < 60, "{}", values(40.0));
        assert!(values(1.0) < 200, "{}", values(1.0));
    });
}

#[test]
fn ranks_of_large_windows_everywhere() {
    everywhere(|place| {
        let values: Vec<i64> = (0..60).map(|k| (k * 37 % 61) - 30).collect();
        let window = || Window::new([7, 5]).border(Border::Nearest);
        let at = |y: i64, x: i64| values[(y.clamp(0, 5) * 10 + x.clamp(0, 9)) as usize];
        let medians = |y: i64, x: i64| {
            let mut all: Vec<i64> = (0..35).map(|k| at(y + k / 5 - 3, x + k % 5 - 2)).collect();
            all.sort_unstable();
            all[17]
        };
        let wanted: Vec<i64> = (0..60).map(|k| medians(k / 10, k % 10)).collect();
        let a = DeviceArray::from_vec([6, 10], values.clone()).unwrap();
        assert_eq!(median_filter(&a, window()).to_vec().unwrap(), wanted, "{place:?}");
        let small = median_filter(&a.cast::<i8>(), window()).cast::<i64>();
        assert_eq!(small.to_vec().unwrap(), wanted, "{place:?}");
        let halves = median_filter(&a.cast::<f16>(), window()).cast::<i64>();
        assert_eq!(halves.to_vec().unwrap(), wanted, "{place:?}");
    });
}
