//! A written kernel as a whole: its definitions, its function, and what a launch needs.

use super::emit::Written;
use super::turns::{self, Barrier};
use super::{Launch, Rendered, Target, Template, skipped, usual};
use crate::error::{Error, Result};
use crate::kernel::{AxisKind, Kernel};
use std::fmt::Write;

/// The bytes of source that a kernel may have: the compiler takes seconds for more.
const SOURCE_BYTES: usize = 1 << 20;

/// The bytes that the argument of a launch may have.
const ARGUMENT_BYTES: usize = 4096;

/// A kernel that is written.
pub(super) struct Draft<'k> {
    /// The kernel as it was written.
    pub kernel: &'k Kernel,
    /// The name of its function.
    pub entry: &'k str,
    /// The name of its schedule, and the schedule in words.
    pub name: &'static str,
    pub schedule: String,
    /// Whether indices take 64 bits.
    pub wide: bool,
    /// The launch.
    pub launch: Launch,
    /// The function's text.
    pub written: Written<'k>,
}

/// The turns that a launch takes. Pairs say which input is which output of the turn before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes<'k> {
    /// One.
    One,
    /// One, unless the byte that the argument may name is 0.
    OneUnless,
    /// At most so many, which the argument says; they are written out.
    Most(u64),
    /// Any number, where the text is that of one turn.
    Each(&'k [(u32, u32)], Barrier),
    /// Any number, where the text takes all of them.
    All(&'k [(u32, u32)], Barrier),
}

impl Draft<'_> {
    /// The kernel with all that it needs.
    ///
    /// # Errors
    /// Where it is more than a device takes, or a user's function has no code for the device.
    pub(super) fn finish(self, takes: Takes, target: &Target) -> Result<Rendered> {
        let Draft { kernel, entry, name, schedule, wide, launch, written } = self;
        let Written { text, args, form, tally, usual } = written;
        let (structure, mut template) = args.finish(kernel);
        if text.len() > SOURCE_BYTES {
            let bytes = text.len();
            return Err(Error::unsupported(format!("a kernel of {bytes} bytes of source")));
        }
        let threads = launch.block.iter().product::<usize>();
        let bounds = match launch.together {
            0 => threads.to_string(),
            blocks => format!("{threads}, {blocks}"),
        };
        let mut body = comment(kernel, name, wide);
        body += &form.definitions(definitions(kernel)?);
        if usual {
            body += &usual::definitions(kernel);
        }
        let _ = writeln!(body, "{structure}");
        let parts = (&*text, &*bounds, entry);
        let (function, turns) = match takes {
            Takes::One | Takes::Most(_) => (once(parts), None),
            Takes::OneUnless => (skipped::skipped(parts, &mut template), None),
            Takes::Each(pairs, barrier) => {
                let template = &mut template;
                let of = turns::repeated(kernel, pairs, barrier, parts, &launch, template);
                (of.0, Some(of.1))
            }
            Takes::All(pairs, barrier) => {
                let template = &mut template;
                let of = turns::resident(kernel, pairs, barrier, parts, &launch, template);
                (of.0, Some(of.1))
            }
        };
        check(&template, &launch, target)?;
        Ok(Rendered {
            body: body + &function,
            entry: entry.to_string(),
            grid: [launch.grid as u32, 1, 1],
            block: launch.block.map(|n| n as u32),
            shared_bytes: launch.shared as u32,
            template,
            scratch_bytes: launch.scratch,
            counters: match takes {
                Takes::Each(_, Barrier::Grid) => turns::COUNTERS,
                _ => launch.counters,
            },
            schedule,
            weight: form.weight(&tally),
            turns,
            at_a_time: match takes {
                Takes::Most(turns) => Some(turns),
                _ => None,
            },
        })
    }
}

/// The function of a launch that calls no other for its turns.
fn once((text, bounds, entry): (&str, &str, &str)) -> String {
    format!(
        "extern \"C\" __global__ void __launch_bounds__({bounds}) \
         {entry}(const __grid_constant__ Arguments a) {{\n{text}}}\n"
    )
}

/// The definitions of the user's functions that a kernel calls, callees first, each once.
fn definitions(kernel: &Kernel) -> Result<String> {
    let mut known: Vec<&(String, String)> = Vec::new();
    let functions = kernel.values.iter().filter_map(|value| value.inst.function());
    for function in functions {
        let code = function.cuda.as_ref().ok_or_else(|| {
            Error::unsupported(format!("{} has no code for CUDA devices", function.name))
        })?;
        for definition in &code.definitions {
            match known.iter().find(|k| k.0 == definition.0) {
                None => known.push(definition),
                Some(other) if other.1 == definition.1 => {}
                Some(_) => {
                    let name = &definition.0;
                    return Err(Error::compile(format!("two device functions are named {name}")));
                }
            }
        }
    }
    Ok(known.iter().map(|k| format!("{}\n", k.1.trim_end())).collect())
}

/// The limits that a device sets, checked before anything is compiled.
fn check(template: &Template, launch: &Launch, target: &Target) -> Result<()> {
    if template.bytes.len() > ARGUMENT_BYTES {
        return Err(Error::unsupported(format!(
            "a kernel with an argument of {} bytes, where {ARGUMENT_BYTES} are allowed",
            template.bytes.len()
        )));
    }
    if launch.shared > target.shared_bytes {
        return Err(Error::unsupported(format!(
            "a kernel with {} bytes of shared memory, where the device has {}",
            launch.shared, target.shared_bytes
        )));
    }
    if launch.grid > i32::MAX as usize {
        return Err(Error::unsupported(format!("a kernel with {} blocks", launch.grid)));
    }
    Ok(())
}

/// What stands above the kernel: its axes and its schedule.
fn comment(kernel: &Kernel, schedule: &str, wide: bool) -> String {
    let mut text = String::new();
    for (k, axis) in kernel.axes.iter().enumerate() {
        let kind = match axis.kind {
            AxisKind::Parallel => "parallel",
            AxisKind::Reduce => "reduce",
            AxisKind::Serial => "serial",
        };
        let _ = writeln!(text, "// {kind} x{k} < n{k}");
    }
    let bits = if wide { 64 } else { 32 };
    let _ = writeln!(text, "// schedule: {schedule}, {bits}-bit indices");
    text
}
