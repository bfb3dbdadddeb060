//! Pictures: PNG files in, PNG files out.

use super::{Failure, Outcome};
use ndarray::{Array2, ArrayView2, ArrayView3};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

/// A picture in memory: rows from the top, a byte for each grey value or three for each colour.
pub struct Picture {
    width: usize,
    height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

impl Picture {
    /// A grey picture of values that run from 0 (black) to 1 (white); what is beyond is cut off.
    pub fn grey(values: ArrayView2<f64>) -> Picture {
        let bytes = values.iter().map(|v| byte(*v)).collect();
        Picture { width: values.ncols(), height: values.nrows(), channels: 1, bytes }
    }

    /// A picture in colours from dark violet (the smallest value) over green to yellow (the
    /// largest).
    pub fn coloured(values: ArrayView2<f64>) -> Picture {
        Picture::scaled(values, &colours::VIRIDIS, 256)
    }

    /// A picture in so many colours of a scale, from that of the smallest value to that of the
    /// largest. Fewer colours make a smaller file.
    pub fn scaled(values: ArrayView2<f64>, scale: &[[f64; 3]], levels: usize) -> Picture {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Picture::between(values, (low, high), scale, levels)
    }

    /// A picture in so many colours of a scale between two values; beyond them it has the outermost
    /// colours.
    pub fn between(
        values: ArrayView2<f64>,
        (low, high): (f64, f64),
        scale: &[[f64; 3]],
        levels: usize,
    ) -> Picture {
        let range = if high > low { high - low } else { 1.0 };
        let place = |v: f64| level((v - low) / range, levels);
        let bytes = values.iter().flat_map(|v| colour(scale, place(*v))).collect();
        Picture { width: values.ncols(), height: values.nrows(), channels: 3, bytes }
    }

    /// A picture of red, green and blue values along the last axis, from 0 to 1 in so many levels.
    pub fn rgb(values: ArrayView3<f64>, levels: usize) -> Picture {
        let (height, width, channels) = values.dim();
        assert_eq!(channels, 3, "red, green and blue");
        let bytes = values.iter().map(|v| byte(level(*v, levels))).collect();
        Picture { width, height, channels, bytes }
    }

    /// Pictures of one size side by side, some in a row, with a narrow gap between them.
    pub fn sheet(pictures: &[&Picture], columns: usize) -> Picture {
        const GAP: usize = 6;
        let (w, h) = (pictures[0].width + GAP, pictures[0].height + GAP);
        let rows = pictures.len().div_ceil(columns);
        let (width, height) = (columns * w - GAP, rows * h - GAP);
        let mut bytes = vec![255; width * height * 3];
        for (k, picture) in pictures.iter().enumerate() {
            let (top, left) = (k / columns * h, k % columns * w);
            for y in 0..picture.height {
                for x in 0..picture.width {
                    let to = ((top + y) * width + left + x) * 3;
                    bytes[to..to + 3].copy_from_slice(&picture.pixel(y * picture.width + x));
                }
            }
        }
        Picture { width, height, channels: 3, bytes }
    }

    /// The colour of a pixel.
    fn pixel(&self, pixel: usize) -> [u8; 3] {
        let at = pixel * self.channels;
        match self.channels {
            1 => [self.bytes[at]; 3],
            _ => [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]],
        }
    }

    /// Writes the picture as PNG: with a table of its colours where they are at most 256, which
    /// makes a file a third as large.
    pub fn write(&self, to: &mut dyn Write) -> Outcome<()> {
        let fail = |e: png::EncodingError| Failure(format!("cannot write the picture: {e}"));
        let mut encoder = png::Encoder::new(to, self.width as u32, self.height as u32);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let table = if self.channels == 3 { self.table() } else { None };
        let bytes = match &table {
            Some((table, indices)) => {
                encoder.set_color(png::ColorType::Indexed);
                encoder.set_palette(table.concat());
                // Differences of indices mean nothing.
                encoder.set_filter(png::Filter::NoFilter);
                indices
            }
            None => {
                let grey = self.channels == 1;
                let kind = if grey { png::ColorType::Grayscale } else { png::ColorType::Rgb };
                encoder.set_color(kind);
                &self.bytes
            }
        };
        let mut writer = encoder.write_header().map_err(fail)?;
        writer.write_image_data(bytes).map_err(fail)
    }

