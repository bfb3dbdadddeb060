//! A profile as a timeline, in the JSON that Chrome's tracing and Perfetto read.

use super::{Event, Profile};
use crate::backend::Device;
use std::fmt::Write;
use std::time::Duration;

/// The number of the host's row of the timeline; devices follow.
const HOST: usize = 1;

/// The timeline: complete events (`"ph":"X"`), in microseconds since the profile began.
pub(super) fn trace(profile: &Profile) -> String {
    let mut devices: Vec<Device> = Vec::new();
    let mut out = String::from("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    name_row(&mut out, HOST, "host");
    for event in &profile.events {
        write_event(&mut out, event, HOST, event.host);
        if let Some(time) = event.on_device.filter(|_| event.device.is_cuda()) {
            let known = devices.iter().position(|device| *device == event.device);
            let row = known.unwrap_or_else(|| {
                devices.push(event.device);
                devices.len() - 1
            });
            write_event(&mut out, event, HOST + 1 + row, time);
        }
    }
    for (k, device) in devices.iter().enumerate() {
        out.push(',');
        name_row(&mut out, HOST + 1 + k, &device.to_string());
    }
    out.push_str("]}");
    out
}

fn name_row(out: &mut String, row: usize, name: &str) {
    let name = quoted(name);
    let _ = write!(
        out,
        "{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{row},\
         \"args\":{{\"name\":{name}}}}}"
    );
}

fn write_event(out: &mut String, event: &Event, row: usize, (from, took): (Duration, Duration)) {
    let micros = |time: Duration| time.as_nanos() as f64 / 1e3;
    let line = event.line.map(|line| format!("{}:{}", line.file(), line.line()));
    let _ = write!(
        out,
        ",{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"pid\":1,\"tid\":{row},\"ts\":{},\"dur\":{},\
         \"args\":{{\"line\":{},\"bytes\":{}}}}}",
        quoted(&event.name),
        quoted(event.work.name()),
        micros(from),
        micros(took),
        quoted(line.as_deref().unwrap_or("-")),
        event.bytes
    );
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
