//! Printing arrays as NumPy does.

use super::{DeviceArray, record};
use crate::dtype::{Element, Scalar};
use crate::error::Result;
use crate::graph::{Arg, AxisMap, Node, NodeOp, View};
use num_complex::Complex;
use std::fmt::{self, Write};
use std::sync::Arc;

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
        match shown_values(self) {
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
        f.write_str("array(")?;
        match shown_values(self) {
            Ok(values) => f.write_str(&render(shape, &values, f.precision(), "array(".len()))?,
            Err(error) => write!(f, "<{error}>")?,
        }
        write!(f, ", shape={shape:?}, dtype={dtype}, device={device})")
    }
}

/// Whether only the edges of an axis are shown.
fn is_cut(len: usize, n: usize) -> bool {
    len > THRESHOLD && n > 2 * EDGE
}

/// The elements that are shown, in C order. Of a large array only these leave the device.
fn shown_values<T: Element>(array: &DeviceArray<T>) -> Result<Vec<T>> {
    array.eval()?;
    let mut node = array.node().clone();
    for (axis, &n) in array.shape().iter().enumerate() {
        if is_cut(array.len(), n) {
            node = edges(&node, axis);
        }
    }
    DeviceArray::from_node(node).to_vec()
}

/// Both ends of an axis, one after the other.
fn edges(a: &Arc<Node>, axis: usize) -> Arc<Node> {
    let mut shape = a.shape.clone();
    shape[axis] = EDGE;
    let end = |offset: usize| {
        let mut view = View::identity(a.shape.len());
        view.0[axis] = AxisMap::affine(axis, offset as i64, 1);
        Arg::Node(record::view(a, view, shape.clone()))
    };
    let args = [end(0), end(a.shape[axis] - EDGE)].into_iter().collect();
    let mut joined = shape.clone();
    joined[axis] = 2 * EDGE;
    record::record(NodeOp::Concat { axis: axis as u8 }, args, joined, a.dtype, a.device)
}

/// The values that are shown as text, continuation lines indented.
fn render<T: Element>(
    shape: &[usize],
    shown: &[T],
    precision: Option<usize>,
    indent: usize,
) -> String {
    let cells: Vec<String> = shown.iter().map(|value| cell(value, precision)).collect();
    let width = match shape {
        [] => 0,
        _ => cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0),
    };
    let len = shape.iter().product();
    let mut printer = Printer { shape, len, indent, width, cells: cells.into_iter() };
    let mut out = String::new();
    printer.write(&mut out, 0);
    out
}

struct Printer<'a> {
    shape: &'a [usize],
    len: usize,
    indent: usize,
    width: usize,
    cells: std::vec::IntoIter<String>,
}

impl Printer<'_> {
    fn write(&mut self, out: &mut String, axis: usize) {
        let Some(&n) = self.shape.get(axis) else {
            let (cell, width) = (self.cells.next().unwrap_or_default(), self.width);
            let _ = write!(out, "{cell:>width$}");
            return;
        };
        let cut = is_cut(self.len, n);
        out.push('[');
        for k in 0..if cut { 2 * EDGE } else { n } {
            if k > 0 {
                self.separate(out, axis);
            }
            if cut && k == EDGE {
                out.push_str("...");
                self.separate(out, axis);
            }
            self.write(out, axis + 1);
        }
        out.push(']');
    }

    /// What stands between two entries of an axis: a space, or line ends for outer axes.
    fn separate(&self, out: &mut String, axis: usize) {
        out.push(',');
        match self.shape.len() - 1 - axis {
            0 => out.push(' '),
            inner => {
                out.extend(std::iter::repeat_n('\n', inner));
                out.extend(std::iter::repeat_n(' ', self.indent + axis + 1));
            }
        }
    }
}

fn cell<T: Element>(value: &T, precision: Option<usize>) -> String {
    let number = |part: &dyn fmt::Debug, sign: bool| match (precision, sign) {
        (Some(digits), false) => format!("{part:.digits$?}"),
        (Some(digits), true) => format!("{part:+.digits$?}"),
        (None, false) => format!("{part:?}"),
        (None, true) => format!("{part:+?}"),
    };
    let value = Scalar::new(*value);
    if let Some(z) = value.get::<Complex<f32>>() {
        number(&z.re, false) + &number(&z.im, true) + "i"
    } else if let Some(z) = value.get::<Complex<f64>>() {
        number(&z.re, false) + &number(&z.im, true) + "i"
    } else {
        number(&value, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_and_aligned() {
        let a = DeviceArray::from_vec([2, 2], vec![1.0, -10.5, 2.25, 3.0]).unwrap();
        assert_eq!(a.to_string(), "[[  1.0, -10.5],\n [ 2.25,   3.0]]");
        assert_eq!(DeviceArray::from(1.5).to_string(), "1.5");
        assert_eq!(DeviceArray::<f64>::zeros([2, 0]).to_string(), "[[],\n []]");
        let debug = format!("{:?}", DeviceArray::<u8>::zeros([2, 1]));
        assert!(debug.starts_with("array([[0],\n       [0]], shape=[2, 1], dtype=uint8, device="));
    }

    #[test]
    fn long_arrays_show_their_edges() {
        let a = DeviceArray::<i32>::arange_to(2000);
        assert_eq!(a.to_string(), "[   0,    1,    2, ..., 1997, 1998, 1999]");
        let b = DeviceArray::<i32>::arange_to(2000).reshape([1000, 2]);
        assert_eq!(
            b.to_string(),
            "[[   0,    1],\n [   2,    3],\n [   4,    5],\n ...,\n [1994, 1995],\n [1996, 1997],\n [1998, 1999]]"
        );
    }

    #[test]
    fn complex_numbers_are_sums() {
        let z = [(1.0, -2.5), (-0.25, 0.0), (f64::NAN, f64::INFINITY)];
        let a = DeviceArray::from_slice(&z.map(|(re, im)| Complex::new(re, im))).unwrap();
        assert_eq!(a.to_string(), "[  1.0-2.5i, -0.25+0.0i,   NaN+infi]");
        let b = DeviceArray::full(1, Complex::new(1.0f32 / 3.0, 2.0));
        assert_eq!(format!("{b:.2}"), "[0.33+2.00i]");
    }

    #[test]
    fn precision_is_honoured() {
        assert_eq!(format!("{:.3}", DeviceArray::full(1, 1.0 / 3.0)), "[0.333]");
    }
}
