//! Plots: curves, points, bars and maps of values in a frame with numbered ticks, for pictures that
//! need no library of their own.

use super::picture::{Picture, colour};
use ndarray::{Array2, Array3, ArrayView2};

pub const BLUE: [f64; 3] = [0.10, 0.40, 0.75];
pub const ORANGE: [f64; 3] = [0.93, 0.45, 0.05];
pub const GREEN: [f64; 3] = [0.13, 0.58, 0.30];
pub const RED: [f64; 3] = [0.80, 0.12, 0.15];
pub const GREY: [f64; 3] = [0.62, 0.62, 0.62];
const INK: [f64; 3] = [0.25, 0.25, 0.25];
const GRID: [f64; 3] = [0.90, 0.90, 0.90];

/// The space left of the frame and below it, for numbers.
const MARGIN: (usize, usize) = (32, 13);
/// The levels of each colour in the file.
const LEVELS: usize = 12;

/// The digits, the point and the minus sign: seven rows of five pixels from the top.
const GLYPHS: [[u8; 7]; 12] = [
    [14, 17, 17, 17, 17, 17, 14],
    [4, 12, 4, 4, 4, 4, 14],
    [14, 17, 1, 6, 8, 16, 31],
    [14, 17, 1, 6, 1, 17, 14],
    [2, 6, 10, 18, 31, 2, 2],
    [31, 16, 30, 1, 1, 17, 14],
    [6, 8, 16, 30, 17, 17, 14],
    [31, 1, 2, 4, 4, 8, 8],
    [14, 17, 17, 14, 17, 17, 14],
    [14, 17, 17, 15, 1, 2, 12],
    [0, 0, 0, 0, 0, 12, 12],
    [0, 0, 0, 14, 0, 0, 0],
];

/// A frame over a range of two coordinates, the second upwards, and what is drawn in it.
pub struct Plot {
    pixels: Array3<f64>,
    x: (f64, f64),
    y: (f64, f64),
}

impl Plot {
    /// An empty frame of so many pixels, its numbers included.
    pub fn new((width, height): (usize, usize), x: (f64, f64), y: (f64, f64)) -> Plot {
        let (width, height) = (width.max(2 * MARGIN.0), height.max(2 * MARGIN.1));
        let mut plot = Plot { pixels: Array3::ones((height, width, 3)), x, y };
        for at in ticks(x, plot.width() / 40.0) {
            plot.dash([at, at], [y.0, y.1], GRID);
        }
        for at in ticks(y, plot.height() / 22.0) {
            plot.dash([x.0, x.1], [at, at], GRID);
        }
        plot
    }

    fn width(&self) -> f64 {
        (self.pixels.dim().1 - MARGIN.0 - 2) as f64
    }

    fn height(&self) -> f64 {
        (self.pixels.dim().0 - MARGIN.1 - 2) as f64
    }

