//! Splines, and arrays read at other places.

use super::{File, close, with_file};
use crate::support::compare::Tolerance;
use crate::support::value::Typed;
use lazuli::ndimage::*;
use lazuli::prelude::*;

const BORDERS: [Border; 7] = [
    Border::Reflect,
    Border::Nearest,
    Border::Mirror,
    Border::Constant(2.5),
    Border::Wrap,
    Border::GridConstant(2.5),
    Border::GridWrap,
];

/// SciPy's prefilter is right to some digits only where edges are reflected, which it takes those
/// of the nearest element for; this crate's is to the last.
const FILTERED: Tolerance = Tolerance { ulp: 0, rtol: 1e-6, atol: 1e-6, signed_zero: false };

/// Holds the results for all orders and borders against those in the file.
#[track_caller]
fn every<T: Typed>(
    file: &File,
    name: &str,
    near: Tolerance,
    call: impl Fn(Spline) -> DeviceArray<T>,
) {
    let order = |order: usize| {
        let one = |border: &Border| {
            let a = call(Spline::new(order).border(*border));
            a.eval().unwrap_or_else(|e| panic!("{name}: {order}, {border:?}: {e}"));
            a
        };
        let all: Vec<DeviceArray<T>> = BORDERS.iter().map(one).collect();
        lazuli::stack(&all, 0)
    };
    let all: Vec<DeviceArray<T>> = (0..6).map(order).collect();
    file.within(name, &lazuli::stack(&all, 0), near);
}

#[test]
fn coordinates_are_read_as_scipy_reads_them() {
    with_file(|file| {
        let (image, at) = (&file.array::<f64>("image"), &file.array::<f64>("at"));
        let near = Tolerance { rtol: 1e-11, atol: 1e-11, ..close::<f64>() };
        every(file, "map_image", FILTERED, |s| map_coordinates(image, at, s));
        every(file, "map_unfiltered", near, |s| map_coordinates(image, at, s.prefilter(false)));
        let line = &file.array::<f64>("line");
        every(file, "map_line", FILTERED, |s| map_coordinates(line, &file.array::<f64>("at1"), s));
        let flat = &file.array::<f64>("flat");
        let few = &at.slice(s![.., ..12]);
        every(file, "map_flat", FILTERED, |s| map_coordinates(flat, few, s));
        let whole = &file.array::<u8>("image");
        every(file, "map_whole", close::<u8>(), |s| map_coordinates(whole, at, s));
        let single = &image.cast::<f32>();
        let near = Tolerance { rtol: 3e-5, atol: 3e-4, ..close::<f32>() };
        every(file, "map_f32", near, |s| map_coordinates(single, at, s));
    });
}

#[test]
fn coordinates_in_volumes() {
    with_file(|file| {
        let (volume, at) = (&file.array::<f64>("volume"), &file.array::<f64>("at3"));
        every(file, "map_volume", FILTERED, |s| map_coordinates(volume, at, s));
    });
}

#[test]
fn transforms_are_scipys() {
    with_file(|file| {
        let [image, line, volume] =
            &["image", "line", "volume"].map(|name| file.array::<f64>(name));
        let near = Tolerance { rtol: 1e-11, atol: 1e-11, ..close::<f64>() };
        every(file, "shift", FILTERED, |s| shift(line, &[1.3], s));
        every(file, "zoom", FILTERED, |s| zoom(image, &[1.6, 0.7], s));
        every(file, "zoom_grid", FILTERED, |s| zoom_grid(line, &[1.7], s));
        let matrix = ndarray::array![[0.8, -0.3], [0.4, 1.1]];
        let map = Affine::new(matrix).offset([0.3, -1.2]).output_shape([4, 6]);
        every(file, "affine", FILTERED, |s| affine_transform(image, &map, s));
        let same = |name: &str, got: DeviceArray<f64>| file.within(name, &got, near);
        let map = Affine::new(ndarray::array![0.5, 1.5]).offset([1.0, 0.25]);
        same("affine_diagonal", affine_transform(image, &map, 3));
        let map = Affine::new(ndarray::array![[0.5, 0.1, 1.0], [0.0, 2.0, -1.0], [0.0, 0.0, 1.0]]);
        same("affine_homogeneous", affine_transform(image, &map, 3));
        let map = Affine::new(ndarray::array![[0.5, 0.0], [1.0, 0.2], [0.1, 0.3]]);
        let map = map.offset([0.2]).output_shape([3, 5]);
        same("affine_lower", affine_transform(volume, &map, 1));
        for angle in ["30", "90", "-125.5", "180"] {
            let by: f64 = angle.parse().unwrap();
            let cubic = Spline::new(3).border(Border::Mirror);
            same(&format!("rotate_{angle}"), rotate(image, by, cubic));
            let kept = Rotation::new(by).reshape(false);
            same(&format!("rotate_kept_{angle}"), rotate(image, kept, 1));
        }
        let nearest = Spline::new(3).border(Border::Nearest);
        same("rotate_volume", rotate(volume, Rotation::new(25.0).axes(2, 0), nearest));
        let whole = zoom(&file.array::<i32>("image"), &[2.0], nearest);
        file.within("zoom_whole", &whole, close::<i32>());
    });
}

