//! Printing arrays as NumPy does.

use super::DeviceArray;
use crate::dtype::Element;
use std::fmt::{self, Write};

/// Arrays with more elements are shown by their edges.
const THRESHOLD: usize = 1000;
/// The elements that are shown at each end of an axis.
const EDGE: usize = 3;

/// Prints the values as NumPy does: nested brackets, aligned columns, long axes by their edges.
/// A precision (`{:.3}`) sets the digits after the point.
///
/// **Laziness.** Evaluates and waits; an error stands in place of the values.
impl<T: Element> fmt::Display for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_vec() {
            Ok(values) => f.write_str(&render(self.shape(), &values, f.precision(), 0)),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Prints the values with the shape, the element type and the device.
///
/// **Laziness.** Evaluates and waits; an error stands in place of the values.
impl<T: Element> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, dtype, device) = (self.shape(), self.dtype(), self.device());
        match self.to_vec() {
            Ok(values) => f.write_str(&render_debug(shape, &values, f.precision()))?,
            Err(error) => write!(f, "array(<{error}>")?,
        }
        write!(f, ", shape={shape:?}, dtype={dtype}, device={device})")
    }
}

fn render_debug<T: fmt::Debug>(shape: &[usize], values: &[T], precision: Option<usize>) -> String {
    format!("array({}", render(shape, values, precision, "array(".len()))
}

/// The values as text, continuation lines indented.
fn render<T: fmt::Debug>(
    shape: &[usize],
    values: &[T],
    precision: Option<usize>,
    indent: usize,
) -> String {
    let elide = values.len() > THRESHOLD;
    let mut layout = Layout { shape, elide, cells: Vec::new(), width: 0, precision };
    layout.measure(values, 0, 0);
    let mut out = String::new();
    let mut cells = std::mem::take(&mut layout.cells).into_iter();
    layout.write(&mut out, &mut cells, 0, indent);
    out
}

struct Layout<'a> {
    shape: &'a [usize],
    elide: bool,
    cells: Vec<String>,
    width: usize,
    precision: Option<usize>,
}

impl Layout<'_> {
    /// The positions of an axis that are shown; `None` stands for what is left out.
    fn shown(&self, axis: usize) -> Vec<Option<usize>> {
        let n = self.shape[axis];
        if !self.elide || n <= 2 * EDGE {
            return (0..n).map(Some).collect();
        }
        (0..EDGE).map(Some).chain([None]).chain((n - EDGE..n).map(Some)).collect()
    }

    /// Formats the elements that are shown, in order, and finds the widest.
    fn measure<T: fmt::Debug>(&mut self, values: &[T], axis: usize, offset: usize) {
        if axis == self.shape.len() {
            let cell = cell(&values[offset], self.precision);
            self.width = self.width.max(cell.chars().count());
            self.cells.push(cell);
            return;
        }
        let stride: usize = self.shape[axis + 1..].iter().product();
        for k in self.shown(axis).into_iter().flatten() {
            self.measure(values, axis + 1, offset + k * stride);
        }
    }

    fn write(
        &self,
        out: &mut String,
        cells: &mut impl Iterator<Item = String>,
        axis: usize,
        indent: usize,
    ) {
        if axis == self.shape.len() {
            let width = if self.shape.is_empty() { 0 } else { self.width };
            let _ = write!(out, "{:>width$}", cells.next().unwrap_or_default());
            return;
        }
        out.push('[');
        for (k, position) in self.shown(axis).into_iter().enumerate() {
            if k > 0 {
                self.separate(out, axis, indent);
            }
            match position {
                Some(_) => self.write(out, cells, axis + 1, indent),
                None => out.push_str("..."),
            }
        }
        out.push(']');
    }

    /// What stands between two entries of an axis: a space, or line ends for outer axes.
    fn separate(&self, out: &mut String, axis: usize, indent: usize) {
        out.push(',');
        let inner = self.shape.len() - 1 - axis;
        if inner == 0 {
            out.push(' ');
        } else {
            out.extend(std::iter::repeat_n('\n', inner));
            out.extend(std::iter::repeat_n(' ', indent + axis + 1));
        }
    }
}

fn cell<T: fmt::Debug>(value: &T, precision: Option<usize>) -> String {
    match precision {
        Some(digits) => format!("{value:.digits$?}"),
        None => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_and_aligned() {
        let text = render(&[2, 2], &[1.0, -10.5, 2.25, 3.0], None, 0);
        assert_eq!(text, "[[  1.0, -10.5],\n [ 2.25,   3.0]]");
        assert_eq!(render(&[], &[1.5], None, 0), "1.5");
        assert_eq!(render::<f64>(&[0], &[], None, 0), "[]");
    }

    #[test]
    fn long_arrays_show_their_edges() {
        let values: Vec<i32> = (0..2000).collect();
        let text = render(&[2000], &values, None, 0);
        assert_eq!(text, "[   0,    1,    2, ..., 1997, 1998, 1999]");
    }

    #[test]
    fn precision_is_honoured() {
        assert_eq!(render(&[1], &[1.0 / 3.0], Some(3), 0), "[0.333]");
    }
}
