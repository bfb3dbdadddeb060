//! A profile as text.

use super::{Profile, ProfileRow, copy_bandwidth, place};
use crate::report::{shortened, size};
use std::fmt;
use std::time::Duration;

/// The most rows and lines that are printed.
const MOST_ROWS: usize = 40;
/// The most characters of a name.
pub(super) const WIDTH: usize = 44;

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device_time();
        write!(f, "{} in all; kernels and library calls {}", time(self.wall), time(device))?;
        write!(f, " ({:.0}%)", 100.0 * ratio(device, self.wall))?;
        write!(f, "\nhost: ")?;
        for (k, (name, took)) in self.parts().iter().enumerate() {
            write!(f, "{}{name} {}", if k > 0 { ", " } else { "" }, time(*took))?;
        }
        for (info, memory) in self.devices().iter().zip(&self.memory) {
            let (name, bytes) = (&info.name, size(memory.1 as f64));
            write!(f, "\n{} ({name}): at most {bytes} in use", info.device)?;
        }
        if !self.rows.is_empty() {
            write_table(f, &self.table())?;
        }
        if self.rows.len() > MOST_ROWS {
            write!(f, "\n… and {} more", self.rows.len() - MOST_ROWS)?;
        }
        if !self.lines.is_empty() {
            write_table(f, &self.table_of_lines())?;
        }
        if self.lost > 0 {
            write!(f, "\nthe timeline leaves out the last {} spans", self.lost)?;
        }
        Ok(())
    }
}

impl Profile {
    /// How the time of the host is divided.
    pub(super) fn parts(&self) -> Vec<(&'static str, Duration)> {
        let parts = [
            ("planning", self.planning()),
            ("compiling", self.compiling()),
            ("launching", self.launching()),
            ("kernels", self.computing()),
            ("copying", self.copying()),
            ("waiting", self.waiting()),
            ("the program", self.program()),
        ];
        parts.into_iter().filter(|part| !part.1.is_zero()).collect()
    }

    fn table(&self) -> Vec<Vec<String>> {
        let heads =
            ["what", "line", "count", "time", "share", "each", "bytes", "GB/s", "of a copy"];
        let total = self.device_time();
        let row = |row: &ProfileRow| {
            let is_copy = row.kind.starts_with("copy");
            let each = Duration::from_secs_f64(row.time.as_secs_f64() / row.count.max(1) as f64);
            let bandwidth = row.bandwidth();
            let of_copy = bandwidth.filter(|_| !is_copy).zip(copy_bandwidth(row.device));
            let share = 100.0 * ratio(row.time, total);
            vec![
                shortened(&row.name, WIDTH),
                place(row.line),
                row.count.to_string(),
                time(row.time),
                if is_copy { String::new() } else { format!("{share:.0}%") },
                time(each),
                if row.bytes > 0 { size(row.bytes as f64) } else { String::new() },
                bandwidth.map_or_else(String::new, |bytes| format!("{:.1}", bytes / 1e9)),
                of_copy.map_or_else(String::new, |(here, copy)| {
                    format!("{:.0}%", 100.0 * here / copy)
                }),
            ]
        };
        let heads = heads.map(str::to_owned).to_vec();
        std::iter::once(heads).chain(self.rows.iter().take(MOST_ROWS).map(row)).collect()
    }

    fn table_of_lines(&self) -> Vec<Vec<String>> {
        let heads = ["line", "device", "host", "what"].map(str::to_owned).to_vec();
        let rows = self.lines.iter().take(MOST_ROWS).map(|line| {
            let place = format!("{}:{}", line.line.file(), line.line.line());
            let names = shortened(&line.names.join(", "), WIDTH);
            vec![place, time(line.device_time), time(line.host_time), names]
        });
        std::iter::once(heads).chain(rows).collect()
    }
}

/// Columns of text: what holds numbers from its first row on is aligned to the right.
fn write_table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let is_number = |text: &String| text.is_empty() || text.starts_with(|c: char| c.is_numeric());
    let columns = rows[0].len();
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let right: Vec<bool> =
        (0..columns).map(|k| rows[1..].iter().all(|row| is_number(&row[k]))).collect();
    f.write_str("\n")?;
    for row in rows {
        let mut line = String::new();
        for (k, cell) in row.iter().enumerate() {
            let room = widths[k];
            if k > 0 {
                line += "  ";
            }
            line += &if right[k] { format!("{cell:>room$}") } else { format!("{cell:<room$}") };
        }
        write!(f, "\n{}", line.trim_end())?;
    }
    Ok(())
}

/// A duration in the unit that suits it.
pub(super) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.1} µs", s * 1e6),
    }
}

fn ratio(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}
