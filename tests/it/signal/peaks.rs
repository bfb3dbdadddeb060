//! Peaks, extremes, medians.

use super::{NEAR, refuses, with_files};
use lazuli::prelude::*;
use lazuli::signal::*;

const NONE: f64 = f64::INFINITY;

fn list(positions: &[usize]) -> Vec<f64> {
    positions.iter().map(|&p| p as f64).collect()
}

#[test]
fn peaks_are_scipys() {
    with_files(&["signals"], |file| {
        for name in ["line", "steps"] {
            let x = &file.array::<f64>(&format!("peaks_{name}"));
            let key = |what: &str| format!("peaks_{name}_{what}");
            let near = |what: &str, got: &[f64]| file.near_list(&key(what), got, NEAR);
            let all = PeakConditions::new()
                .height(-0.5, NONE)
                .threshold(0.1, 40.0)
                .prominence(0.3, NONE)
                .width(0.5, NONE)
                .plateau(1.0, NONE);
            let found = find_peaks(x, &all).unwrap();
            near("all", &list(&found.positions));
            near("all_peak_heights", &found.heights);
            near("all_prominences", &found.prominences);
            near("all_widths", &found.widths);
            near("all_width_heights", &found.width_heights);
            let (left, right): (Vec<f64>, Vec<f64>) = found.crossings.iter().copied().unzip();
            near("all_left_ips", &left);
            near("all_right_ips", &right);
            let (left, right): (Vec<f64>, Vec<f64>) = found.thresholds.iter().copied().unzip();
            near("all_left_thresholds", &left);
            near("all_right_thresholds", &right);
            let (left, right): (Vec<usize>, Vec<usize>) = found.bases.iter().copied().unzip();
            near("all_left_bases", &list(&left));
            near("all_right_bases", &list(&right));
            let (left, right): (Vec<usize>, Vec<usize>) = found.plateaus.iter().copied().unzip();
            near("all_left_edges", &list(&left));
            near("all_right_edges", &list(&right));
            let plain = find_peaks(x, &PeakConditions::new()).unwrap();
            near("plain", &list(&plain.positions));
            assert!(plain.heights.is_empty() && plain.plateaus.is_empty());
            let far = find_peaks(x, &PeakConditions::new().distance(7)).unwrap();
            // Which of two equal peaks goes depends on NumPy's sort.
            if name == "line" {
                near("far", &list(&far.positions));
            }
            let near_by = PeakConditions::new()
                .prominence(0.5, 6.0)
                .window(12)
                .width(1.0, 9.0)
                .relative_height(0.8);
            let found = find_peaks(x, &near_by).unwrap();
            near("near", &list(&found.positions));
            near("near_widths", &found.widths);
            let flat = find_peaks(x, &PeakConditions::new().plateau(2.0, NONE)).unwrap();
            near("flat", &list(&flat.positions));
            let (prominences, _) = peak_prominences(x, &plain.positions, None).unwrap();
            near("prominences", &prominences);
            let (mut all, heights, crossings) =
                peak_widths(x, &plain.positions, 0.3, None).unwrap();
            all.extend(heights);
            all.extend(crossings.iter().map(|c| c.0));
            all.extend(crossings.iter().map(|c| c.1));
            near("widths", &all);
        }
    });
}

#[test]
fn extremes_and_medians_are_scipys() {
    with_files(&["signals"], |file| {
        let image = (file.array::<f64>("long").slice(s![..60]) / 3.0).round().reshape([5, 12]);
        let kinds = [
            ("greater", Extreme::Greater),
            ("greater_equal", Extreme::GreaterEqual),
            ("less", Extreme::Less),
            ("less_equal", Extreme::LessEqual),
        ];
        for (name, how) in kinds {
            for axis in [0, 1] {
                for order in [1, 2] {
                    let found = argrelextrema(&image, how, axis, order).unwrap();
                    let key = format!("argrel_{name}_{axis}_{order}");
                    file.near(&key, &lazuli::stack(&found, 0), 0.0);
                }
            }
        }
        file.near("medfilt", &medfilt(&file.array::<f64>("line"), 5), 0.0);
        let image = file.array::<f64>("long").slice(s![..60]).reshape([6, 10]);
        file.near("medfilt2", &medfilt(&image, [3, 5]), 0.0);
        assert!(lazuli::signal::try_medfilt(&image, [3, 4]).unwrap_err().is_shape());
    });
}

#[test]
fn signals_without_peaks() {
    with_files(&[], |_| {
        for n in [0, 1, 2] {
            let x = DeviceArray::<f32>::zeros(n);
            assert_eq!(find_peaks(&x, &PeakConditions::new()).unwrap(), Peaks::default());
            assert_eq!(argrelextrema(&x, Extreme::Greater, 0, 1).unwrap()[0].len(), 0);
        }
        let x = DeviceArray::from_slice(&[0.0, f64::NAN, 0.0, 1.0, 0.0, 2.0]).unwrap();
        assert_eq!(find_peaks(&x, &PeakConditions::new()).unwrap().positions, [3]);
    });
    let x = &DeviceArray::<f64>::zeros(5);
    refuses(find_peaks(x, &PeakConditions::new().distance(0)), "a distance of 0");
    refuses(find_peaks(&DeviceArray::<f64>::zeros([2, 2]), &PeakConditions::new()), "one axis");
    refuses(peak_prominences(x, &[5], None), "no sample 5");
    refuses(peak_widths(x, &[7], 0.5, None), "no sample 7");
    refuses(argrelextrema(x, Extreme::Less, 0, 0), "order is 0");
    refuses(argrelextrema(x, Extreme::Less, 1, 1), "axis 1");
}
