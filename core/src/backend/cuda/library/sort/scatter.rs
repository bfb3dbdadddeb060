//! Scattering: by claims where the last value stays, by atomic operations where the order cannot
//! or need not matter, else by sorting the values by their places.

use super::kernels::{
    Gives, blocks_for, copy, element, filled, first_bad, function, index_at, launch, part, word,
    words,
};
use super::radix::{Ends, Radix};
use crate::backend::cuda::device::CudaDevice;
use crate::backend::cuda::launch::Function;
use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::library::sort::{Combine, Encoding, Scatter};
use std::sync::Arc;

/// Values that one thread combines.
const RUN: usize = 32;

/// Makes a scatter ready.
pub(super) fn prepare(device: &'static CudaDevice, call: &Scatter) -> Result<Box<dyn LibraryCall>> {
    let places = call.outer * call.len * call.inner;
    // One more than the number of values or places, so that there is a word for none.
    let place = if places.max(call.values()) < u32::MAX as usize { 4 } else { 8 };
    let find = |parts: &[&str], extra: &str, entry: &str| {
        let definitions = format!("{}{extra}", definitions(call, place));
        function(device, &definitions, parts, entry)
    };
    let plain = |entry: &str| find(&[part::SCATTER], "", entry);
    let method = match (call.combine, atomic(call)) {
        (Combine::Put, _) => {
            Method::Claim { claim: plain("lz_scatter_claim")?, settle: plain("lz_scatter_settle")? }
        }
        (_, Some(operation)) => Method::Atomic(find(
            &[part::SCATTER, part::ATOMIC],
            &format!("#define LZ_ATOMIC(place, x) {operation}\n"),
            "lz_scatter_atomic",
        )?),
        _ => {
            // Rows stay together: their positions are sorted, not the places of their elements.
            let rows = call.shared && call.outer * call.inner > 1;
            let (keys, items) = if rows { (call.len, call.count) } else { (places, call.values()) };
            // Places out of range have all bits set, so the digits of the others suffice.
            let passes = (u64::BITS - (keys as u64).leading_zeros()).div_ceil(8) as usize;
            let encoding =
                Encoding::of(if place == 4 { DType::U32 } else { DType::U64 }, false, false);
            let sort =
                Radix::new(device, place, passes.min(place), Gives::Both, (1, items), encoding)?;
            let places = if rows { "lz_scatter_positions" } else { "lz_scatter_places" };
            let columns = call.values() / items;
            let [places, combine] = [plain(places)?, plain("lz_scatter_combine")?];
            Method::Sorted { places, sort, combine, columns }
        }
    };
    Ok(Box::new(ScatterCall { device, call: call.clone(), place, method }))
}

fn definitions(call: &Scatter, place: usize) -> String {
    let combine = match (call.combine, call.dtype) {
        (Combine::Put, _) => "b",
        (Combine::Add | Combine::Max, DType::Bool) => "(a || b)",
        (Combine::Multiply | Combine::Min, DType::Bool) => "(a && b)",
        (Combine::Add, _) => "lz_add(a, b)",
        (Combine::Multiply, _) => "lz_multiply(a, b)",
        (Combine::Min, _) => "lz_minimum(a, b)",
        (Combine::Max, _) => "lz_maximum(a, b)",
    };
    format!(
        "#define LZ_ELEMENT {}\n#define LZ_COMBINE(a, b) {combine}\n#define LZ_SORT_KEY {}\n",
        element(call.dtype),
        word(place)
    )
}

/// The device's own operation on memory, where there is one and the order does not matter.
fn atomic(call: &Scatter) -> Option<&'static str> {
    let integer = matches!(call.dtype, DType::I32 | DType::U32 | DType::I64 | DType::U64);
    let float = matches!(call.dtype, DType::F32 | DType::F64);
    match call.combine {
        Combine::Add if call.dtype == DType::I64 => Some("atomicAdd((lz_u64*)(place), lz_u64(x))"),
        Combine::Add if integer || float && !call.ordered => Some("atomicAdd(place, x)"),
        Combine::Min if integer => Some("atomicMin(place, x)"),
        Combine::Max if integer => Some("atomicMax(place, x)"),
        _ => None,
    }
}

