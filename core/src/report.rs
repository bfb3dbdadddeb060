//! What reports are written with: bytes and names that fit, and shapes of SVG.

use std::fmt::Write;

/// Bytes in the unit that suits them.
pub fn size(bytes: f64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let unit = units.iter().find(|unit| bytes >= unit.1);
    unit.map_or_else(|| format!("{bytes} B"), |(unit, one)| format!("{:.1} {unit}", bytes / one))
}

/// The first letters of a name, and `…` where there are more.
pub fn shortened(name: &str, most: usize) -> String {
    match name.char_indices().nth(most) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}…", &name[..at]),
    }
}

/// Text inside of XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The beginning of a picture of that size, down to its background.
pub fn open_svg(width: f64, height: f64, font_size: u32) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui, sans-serif\" \
         font-size=\"{font_size}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fbfbfc\"/>\n"
    )
}

/// A line of text that begins at a place, with further attributes.
pub fn write_text(
    out: &mut String,
    (x, y): (f64, f64),
    colour: &str,
    attributes: &str,
    text: &str,
) {
    let text = escaped(text);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\" {attributes}>{text}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_names_fit() {
        assert_eq!(
            [0.0, 999.0, 1000.0, 4.2e6, 3e12].map(size),
            ["0 B", "999 B", "1.0 kB", "4.2 MB", "3.0 TB"]
        );
        assert_eq!((shortened("größe", 5), shortened("größe", 3)), ("größe".into(), "grö…".into()));
        assert_eq!(escaped("a<\"b\"&c>"), "a&lt;&quot;b&quot;&amp;c&gt;");
    }
}
