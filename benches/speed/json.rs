//! The report as JSON, in the form that `benches/join.py` reads.

use crate::measure::Row;
use std::fmt::Write;

/// `{"device", "results": [{"workload", "form", "ms", "kernels", "host_us", "first_ms", "gbps"}]}`;
/// a row that failed has `error` in place of the figures.
pub fn report(device: &str, rows: &[Row]) -> String {
    let mut text = format!("{{\"device\": {}, \"results\": [", quoted(device));
    for (k, row) in rows.iter().enumerate() {
        let comma = if k > 0 { "," } else { "" };
        let _ = write!(
            text,
            "{comma}\n{{\"workload\": {}, \"form\": {}",
            quoted(&row.workload),
            quoted(&row.form)
        );
        match &row.error {
            Some(error) => {
                let _ = write!(text, ", \"error\": {}", quoted(error));
            }
            None => {
                let _ = write!(text, ", \"ms\": {}, \"first_ms\": {}", row.ms, row.first_ms);
                let kernels = row.kernels.map(|k| k as f64);
                for (name, value) in
                    [("kernels", kernels), ("host_us", row.host_us), ("gbps", row.gbps)]
                {
                    if let Some(value) = value {
                        let _ = write!(text, ", \"{name}\": {value}");
                    }
                }
            }
        }
        text.push('}');
    }
    text + "\n]}\n"
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}
