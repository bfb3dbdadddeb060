//! Samples, along axes of arrays.

use crate::array::args::AxisSet;
use crate::array::{Axes, DeviceArray, record};
use crate::dtype::{Element, Real};
use crate::error::{Error, Result};
use crate::ops::broadcasting::try_broadcast_shapes;
use crate::ops::reduce;

/// Samples in `f64`, in which statistics are computed, and the axes along which they lie.
pub(super) struct Sample {
    pub x: DeviceArray<f64>,
    pub axes: AxisSet,
    /// The number of elements of each.
    pub n: f64,
}

impl Sample {
    #[track_caller]
    pub(super) fn new<T: Real>(name: &str, a: &DeviceArray<T>, axes: impl Axes) -> Result<Sample> {
        let axes = a.axes(name, axes)?;
        Ok(Sample { x: a.cast(), axes, n: axes.len(a.shape()) as f64 })
    }

    /// Another array along the same axes, of which it has as many.
    #[track_caller]
    pub(super) fn beside<T: Real>(&self, name: &str, a: &DeviceArray<T>) -> Result<Sample> {
        same_device(name, &self.x, a)?;
        let axes = match self.axes.all {
            true => AxisSet { keep: self.axes.keep, ..a.axes(name, ..)? },
            false => self.axes,
        };
        let other = Sample { x: a.cast(), axes, n: axes.len(a.shape()) as f64 };
        let fits = a.ndim() == self.x.ndim()
            && try_broadcast_shapes(&[&self.remaining(), &other.remaining()]).is_ok();
        if !fits && !axes.all {
            let (a, b) = (self.x.shape(), a.shape());
            return Err(Error::shape(format!(
                "{name}: samples of shapes {a:?} and {b:?} do not stand beside each other"
            )));
        }
        Ok(other)
    }

    /// As [`beside`](Self::beside), of samples whose elements are pairs with these.
    #[track_caller]
    pub(super) fn paired<T: Real>(&self, name: &str, a: &DeviceArray<T>) -> Result<Sample> {
        let other = self.beside(name, a)?;
        let (x, y) = (self.x.shape(), a.shape());
        let differ = |k: usize| self.axes.contains(k) && x[k] != y[k];
        if x.len() != y.len() || (0..x.len()).any(differ) {
            return Err(Error::shape(format!(
                "{name}: samples of shapes {x:?} and {y:?} are not pairs"
            )));
        }
        Ok(other)
    }

    /// The array's shape with samples of one element.
    fn remaining(&self) -> Vec<usize> {
        let length = |(k, &n): (usize, &usize)| if self.axes.contains(k) { 1 } else { n };
        self.x.shape().iter().enumerate().map(length).collect()
    }

    #[track_caller]
    pub(super) fn mean(&self) -> DeviceArray<f64> {
        self.x.mean(self.axes)
    }

    /// The distances from the mean.
    #[track_caller]
    pub(super) fn centred(&self) -> DeviceArray<f64> {
        &self.x - self.x.mean(self.axes.kept())
    }

    /// The variance, divided by the number of elements less 1.
    #[track_caller]
    pub(super) fn variance(&self) -> DeviceArray<f64> {
        self.x.var_ddof(self.axes, 1)
    }

    /// The samples as rows.
    #[track_caller]
    pub(super) fn rows(&self) -> DeviceArray<f64> {
        rows(&self.x, self.axes)
    }

    /// One result for each row in the place of the samples.
    #[track_caller]
    pub(super) fn back<U: Element>(&self, results: &DeviceArray<U>) -> DeviceArray<U> {
        back(results, self.x.shape(), self.axes)
    }
}

/// An error where arrays live on several devices.
pub(super) fn same_device<T: Element, U: Element>(
    name: &str,
    a: &DeviceArray<T>,
    b: &DeviceArray<U>,
) -> Result<()> {
    match a.device() == b.device() {
        true => Ok(()),
        false => Err(record::devices_differ(name, a.device(), b.device())),
    }
}

/// The axes that are not in the set, and those that are behind them.
fn order(ndim: usize, axes: AxisSet) -> Vec<isize> {
    let rest = (0..ndim).filter(|&k| !axes.contains(k));
    rest.chain((0..ndim).filter(|&k| axes.contains(k))).map(|k| k as isize).collect()
}

/// The elements along the axes as one last axis.
#[track_caller]
pub(super) fn rows<T: Element>(a: &DeviceArray<T>, axes: AxisSet) -> DeviceArray<T> {
    let rest = (0..a.ndim()).filter(|&k| !axes.contains(k)).map(|k| a.shape()[k]);
    let shape: Vec<usize> = rest.chain([axes.len(a.shape())]).collect();
    a.permute(&order(a.ndim(), axes)).reshape(shape)
}

/// What [`rows`] made rows, in its place again.
#[track_caller]
pub(super) fn from_rows<T: Element>(
    rows: &DeviceArray<T>,
    shape: &[usize],
    axes: AxisSet,
) -> DeviceArray<T> {
    let order = order(shape.len(), axes);
    let along: Vec<usize> = order.iter().map(|&k| shape[k as usize]).collect();
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &axis)| inverse[axis as usize] = k as isize);
    rows.reshape(along).permute(&inverse)
}

/// One result for each row of an array of such a shape, with the axes where they are to stay.
#[track_caller]
pub(super) fn back<T: Element>(
    results: &DeviceArray<T>,
    shape: &[usize],
    axes: AxisSet,
) -> DeviceArray<T> {
    DeviceArray::from_node(reduce::kept(results.node(), shape, axes))
}

/// The positions from 0 on of elements of a last axis.
#[track_caller]
pub(super) fn places<T: Element>(a: &DeviceArray<T>) -> DeviceArray<i64> {
    let n = a.shape().last().copied().unwrap_or(1);
    a.device().scope(|| DeviceArray::<i64>::arange_to(n as i64))
}

/// Numbers of the host on the device of an array.
pub(super) fn beside<T: Element>(a: &DeviceArray<T>, values: &[f64]) -> Result<DeviceArray<f64>> {
    a.device().scope(|| DeviceArray::from_slice(values))
}

/// The elements of an array in `f64` on the host, which evaluates it.
pub(super) fn host<T: Real>(a: &DeviceArray<T>) -> Result<Vec<f64>> {
    a.cast::<f64>().to_vec()
}

/// An error for samples with fewer elements than there must be.
pub(super) fn at_least(name: &str, n: usize, least: usize) -> Result<()> {
    match n < least {
        true => Err(Error::shape(format!("{name}: {n} elements, and there must be {least}"))),
        false => Ok(()),
    }
}
