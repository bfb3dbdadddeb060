//! Morphology of grey and of binary images.

use super::filters::footprint;
use super::{EXACT, File, with_file};
use crate::support::value::Typed;
use lazuli::ndimage::*;
use lazuli::prelude::*;

fn grey<T: Typed + Real>(file: &File, name: &str) {
    let a = &file.array::<T>(name);
    let rank = a.ndim();
    let heights: ndarray::ArrayD<f64> =
        file.array::<f64>(&format!("{name}_heights")).copy_to_host().unwrap();
    let check = |what: &str, call: &dyn Fn(Border) -> DeviceArray<T>| {
        file.borders(&format!("{name}_{what}"), EXACT, call);
    };
    type Call<T> = fn(&DeviceArray<T>, Structure) -> DeviceArray<T>;
    let four: [(&str, Call<T>); 4] = [
        ("grey_erosion", grey_erosion),
        ("grey_dilation", grey_dilation),
        ("grey_opening", grey_opening),
        ("grey_closing", grey_closing),
    ];
    for (op, call) in four {
        check(op, &|b| call(a, Window::from([3, 4, 2][..rank].to_vec()).border(b).into()));
        check(&format!("{op}_footprint"), &|b| {
            call(a, footprint(rank).origin([-1]).border(b).into())
        });
        check(&format!("{op}_heights"), &|b| {
            call(a, Structure::heights(heights.clone()).window(|w| w.border(b)))
        });
    }
    let three = |b| Window::from(3).border(b);
    check("morphological_gradient", &|b| morphological_gradient(a, three(b)));
    check("morphological_laplace", &|b| morphological_laplace(a, three(b)));
    check("white_tophat", &|b| white_tophat(a, three(b)));
    check("black_tophat", &|b| black_tophat(a, three(b)));
}

#[test]
fn grey_morphology_is_scipys() {
    with_file(|file| {
        grey::<f64>(file, "line");
        grey::<f64>(file, "image");
        grey::<u8>(file, "image");
    });
}

type Call = fn(&DeviceArray<bool>, Binary) -> DeviceArray<bool>;

#[test]
fn binary_morphology_is_scipys() {
    with_file(|file| {
        let [a, mask] = &["mask", "allowed"].map(|name| file.array::<bool>(name));
        let [odd, large] = ["odd_structure", "large_structure"].map(|name| file.flags(name));
        let same = |name: &str, got: DeviceArray<bool>| file.within(name, &got, EXACT);
        let four: [(&str, Call); 4] = [
            ("erosion", binary_erosion),
            ("dilation", binary_dilation),
            ("opening", binary_opening),
            ("closing", binary_closing),
        ];
        for (name, call) in four {
            same(&format!("{name}_cross"), call(a, 1.into()));
            same(&format!("{name}_full"), call(a, 2.into()));
            same(&format!("{name}_odd"), call(a, Binary::new(odd.clone()).origin([0, -1])));
            same(&format!("{name}_large"), call(a, Binary::new(large.clone())));
            same(&format!("{name}_masked"), call(a, Binary::new(1).iterations(2).mask(mask)));
        }
        same("erosion_beyond", binary_erosion(a, Binary::new(1).beyond(true)));
        same("dilation_beyond", binary_dilation(a, Binary::new(odd.clone()).beyond(true)));
        same("closing_beyond", binary_closing(a, Binary::new(1).beyond(true)));
        let thrice = Binary::new(1).iterations(3).beyond(true);
        same("erosion_thrice", binary_erosion(&binary_dilation(a, 2), thrice));
        let cross = Connectivity::from(1).structure(2).unwrap();
        let miss = cross.mapv(|set| !set);
        same("hit", binary_hit_or_miss(a, cross, miss));
        let row = ndarray::array![[false, true, false]];
        let [hit, miss] = [Binary::new(odd), Binary::new(row)].map(|b| b.origin([0, 1]));
        same("hit_both", binary_hit_or_miss(a, hit, miss));
    });
}

#[test]
fn propagations_and_holes_are_scipys() {
    with_file(|file| {
        let [seeds, mask, rings, cube] =
            &["seeds", "allowed", "rings", "cube"].map(|name| file.array::<bool>(name));
        let same = |name: &str, got: lazuli::Result<DeviceArray<bool>>| {
            file.within(name, &got.unwrap_or_else(|e| panic!("{name}: {e}")), EXACT);
        };
        same("propagation", binary_propagation(seeds, Binary::new(1).mask(mask)));
        let beyond = Binary::new(2).mask(mask).beyond(true);
        same("propagation_full", binary_propagation(seeds, beyond));
        let right = ndarray::array![[false, true, true]];
        same("propagation_free", binary_propagation(seeds, right));
        let corner = ndarray::array![[false, true, true], [false; 3], [false; 3]];
        same("propagation_odd", binary_propagation(seeds, Binary::new(corner).mask(mask)));
        same("filled", binary_fill_holes(rings, 1));
        same("filled_full", binary_fill_holes(rings, 2));
        same("cube_filled", binary_fill_holes(cube, 1));
        same("cube_erosion", Ok(binary_erosion(cube, 1)));
    });
}

#[test]
fn binary_arrays_without_elements_and_what_is_refused() {
    with_file(|_| {
        let none = &DeviceArray::<bool>::full([0, 4], true);
        assert_eq!(binary_erosion(none, 1).shape(), [0, 4]);
        assert_eq!(binary_fill_holes(none, 1).unwrap().shape(), [0, 4]);
        let all = &DeviceArray::<bool>::full([3, 4], true);
        assert_eq!(binary_fill_holes(all, 1).unwrap().to_vec().unwrap(), [true; 12]);
        let line = || ndarray::array![true];
        let errors = [
            try_binary_erosion(all, Binary::new(line())).err(),
            try_binary_dilation(all, Binary::new(1).iterations(0)).err(),
            try_binary_opening(all, Binary::new(1).mask(none)).err(),
            try_binary_erosion(all, Binary::new(1).origin([2])).err(),
            try_binary_erosion(all, Binary::new(ndarray::array![[false]])).err(),
            binary_propagation(all, Binary::new(line())).err(),
            try_grey_erosion(&all.cast::<u8>(), Structure::heights(ndarray::arr1(&[1.0]))).err(),
        ];
        for error in errors {
            let error = error.expect("something is refused");
            assert!(error.is_shape() && error.to_string().contains("morphology.rs"), "{error}");
        }
    });
}