enum Method {
    /// Each value claims its place, and each place takes the last that did.
    Claim { claim: Arc<Function>, settle: Arc<Function> },
    /// Atomic operations on the result.
    Atomic(Arc<Function>),
    /// Values sorted by their places, and combined in their order; so many at once where these
    /// are rows.
    Sorted { places: Arc<Function>, sort: Radix, combine: Arc<Function>, columns: usize },
}

struct ScatterCall {
    device: &'static CudaDevice,
    call: Scatter,
    /// The bytes of a place.
    place: usize,
    method: Method,
}

/// The kernels' argument.
#[derive(Clone, Copy, Default)]
struct Args {
    base: u64,
    indices: u64,
    values: u64,
    output: u64,
    places: u64,
    order: u64,
    keys: u64,
    partial: u64,
    partial_keys: u64,
    given: u64,
    bad: u64,
    items: usize,
    columns: usize,
}

impl Args {
    fn bytes(&self, call: &Scatter) -> Vec<u8> {
        let addresses = [
            self.base,
            self.indices,
            self.values,
            self.output,
            self.places,
            self.order,
            self.keys,
            self.partial,
            self.partial_keys,
            self.given,
            self.bad,
        ];
        let Scatter { outer, len, inner, count, shared, .. } = *call;
        let numbers = [outer, len, inner, count, usize::from(shared), self.items, self.columns];
        words(&[&addresses[..], &numbers.map(|n| n as u64)].concat(), None)
    }
}

impl ScatterCall {
    fn places(&self) -> usize {
        self.call.outer * self.call.len * self.call.inner
    }

    /// Launches a kernel with a thread for each of so many elements.
    unsafe fn each(&self, kernel: &Function, elements: usize, args: &Args) -> Result<()> {
        let blocks = blocks_for(self.device, elements);
        // SAFETY: the argument is laid out as the kernels' structure; the caller vouches for the
        // addresses.
        unsafe { launch(kernel, [blocks, 1], 256, 0, &args.bytes(&self.call)) }
    }

    /// The values in the order of their places, combined step by step.
    unsafe fn sorted(
        &self,
        args: Args,
        places: &Function,
        sort: &Radix,
        combine: &Function,
    ) -> Result<()> {
        let (device, columns) = (self.device, args.columns);
        let mut items = self.call.values() / columns;
        let [unsorted, keys] =
            [device.allocate(items * self.place)?, device.allocate(items * self.place)?];
        let order = device.allocate(items * 4)?;
        let wide = self.call.dtype.compute().size();
        let mut args = Args { places: unsorted.address(), ..args };
        // SAFETY: the buffers are as long as the kernels read and write, and go back in stream
        // order.
        unsafe {
            self.each(places, items, &args)?;
            sort.run(Ends {
                input: unsorted.address(),
                keys: keys.address(),
                positions: order.address(),
            })?;
            (args.keys, args.order) = (keys.address(), order.address());
            let mut held = Vec::new();
            loop {
                let threads = items.div_ceil(RUN);
                args.items = items;
                let left = 2 * threads;
                let [partial, partial_keys] = match threads {
                    1 => [device.allocate(0)?, device.allocate(0)?],
                    _ => [
                        device.allocate(left * columns * wide)?,
                        device.allocate(left * self.place)?,
                    ],
                };
                (args.partial, args.partial_keys) = (partial.address(), partial_keys.address());
                self.each(combine, threads * columns, &args)?;
                if threads == 1 {
                    return Ok(());
                }
                (args.given, args.keys, items) = (args.partial, args.partial_keys, left);
                held.push([partial, partial_keys]);
            }
        }
    }
}

