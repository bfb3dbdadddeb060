//! What the host costs: recording, evaluating something tiny, copying.

use crate::measure::{Bench, Row, median};
use crate::programs::common::{GOLDEN, plain, spread};
use crate::programs::streams as program;
use lazuli::prelude::*;
use lazuli::{PinnedArray, Stream};
use ndarray::{Array1, ArrayD};
use std::cell::RefCell;
use std::time::Instant;

/// Recording one operation, the release of what was recorded before included; `ms` holds
/// nanoseconds times 1e-6.
pub fn record(bench: &mut Bench) -> Result<()> {
    const OPS: usize = 20;
    let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
    x.eval()?;
    let chain = || {
        let mut y = &x * 1.5;
        for _ in 0..OPS / 2 {
            y = y.sin() + &x;
        }
        y
    };
    let mut times = Vec::new();
    for _ in 0..if bench.quick { 50 } else { 500 } {
        let start = Instant::now();
        for _ in 0..20 {
            drop(std::hint::black_box(chain()));
        }
        times.push(start.elapsed().as_secs_f64() * 1e3 / (20 * (OPS + 1)) as f64);
    }
    let ms = median(times);
    println!("{:45} {:11.1} ns an operation", "", ms * 1e6);
    bench.push(Row { form: "record".to_owned(), ms, ..Row::default() });
    Ok(())
}

/// One kernel on a thousand elements, recorded and evaluated: the plan is in the cache.
pub fn evaluate(bench: &mut Bench) -> Result<()> {
    let x = DeviceArray::<f64>::linspace(0.0, 1.0, 1000);
    x.eval()?;
    let result = || {
        let y = &x * 2.0;
        y.eval().map(|()| y)
    };
    bench.form(
        "one op",
        0,
        || result().map(drop),
        || Ok((result()?.to_vec()?[999] == 2.0).then_some(()).ok_or("2·1 is not 2".to_owned())),
    )
}

/// From the device to the host: into a new array, and into one that is there.
pub fn to_host(bench: &mut Bench, bytes: usize) -> Result<()> {
    let x = DeviceArray::<f32>::arange_to((bytes / 4) as f32);
    x.eval()?;
    let first = || {
        Ok(if x.slice(s![..2]).to_vec()? == [0.0, 1.0] { Ok(()) } else { Err("0, 1".to_owned()) })
    };
    bench.form("copy_to_host", bytes, || x.copy_to_host().map(drop), first)?;
    let host = RefCell::new(ArrayD::<f32>::zeros(x.shape()));
    let into = || x.copy_into(&mut *host.borrow_mut());
    bench.form("copy_into", bytes, into, || {
        let last = host.borrow()[[bytes / 4 - 1]];
        let wanted = (bytes / 4 - 1) as f32;
        Ok(if last == wanted { Ok(()) } else { Err(format!("{last} where {wanted} was")) })
    })
}

/// From the host to the device.
pub fn to_device(bench: &mut Bench, bytes: usize) -> Result<()> {
    let host = ArrayD::from_shape_fn(vec![bytes / 4], |i| i[0] as f32);
    bench.form(
        "from_ndarray",
        bytes,
        || DeviceArray::from_ndarray(&host).map(drop),
        || {
            let last = DeviceArray::from_ndarray(&host)?.index_axis(0, -1).item()?;
            let wanted = (bytes / 4 - 1) as f32;
            Ok(if last == wanted { Ok(()) } else { Err(format!("{last} where {wanted} was")) })
        },
    )
}

/// Data of the host computed part by part, copies included: on one stream, and on two in turn.
pub fn streams(bench: &mut Bench, n: usize, parts: usize, nodes: usize) -> Result<()> {
    let values = Array1::from_shape_fn(n, |i| (20.0 * spread(i, GOLDEN)) as f32);
    let (rows, sines) = (n.div_ceil(parts), program::sines(nodes)?);
    let x = PinnedArray::from_ndarray(&values)?.into_parts(rows)?;
    let y = RefCell::new(PinnedArray::zeros(n)?.into_parts(rows)?);
    let both = [Stream::new()?, Stream::new()?];
    for form in ["lazy", "kernel"] {
        for (count, words) in [(1, "one stream"), (2, "two streams")] {
            let run = || {
                let y = &mut *y.borrow_mut();
                program::compute(form, &both[..count], &sines, &x, y)
            };
            let check = || {
                let y = y.borrow();
                let (last, values) = (y[parts - 1].as_slice()?, x[parts - 1].as_slice()?);
                let at = last.len() / 2;
                let wanted = plain::bessel(&Array1::from_elem(1, f64::from(values[at])), nodes)[0];
                let near = (f64::from(last[at]) - wanted).abs() < 1e-5;
                Ok(near.then_some(()).ok_or(format!("{} where {wanted} was", last[at])))
            };
            bench.form(&format!("{form} {words}"), 8 * n, run, check)?;
        }
    }
    Ok(())
}