#[test]
fn splines_are_scipys() {
    with_file(|file| {
        let image = &file.array::<f64>("image");
        let near = Tolerance { rtol: 1e-12, atol: 1e-12, ..close::<f64>() };
        let all: Vec<_> = (2..6).map(|order| spline_filter(image, order, Border::Mirror)).collect();
        file.within("spline", &lazuli::stack(&all, 0), near);
        let both = [Border::Reflect, Border::GridWrap];
        let one = |order| both.map(|border| spline_filter1d(image, order, 0, border));
        let all: Vec<_> = (2..6).flat_map(one).collect();
        file.within("spline1d", &lazuli::stack(&all, 0), near);
        let (z, at) = (file.array::<Complex<f64>>("complex"), file.array::<f64>("at"));
        let at = at.slice(s![.., ..10]) / 2.0;
        let cubic = Spline::new(3).border(Border::Mirror);
        file.within("map_complex", &map_coordinates(&z, &at, cubic), close::<Complex<f64>>());
        let line = &file.array::<f64>("line");
        let linear = Spline::new(1).border(Border::Constant(-7.0));
        let odd = map_coordinates(line, &file.array::<f64>("odd_at"), linear);
        file.within("odd_map", &odd, near);
    });
}

#[test]
fn geometry_of_empty_arrays_and_what_is_refused() {
    with_file(|_| {
        let a = &DeviceArray::<f32>::ones([3, 4]);
        let none = &DeviceArray::<f32>::zeros([0, 4]);
        let nowhere = &DeviceArray::<f32>::zeros([2, 0]);
        assert_eq!(map_coordinates(a, nowhere, 3).shape(), [0]);
        let constant = Spline::new(3).border(Border::Constant(5.0));
        let somewhere = &DeviceArray::<f32>::zeros([2, 3]);
        assert_eq!(map_coordinates(none, somewhere, constant).to_vec().unwrap(), [5.0; 3]);
        assert_eq!(zoom(none, &[2.0], 3).shape(), [0, 8]);
        assert_eq!(zoom(a, &[0.0, 1.0], 3).shape(), [0, 4]);
        assert_eq!(spline_filter(none, 3, Border::Reflect).shape(), [0, 4]);
        let volume = &DeviceArray::<f32>::zeros([0, 2, 3]);
        assert_eq!(rotate(volume, Rotation::new(90.0).axes(1, 2), 1).shape(), [0, 3, 2]);
        let square = || Affine::new(ndarray::Array2::<f64>::eye(3));
        let errors = [
            try_map_coordinates(a, &DeviceArray::<f64>::zeros([3, 2]), 3).err(),
            try_map_coordinates(a, somewhere, 6).err(),
            try_spline_filter(a, 7, Border::Mirror).err(),
            try_spline_filter1d(a, 3, 2, Border::Mirror).err(),
            try_affine_transform(a, &Affine::new(ndarray::array![1.0]), 1).err(),
            try_affine_transform(a, &square().output_shape([2]), 1).err(),
            try_affine_transform(&a.sum(..), &square(), 1).err(),
            try_shift(a, &[1.0; 3], 1).err(),
            try_zoom(a, &[-1.0], 1).err(),
            try_zoom(a, &[f64::NAN], 1).err(),
            try_zoom(a, &[1e18], 1).err(),
            try_rotate(a, Rotation::new(30.0).axes(1, 1), 1).err(),
            try_rotate(a, f64::INFINITY, 1).err(),
        ];
        for (k, error) in errors.into_iter().enumerate() {
            let error = error.unwrap_or_else(|| panic!("nothing was refused: {k}"));
            assert!(error.is_shape() && error.to_string().contains("geometry.rs"), "{error}");
        }
    });
}