impl LibraryCall for ScatterCall {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _: &[Scalar]) -> Result<()> {
        let (device, values) = (self.device, self.call.values());
        let bad = filled(device, 8, 0xff)?;
        let args = Args {
            base: inputs[0].address(),
            indices: inputs[1].address(),
            values: inputs[2].address(),
            output: outputs[0].address(),
            bad: bad.address(),
            ..Args::default()
        };
        let bytes = self.places() * self.call.dtype.size();
        // SAFETY: the buffers hold what the call describes; scratch memory goes back in stream
        // order.
        unsafe {
            match &self.method {
                Method::Claim { claim, settle } => {
                    let claims = filled(device, self.places() * self.place, 0)?;
                    let args = Args { places: claims.address(), ..args };
                    self.each(claim, values, &args)?;
                    self.each(settle, self.places(), &args)?;
                }
                Method::Atomic(kernel) => {
                    copy(device, inputs[0], outputs[0], bytes)?;
                    self.each(kernel, values, &args)?;
                }
                Method::Sorted { places, sort, combine, columns } => {
                    copy(device, inputs[0], outputs[0], bytes)?;
                    let args = Args { columns: *columns, ..args };
                    self.sorted(args, places, sort, combine)?;
                }
            }
        }
        match first_bad(device, &bad)? {
            Some(at) => Err(self.call.out_of_range(index_at(device, inputs[1], at)?, at)),
            None => Ok(()),
        }
    }

    fn describe(&self) -> String {
        let how = match &self.method {
            Method::Claim { .. } => "claims",
            Method::Atomic(_) => "atomic operations",
            Method::Sorted { .. } => "sorted by place",
        };
        format!("{} values, {how}", self.call.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::emulator::{available, run};
    use crate::backend::cuda::library::sort::kernels::source;

    /// The kernels that combine values in the order of their places, with the host's sort in place
    /// of the device's.
    #[test]
    fn values_and_rows_in_order_on_the_emulator() {
        if !available() {
            return;
        }
        for (outer, len, inner, count, shared) in
            [(1, 5, 3, 200, true), (2, 4, 1, 70, true), (3, 7, 2, 33, true), (1, 6, 1, 90, false)]
        {
            let call = Scatter {
                name: "scatter_add",
                axis: 0,
                dtype: DType::F32,
                outer,
                len,
                inner,
                count,
                shared,
                combine: Combine::Add,
                ordered: true,
            };
            let columns = if shared { outer * inner } else { 1 };
            let indices: Vec<i64> =
                (0..count as i64).map(|k| (k * k * 7 + k / 3) % len as i64 - k % 2).collect();
            let values: Vec<f32> = (0..call.values()).map(|k| (k * 37 % 11) as f32).collect();
            let mut output = vec![1.0f32; outer * len * inner];
            let mut want = output.clone();
            for (k, &value) in values.iter().enumerate() {
                let (o, j, i) = (k / inner / count, k / inner % count, k % inner);
                let place = indices[j].rem_euclid(len as i64) as usize;
                want[(o * len + place) * inner + i] += value;
            }
            let (mut places, mut bad) = (vec![0u32; count], u64::MAX);
            let mut args = Args {
                indices: indices.as_ptr() as u64,
                values: values.as_ptr() as u64,
                output: output.as_mut_ptr() as u64,
                places: places.as_mut_ptr() as u64,
                bad: (&raw mut bad) as u64,
                columns,
                ..Args::default()
            };
            let text = source(&definitions(&call, 4), &[part::SCATTER]);
            let launch = |entry: &str, args: &Args| {
                run(&text, entry, [2, 1, 1], [64, 1, 1], 0, &mut args.bytes(&call)).unwrap();
            };
            launch(if shared { "lz_scatter_positions" } else { "lz_scatter_places" }, &args);
            let mut order: Vec<u32> = (0..count as u32).collect();
            order.sort_by_key(|&k| places[k as usize]);
            let mut keys: Vec<u32> = order.iter().map(|&k| places[k as usize]).collect();
            args.order = order.as_ptr() as u64;
            let (mut given, mut items) = (Vec::<f32>::new(), count);
            loop {
                let threads = items.div_ceil(RUN);
                let mut partial = vec![f32::NAN; 2 * threads * columns];
                let mut partial_keys = vec![0u32; 2 * threads];
                (args.items, args.keys) = (items, keys.as_ptr() as u64);
                args.given = if given.is_empty() { 0 } else { given.as_ptr() as u64 };
                args.partial = partial.as_mut_ptr() as u64;
                args.partial_keys = partial_keys.as_mut_ptr() as u64;
                launch("lz_scatter_combine", &args);
                if threads == 1 {
                    break;
                }
                (given, keys, items) = (partial, partial_keys, 2 * threads);
            }
            assert_eq!(output, want, "{outer} times {len} by {inner}, {count} values");
            assert_eq!(bad, u64::MAX);
        }
    }
}