    /// The pixel of a point.
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (across, up) =
            ((x - self.x.0) / (self.x.1 - self.x.0), (y - self.y.0) / (self.y.1 - self.y.0));
        (MARGIN.0 as f64 + across * self.width(), (1.0 - up) * self.height() + 1.0)
    }

    /// Puts a colour on a pixel inside of the frame.
    fn blend(&mut self, column: usize, row: usize, colour: [f64; 3], part: f64) {
        let right = MARGIN.0 + self.width() as usize;
        if part > 0.0 && (MARGIN.0..=right).contains(&column) && row <= self.height() as usize + 1 {
            for (c, value) in colour.into_iter().enumerate() {
                let pixel = &mut self.pixels[[row, column, c]];
                *pixel += part.min(1.0) * (value - *pixel);
            }
        }
    }

    /// A straight line one pixel wide, along an axis.
    fn dash(&mut self, x: [f64; 2], y: [f64; 2], colour: [f64; 3]) {
        let (from, to) = (self.place(x[0], y[0]), self.place(x[1], y[1]));
        for row in to.1.min(from.1) as usize..=to.1.max(from.1) as usize {
            for column in from.0 as usize..=to.0 as usize {
                self.blend(column, row, colour, 1.0);
            }
        }
    }

    /// A curve through points; NaN interrupts it.
    pub fn line(self, x: &[f64], y: &[f64], colour: [f64; 3]) -> Plot {
        let pairs = 0..x.len().min(y.len()).saturating_sub(1);
        let ends = pairs.map(|k| [(x[k], y[k]), (x[k + 1], y[k + 1])]);
        self.strokes(ends, 0.8, colour)
    }

    /// Round marks at points.
    pub fn points(self, x: &[f64], y: &[f64], radius: f64, colour: [f64; 3]) -> Plot {
        self.strokes(x.iter().zip(y).map(|(x, y)| [(*x, *y); 2]), radius, colour)
    }

    /// Straight strokes of a radius, antialiased: what lies under several of them is inked once.
    fn strokes(
        mut self,
        ends: impl Iterator<Item = [(f64, f64); 2]>,
        radius: f64,
        colour: [f64; 3],
    ) -> Plot {
        let (height, width, _) = self.pixels.dim();
        let mut ink = Array2::<f64>::zeros((height, width));
        let far = 4.0 * (height + width) as f64;
        for [from, to] in ends {
            let (a, b) = (self.place(from.0, from.1), self.place(to.0, to.1));
            if ![a.0, a.1, b.0, b.1].iter().all(|place| place.abs() < far) {
                continue;
            }
            let range = |a: f64, b: f64, most: usize| {
                let low = (a.min(b) - radius - 1.0).max(0.0) as usize;
                low..most.min((a.max(b) + radius + 2.0).max(0.0) as usize)
            };
            for row in range(a.1, b.1, height) {
                for column in range(a.0, b.0, width) {
                    let away = distance((column as f64, row as f64), a, b);
                    let part = (radius + 0.5 - away).clamp(0.0, 1.0);
                    ink[[row, column]] = part.max(ink[[row, column]]);
                }
            }
        }
        for ((row, column), part) in ink.indexed_iter() {
            self.blend(column, row, colour, *part);
        }
        self
    }

    /// Bars from zero to heights, each between two of the edges.
    pub fn bars(mut self, edges: &[f64], heights: &[f64], colour: [f64; 3]) -> Plot {
        for (ends, height) in edges.windows(2).zip(heights) {
            let ((left, top), (right, zero)) =
                (self.place(ends[0], *height), self.place(ends[1], 0.0));
            for row in top.round() as usize..zero.round() as usize {
                // A white gap of a pixel tells bars apart.
                for column in left.round() as usize..(right.round() as usize).saturating_sub(1) {
                    self.blend(column, row, colour, 1.0);
                }
            }
        }
        self
    }

    /// Values all over the frame, the first row at the bottom, in the colours of a scale from 0 to 1.
    pub fn map(mut self, values: ArrayView2<f64>, scale: &[[f64; 3]], levels: usize) -> Plot {
        let (width, height) = (self.width() as usize, self.height() as usize);
        let last = (levels.max(2) - 1) as f64;
        for row in 0..height {
            for column in 0..width {
                let from =
                    [(height - 1 - row) * values.nrows() / height, column * values.ncols() / width];
                let value = (values[from].clamp(0.0, 1.0) * last).round() / last;
                let shade = colour(scale, value).map(|c| f64::from(c) / 255.0);
                self.blend(column + MARGIN.0 + 1, row + 1, shade, 1.0);
            }
        }
        self
    }

    /// The picture, with the frame and the numbers of the ticks.
    pub fn picture(mut self) -> Picture {
        let (x, y) = (self.x, self.y);
        for at in [y.0, y.1] {
            self.dash([x.0, x.1], [at, at], INK);
        }
        for at in [x.0, x.1] {
            self.dash([at, at], [y.0, y.1], INK);
        }
        let (across, up) = (self.width() / 40.0, self.height() / 22.0);
        for at in ticks(x, across) {
            let (column, row) = self.place(at, y.0);
            self.number(&text(at, x, across), column as isize, row as isize + 4, 0.5);
        }
        for at in ticks(y, up) {
            let (column, row) = self.place(x.0, at);
            self.number(&text(at, y, up), column as isize - 3, row as isize - 3, 1.0);
        }
        Picture::rgb(self.pixels.view(), LEVELS)
    }

    /// Writes a number; so much of its width lies left of the column.
    fn number(&mut self, text: &str, column: isize, row: isize, left: f64) {
        let (height, width, _) = self.pixels.dim();
        let start = column - (left * 6.0 * text.len() as f64) as isize;
        // A number that begins or ends outside of the picture stays inside.
        let start = start.clamp(0, (width as isize - 6 * text.len() as isize).max(0));
        let row = row.max(0);
        for (k, sign) in text.bytes().enumerate() {
            let glyph = match sign {
                b'.' => 10,
                b'-' => 11,
                digit => usize::from(digit - b'0'),
            };
            for (down, bits) in GLYPHS[glyph].into_iter().enumerate() {
                for across in (0..5).filter(|across| bits >> (4 - across) & 1 == 1) {
                    let to = [row + down as isize, start + 6 * k as isize + across];
                    if (0..height as isize).contains(&to[0]) && (0..width as isize).contains(&to[1])
                    {
                        let to = to.map(|place| place as usize);
                        (0..3).for_each(|c| self.pixels[[to[0], to[1], c]] = INK[c]);
                    }
                }
            }
        }
    }
}

/// How far a pixel is from a stroke.
fn distance(pixel: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (along, to) = ((b.0 - a.0, b.1 - a.1), (pixel.0 - a.0, pixel.1 - a.1));
    let square = along.0 * along.0 + along.1 * along.1;
    let part = ((along.0 * to.0 + along.1 * to.1) / square.max(1e-12)).clamp(0.0, 1.0);
    (to.0 - part * along.0).hypot(to.1 - part * along.1)
}

/// The distance of ticks: 1, 2 or 5 times a power of ten, so that there are about as many.
fn step((low, high): (f64, f64), count: f64) -> f64 {
    let least = (high - low) / count.max(1.0);
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|s| *s >= least).unwrap_or(least)
}

/// Round numbers of a range.
fn ticks(range: (f64, f64), count: f64) -> Vec<f64> {
    let step = step(range, count);
    let (first, last) = ((range.0 / step - 1e-9).ceil(), (range.1 / step + 1e-9).floor());
    (first as i64..=last as i64).map(|k| k as f64 * step).collect()
}

/// A number with as many digits as ticks of its range need.
fn text(value: f64, range: (f64, f64), count: f64) -> String {
    let digits = (0.01 - step(range, count).log10()).ceil().max(0.0) as usize;
    let long = format!("{value:.digits$}");
    let short = if digits > 0 { long.trim_end_matches('0').trim_end_matches('.') } else { &long };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}
