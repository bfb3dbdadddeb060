//! The workloads by name: the names and sizes are those of `benches/peers`, so that results join.

use crate::measure::Bench;
use crate::{first_use, host, workloads as w};
use lazuli::prelude::f16;
use lazuli::{Device, Result};

/// A workload's name and what runs it.
pub type Entry = (&'static str, fn(&mut Bench) -> Result<()>);

/// The workloads of a device.
pub fn of(device: Device) -> &'static [Entry] {
    if device.is_cuda() { GPU } else { PROCESSOR }
}

const GPU: &[Entry] = &[
    ("copy@2GiB", |b| w::copy(b, 1 << 29)),
    ("scale@30000000", |b| w::scale(b, 30_000_000)),
    ("sinexp@1000000:float32", |b| w::sinexp::<f32>(b, 1_000_000)),
    ("sinexp@1000000:float64", |b| w::sinexp::<f64>(b, 1_000_000)),
    ("sinexp@64000000:float32", |b| w::sinexp::<f32>(b, 64_000_000)),
    ("sinexp@64000000:float64", |b| w::sinexp::<f64>(b, 64_000_000)),
    ("blackscholes@4000000:float64", |b| w::blackscholes::<f64>(b, 4_000_000)),
    ("blackscholes@64000000:float64", |b| w::blackscholes::<f64>(b, 64_000_000)),
    ("blackscholes@4000000:float32", |b| w::blackscholes::<f32>(b, 4_000_000)),
    ("blackscholes@64000000:float32", |b| w::blackscholes::<f32>(b, 64_000_000)),
    ("haversine@1000x1000:float64", |b| w::haversine(b, 1000)),
    ("haversine@8192x8192:float64", |b| w::haversine(b, 8192)),
    ("rowsum@1000x1000:float32", |b| w::rowsum(b, 1000, 1000)),
    ("rowsum@16384x16384:float32", |b| w::rowsum(b, 16384, 16384)),
    ("rowsum@1048576x64:float32", |b| w::rowsum(b, 1 << 20, 64)),
    ("rowsum@64x1048576:float32", |b| w::rowsum(b, 64, 1 << 20)),
    ("colsum@1000x1000:float32", |b| w::colsum(b, 1000, 1000)),
    ("colsum@16384x16384:float32", |b| w::colsum(b, 16384, 16384)),
    ("prod@4000000:float64", |b| w::prod(b, 4_000_000)),
    ("prod@256000000:float64", |b| w::prod(b, 256_000_000)),
    ("sumsq@256000000:float32", |b| w::sumsq(b, 256_000_000)),
    ("softmax@16384x4096:float32", |b| w::softmax(b, 16384, 4096)),
    ("softmax@1048576x128:float32", |b| w::softmax(b, 1 << 20, 128)),
    ("standardize@16384x4096:float32", |b| w::standardize(b, 16384, 4096)),
    ("jacobi2d@1024x1024:float64", |b| w::jacobi2d(b, 1024)),
    ("jacobi2d@8192x8192:float64", |b| w::jacobi2d(b, 8192)),
    ("pairwise_min@32768:float32", |b| w::pairwise_min(b, 32768)),
    ("argmax@64000000:float32", |b| w::argmax(b, 64_000_000)),
    ("sort@64000000:float32", |b| w::sort(b, 64_000_000)),
    ("cumsum@64000000:float32", |b| w::cumsum(b, 64_000_000)),
    ("uniform@100000:float64", |b| w::uniform::<f64>(b, 100_000)),
    ("uniform@256000000:float32", |b| w::uniform::<f32>(b, 256_000_000)),
    ("mcpi@100000000", |b| w::mcpi(b, 100_000_000)),
    ("lorenz_rk4@40x960x20steps", |b| w::lorenz_rk4(b, 40, 960, 20)),
    ("lorenz_rk4@4096x9600x20steps", |b| w::lorenz_rk4(b, 4096, 9600, 20)),
    ("matmul@1600:float32", |b| w::matmul::<f32>(b, 1600)),
    ("matmul@8192:float32", |b| w::matmul::<f32>(b, 8192)),
    ("matmul@8192:float64", |b| w::matmul::<f64>(b, 8192)),
    ("matmul@8192:float16", |b| w::matmul::<f16>(b, 8192)),
    ("fftconv@512x512:complex64", |b| w::fftconv(b, 512)),
    ("fftconv@8192x8192:complex64", |b| w::fftconv(b, 8192)),
    ("dispatch@1000x30ops", w::dispatch),
    ("record@op", host::record),
    ("evaluate@1000", host::evaluate),
    ("to_host@1GiB", |b| host::to_host(b, 1 << 30)),
    ("to_device@1GiB", |b| host::to_device(b, 1 << 30)),
    ("first_use@kernel", first_use::run),
];

const PROCESSOR: &[Entry] = &[
    ("copy@256MiB", |b| w::copy(b, 1 << 26)),
    ("scale@30M:f64", |b| w::scale(b, 30_000_000)),
    ("sinexp@1M:float32", |b| w::sinexp::<f32>(b, 1_000_000)),
    ("sinexp@1M:float64", |b| w::sinexp::<f64>(b, 1_000_000)),
    ("blackscholes@4M:f64", |b| w::blackscholes::<f64>(b, 4_000_000)),
    ("haversine@1000x1000:f64", |b| w::haversine(b, 1000)),
    ("rowsum@1000x1000:f32", |b| w::rowsum(b, 1000, 1000)),
    ("colsum@4096x4096:f32", |b| w::colsum(b, 4096, 4096)),
    ("prod@4M:f64", |b| w::prod(b, 4_000_000)),
    ("sumsq@64M:f32", |b| w::sumsq(b, 64_000_000)),
    ("softmax@4096x4096:f32", |b| w::softmax(b, 4096, 4096)),
    ("standardize@4096x4096:f32", |b| w::standardize(b, 4096, 4096)),
    ("jacobi2d@4096x4096:f64", |b| w::jacobi2d(b, 4096)),
    ("pairwise_min@4096:f32", |b| w::pairwise_min(b, 4096)),
    ("argmax@16M:f32", |b| w::argmax(b, 16_000_000)),
    ("sort@16M:f32", |b| w::sort(b, 16_000_000)),
    ("cumsum@16M:f32", |b| w::cumsum(b, 16_000_000)),
    ("uniform@16M:f32", |b| w::uniform::<f32>(b, 16_000_000)),
    ("lorenz_rk4@40x960/step", |b| w::lorenz_rk4(b, 40, 960, 1)),
    ("matmul@1600:float32", |b| w::matmul::<f32>(b, 1600)),
    ("matmul@1600:float64", |b| w::matmul::<f64>(b, 1600)),
    ("fftconv@512x512:c64", |b| w::fftconv(b, 512)),
    ("dispatch@1000x30ops", w::dispatch),
    ("record@op", host::record),
    ("evaluate@1000", host::evaluate),
    ("to_host@256MiB", |b| host::to_host(b, 1 << 28)),
    ("to_device@256MiB", |b| host::to_device(b, 1 << 28)),
];
