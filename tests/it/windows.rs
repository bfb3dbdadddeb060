//! Parts of stored arrays at one position after another: what was planned for one of them is run on
//! the others, and has to give what the same expression gives of the parts by themselves.

use crate::support::{Rng, on_each_device};
use lazuli::dtype::Real;
use lazuli::prelude::*;
use lazuli::{PadMode, concatenate};
use ndarray::{Array2, SliceInfoElem};

type Region = [SliceInfoElem; 2];

/// What is computed of three parts of one shape.
type Expression<T> = fn(&DeviceArray<T>, &DeviceArray<T>, &DeviceArray<T>) -> Vec<DeviceArray<T>>;

fn expressions<T: Real>() -> Vec<(&'static str, Expression<T>)> {
    vec![
        ("sums", |p, q, r| vec![p + q * r]),
        ("turned", |p, q, _| vec![p.t() + q.t() * q.t(), p.flip(0) + q]),
        ("reduced", |p, q, r| {
            vec![p.sum(0).cast(), (p * q).sum(1).cast(), (r - q).max(..), r.min(1)]
        }),
        ("scanned", |p, q, _| vec![p.cumsum(1).cast(), q.cumsum(0).cast::<T>() + p]),
        ("joined", |p, q, r| vec![concatenate(&[p, q, r], 0), concatenate(&[r, p], 1)]),
        ("padded", |p, q, _| {
            vec![
                p.pad(&[(2, 3), (1, 0)], PadMode::Constant(T::ONE)),
                q.pad(&[(0, 1), (2, 2)], PadMode::Edge),
            ]
        }),
        ("moved", |p, q, r| vec![p.roll(1, 0) + q.roll(-1, 1), r.reshape([r.len()])]),
        ("put together", |p, q, r| {
            vec![p.with_slice(s![..1, ..], q.slice(s![-1.., ..])), q.with_where(&p.less(r), r)]
        }),
        ("taken", |p, q, _| {
            let at = q.slice(s![.., 0]).argsort(0);
            vec![p.take(&at, 0), p.take_along_axis(&q.argmax(keep(1)), 1)]
        }),
        ("beside libraries", |p, q, r| {
            let at = r.slice(s![.., 0]).cast::<i64>().remainder(2);
            vec![p.take(&at, 0) + q, q.sort(1) + r, p.sort(0), p.with_put(&at, q, 0)]
        }),
        ("a few of them", |p, q, r| {
            vec![p.slice(s![0, ..]) + q.slice(s![.., 0..1]), r.slice(s![..;2, -1]).sum(..).cast()]
        }),
        ("repeated", |p, q, _| vec![p.tile(&[2, 1]) + q.repeat(2, 0), p.sliding(q)]),
    ]
}

/// Sums along windows of two positions.
trait Sliding {
    fn sliding(&self, other: &Self) -> Self;
}
impl<T: Real> Sliding for DeviceArray<T> {
    fn sliding(&self, other: &Self) -> Self {
        self.slice(s![.., 1..]) + other.slice(s![.., ..-1])
    }
}

/// A range of `len` positions out of `n`, one in so many of them.
fn range(random: &mut Rng, n: usize, len: usize, step: usize, back: bool) -> SliceInfoElem {
    let span = (len - 1) * step + 1;
    let start = random.below(n - span + 1) as isize;
    let step = if back { -(step as isize) } else { step as isize };
    SliceInfoElem::Slice { start, end: Some(start + span as isize), step }
}

fn at_many_positions<T: Real>(seed: u64, from: fn(usize) -> T) {
    let mut random = Rng(seed);
    for (name, expression) in expressions::<T>() {
        let lens = [2 + random.below(5), 2 + random.below(6)];
        let (steps, back) = ([1 + random.below(2), 1 + random.below(2)], random.one_in(4));
        let shape = [lens[0] * 2 + random.below(30), lens[1] * 2 + random.below(40)];
        let host = |k: usize| {
            let at = |(i, j)| from((i * 31 + j * 17 + i * j + k) % 5);
            Array2::from_shape_fn(shape, at).into_dyn()
        };
        let hosts = [host(0), host(3)];
        let arrays = hosts.each_ref().map(|host| DeviceArray::from_ndarray(host).unwrap());
        for turn in 0..10 {
            let mut region = || -> Region {
                [0, 1].map(|k| range(&mut random, shape[k], lens[k], steps[k], back))
            };
            // Now and then two of the parts are the same one, or all are of one array.
            let mut regions = [region(), region(), region()];
            if turn % 4 == 3 {
                regions[1] = regions[0];
            }
            let of = [0, 0, usize::from(turn % 3 == 0)];
            let parts: Vec<DeviceArray<T>> =
                (0..3).map(|k| arrays[of[k]].slice(regions[k])).collect();
            let copies: Vec<DeviceArray<T>> = (0..3)
                .map(|k| DeviceArray::from_ndarray(&hosts[of[k]].slice(&regions[k][..])).unwrap())
                .collect();
            let got = expression(&parts[0], &parts[1], &parts[2]);
            let want = expression(&copies[0], &copies[1], &copies[2]);
            let all: Vec<&dyn AnyArray> = got.iter().map(|a| a as &dyn AnyArray).collect();
            lazuli::eval(&all).unwrap();
            for (k, (got, want)) in got.iter().zip(&want).enumerate() {
                let (got, want) = (got.copy_to_host().unwrap(), want.copy_to_host().unwrap());
                assert_eq!(got, want, "{name}, result {k}, seed {seed}, {regions:?} of {shape:?}");
            }
        }
    }
}

#[test]
fn parts_at_many_positions_are_what_they_are_by_themselves() {
    on_each_device(|device| {
        // A GPU's compiler makes the kernels of every shape's strides.
        for seed in 0..if device == Device::cpu() { 12 } else { 1 } {
            at_many_positions::<f64>(seed, |k| k as f64);
            at_many_positions::<f32>(seed + 100, |k| k as f32);
            at_many_positions::<u8>(seed + 200, |k| k as u8);
            at_many_positions::<i16>(seed + 300, |k| k as i16 - 2);
            at_many_positions::<f16>(seed + 400, |k| f16::from_f64(k as f64));
        }
    });
}