    /// The colours of the picture, and the index of each pixel's among them; nothing where they are
    /// more than a byte can count.
    fn table(&self) -> Option<(Vec<[u8; 3]>, Vec<u8>)> {
        let pixels = || self.bytes.chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]);
        let mut table = BTreeSet::new();
        for rgb in pixels() {
            table.insert(rgb);
            if table.len() > 256 {
                return None;
            }
        }
        let table: Vec<[u8; 3]> = table.into_iter().collect();
        let index = |rgb| table.binary_search(&rgb).map_or(0, |at| at as u8);
        let indices = pixels().map(index).collect();
        Some((table, indices))
    }
}

/// Reads an 8-bit grey PNG as values from 0 to 1.
pub fn read_grey(path: &Path) -> Outcome<Array2<f64>> {
    let fail = |why: String| Failure(format!("{}: {why}", path.display()));
    let file = File::open(path).map_err(|e| fail(e.to_string()))?;
    let mut reader =
        png::Decoder::new(BufReader::new(file)).read_info().map_err(|e| fail(e.to_string()))?;
    let info = reader.info();
    if (info.color_type, info.bit_depth) != (png::ColorType::Grayscale, png::BitDepth::Eight) {
        return Err(fail("not an 8-bit grey picture".to_owned()));
    }
    let (width, height) = (info.width as usize, info.height as usize);
    let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(width * height)];
    reader.next_frame(&mut bytes).map_err(|e| fail(e.to_string()))?;
    Ok(Array2::from_shape_fn((height, width), |(y, x)| f64::from(bytes[y * width + x]) / 255.0))
}

fn byte(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The nearest of evenly spaced levels from 0 to 1.
fn level(value: f64, levels: usize) -> f64 {
    let last = (levels.max(2) - 1) as f64;
    (value * last).round() / last
}

/// A colour between the stops of a scale.
pub fn colour(stops: &[[f64; 3]], at: f64) -> [u8; 3] {
    // NaN is drawn black.
    let place = at.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let k = (place as usize).min(stops.len() - 2);
    let part = place - k as f64;
    [0, 1, 2].map(|c| byte(stops[k][c] * (1.0 - part) + stops[k + 1][c] * part))
}

/// Scales of colours: evenly spaced stops from the smallest value to the largest.
pub mod colours {
    /// From dark violet over green to yellow; the lightness grows evenly.
    pub const VIRIDIS: [[f64; 3]; 6] = [
        [0.27, 0.00, 0.33],
        [0.25, 0.27, 0.53],
        [0.16, 0.47, 0.56],
        [0.13, 0.66, 0.52],
        [0.48, 0.82, 0.32],
        [0.99, 0.91, 0.14],
    ];

    /// From black over violet and orange to pale yellow.
    pub const EMBER: [[f64; 3]; 6] = [
        [0.00, 0.00, 0.02],
        [0.23, 0.06, 0.44],
        [0.55, 0.16, 0.50],
        [0.87, 0.29, 0.41],
        [0.99, 0.62, 0.43],
        [0.99, 0.99, 0.75],
    ];

    /// From deep blue over turquoise to white.
    pub const OCEAN: [[f64; 3]; 5] = [
        [0.02, 0.05, 0.18],
        [0.03, 0.23, 0.42],
        [0.08, 0.52, 0.60],
        [0.55, 0.81, 0.76],
        [0.98, 0.98, 0.92],
    ];

    /// Below the middle blue, above it red, and white between them.
    pub const TIDE: [[f64; 3]; 5] = [
        [0.02, 0.19, 0.38],
        [0.26, 0.58, 0.76],
        [0.97, 0.97, 0.97],
        [0.84, 0.38, 0.30],
        [0.40, 0.00, 0.12],
    ];

    /// From black to white.
    pub const GREY: [[f64; 3]; 2] = [[0.0; 3], [1.0; 3]];

    /// From black over blue to white.
    pub const ICE: [[f64; 3]; 5] = [
        [0.01, 0.01, 0.05],
        [0.08, 0.18, 0.45],
        [0.20, 0.47, 0.80],
        [0.62, 0.84, 0.96],
        [1.00, 1.00, 1.00],
    ];

    /// From night blue over pale blue, sand and rust back to night.
    pub const DUSK: [[f64; 3]; 7] = [
        [0.00, 0.02, 0.12],
        [0.05, 0.20, 0.50],
        [0.50, 0.76, 0.92],
        [0.98, 0.96, 0.84],
        [0.98, 0.68, 0.20],
        [0.50, 0.16, 0.06],
        [0.05, 0.01, 0.05],
    ];
}
