//! Pictures: PNG files in, PNG files out.

use super::{Failure, Outcome};
use ndarray::{Array2, ArrayView2};
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
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = if high > low { high - low } else { 1.0 };
        let bytes = values.iter().flat_map(|v| colour((v - low) / range)).collect();
        Picture { width: values.ncols(), height: values.nrows(), channels: 3, bytes }
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
                    bytes[to..to + 3].copy_from_slice(&picture.rgb(y * picture.width + x));
                }
            }
        }
        Picture { width, height, channels: 3, bytes }
    }

    /// The colour of a pixel.
    fn rgb(&self, pixel: usize) -> [u8; 3] {
        let at = pixel * self.channels;
        match self.channels {
            1 => [self.bytes[at]; 3],
            _ => [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]],
        }
    }

    /// Writes the picture as PNG.
    pub fn write(&self, to: &mut dyn Write) -> Outcome<()> {
        let fail = |e: png::EncodingError| Failure(format!("cannot write the picture: {e}"));
        let mut encoder = png::Encoder::new(to, self.width as u32, self.height as u32);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(if self.channels == 1 {
            png::ColorType::Grayscale
        } else {
            png::ColorType::Rgb
        });
        let mut writer = encoder.write_header().map_err(fail)?;
        writer.write_image_data(&self.bytes).map_err(fail)
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

/// A colour between the stops of a scale whose lightness grows evenly.
fn colour(at: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 6] = [
        [0.27, 0.00, 0.33],
        [0.25, 0.27, 0.53],
        [0.16, 0.47, 0.56],
        [0.13, 0.66, 0.52],
        [0.48, 0.82, 0.32],
        [0.99, 0.91, 0.14],
    ];
    // NaN is drawn black.
    let place = at.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let k = (place as usize).min(STOPS.len() - 2);
    let part = place - k as f64;
    [0, 1, 2].map(|c| byte(STOPS[k][c] * (1.0 - part) + STOPS[k + 1][c] * part))
}
