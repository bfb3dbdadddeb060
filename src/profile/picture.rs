//! A profile as a picture.

use super::table::{self, time};
use super::{Profile, place};
use crate::report::{escaped, open_svg, shortened, size, write_text};
use std::fmt::Write;
use std::time::Duration;

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 24.0;
/// The height of a row.
const ROW: f64 = 26.0;
/// Where bars begin, behind the names.
const BARS: f64 = 420.0;
/// The most rows that are drawn.
const MOST_ROWS: usize = 24;
/// The colours of the parts of the host's time, in the order of the legend.
const COLOURS: [&str; 7] =
    ["#7a6fb3", "#c56a8f", "#5b8fb9", "#2f9e8f", "#d9a441", "#b9c2cc", "#e3e7eb"];

/// The picture: the host's time as one divided bar, and below it a bar for each row.
pub(super) fn svg(profile: &Profile) -> String {
    let rows = &profile.rows[..profile.rows.len().min(MOST_ROWS)];
    let height = 190.0 + ROW * rows.len() as f64;
    let mut out = open_svg(WIDTH, height, 13);
    let title = format!(
        "{} in all; kernels and library calls {}",
        time(profile.wall),
        time(profile.device_time())
    );
    write_text(&mut out, (MARGIN, 34.0), "#20262d", "font-size=\"17\" font-weight=\"600\"", &title);
    write_parts(&mut out, profile);
    let longest = rows.iter().map(|row| row.time).max().unwrap_or_default();
    for (k, row) in rows.iter().enumerate() {
        let y = 160.0 + ROW * k as f64;
        let name = shortened(&row.name, table::WIDTH);
        write_text(&mut out, (MARGIN, y + 17.0), "#20262d", "", &name);
        let right = "text-anchor=\"end\"";
        write_text(&mut out, (BARS - 12.0, y + 17.0), "#6b7682", right, &place(row.line));
        let colour = if row.kind.starts_with("copy") { COLOURS[4] } else { COLOURS[3] };
        let width = (WIDTH - MARGIN - 190.0 - BARS) * share(row.time, longest);
        write_bar(&mut out, (BARS, y + 4.0), (width.max(1.0), ROW - 8.0), colour, &row.name);
        let mut note = format!("{}, {} ×", time(row.time), row.count);
        if let Some(bytes) = row.bandwidth() {
            let _ = write!(note, ", {}/s", size(bytes));
        }
        write_text(&mut out, (BARS + width + 8.0, y + 17.0), "#3a434d", "", &note);
    }
    out.push_str("</svg>\n");
    out
}

/// The bar of the host's time with its legend.
fn write_parts(out: &mut String, profile: &Profile) {
    let parts = profile.parts();
    let total: Duration = parts.iter().map(|part| part.1).sum();
    let (mut x, mut at) = (MARGIN, MARGIN);
    for ((name, took), colour) in parts.iter().zip(COLOURS) {
        let width = (WIDTH - 2.0 * MARGIN) * share(*took, total);
        let label = format!("{name} {}", time(*took));
        write_bar(out, (x, 54.0), (width, 30.0), colour, &label);
        x += width;
        write_bar(out, (at, 101.0), (11.0, 11.0), colour, &label);
        write_text(out, (at + 17.0, 111.0), "#3a434d", "font-size=\"12\"", &label);
        at += 34.0 + 6.4 * label.chars().count() as f64;
    }
}

fn write_bar(
    out: &mut String,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    colour: &str,
    title: &str,
) {
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" \
         fill=\"{colour}\"><title>{}</title></rect>",
        escaped(title)
    );
}

fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}
