//! The gallery: the guide shows the code of the example, and each program draws.
//!
//! The functions at the end of the programs' files are tests of this module, too.
#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]

#[path = "../../examples/gallery/main.rs"]
#[allow(dead_code)]
mod example;

use crate::support::command::{Folder, command};
use crate::support::on_each_device;

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The names of the programs, in the order of the example.
fn names() -> impl Iterator<Item = &'static str> {
    example::ENTRIES.iter().map(|entry| entry.name)
}

/// The section of the guide that `tools/gallery` writes of a program's file.
fn section(name: &str, source: &str) -> String {
    let is_text = |line: &&str| line.starts_with("//!");
    let text: Vec<&str> =
        source.lines().take_while(is_text).map(|line| line[3..].trim_start()).collect();
    let rest: Vec<&str> = source.lines().skip_while(is_text).collect();
    let rest = rest.join("\n");
    let (code, test) = rest.split_once("\n#[test]\n").expect("a test at the end");
    let body = test.lines().skip(1).map(|line| line.strip_prefix("    ").unwrap_or(line));
    let body: Vec<&str> = body.take_while(|line| *line != "Ok(())").collect();
    let (title, text) = (text[0].trim_start_matches("# "), text.join("\n"));
    let (code, body) = (code.trim(), body.join("\n"));
    format!("{text}\n\n![{title}][{name}]\n\n```\n{code}\n\n{body}\n# Ok::<(), Error>(())\n```\n")
}

#[test]
fn the_guide_shows_the_code_of_the_example() {
    let source = |name| read(&format!("examples/gallery/{name}.rs"));
    let sections: Vec<String> = names().map(|name| section(name, &source(name))).collect();
    assert_eq!(sections.len(), 10);
    let page = read("src/guide/gallery.md");
    assert!(page == sections.join("\n"), "src/guide/gallery.md is old: run tools/gallery --text");
}

#[test]
fn every_section_has_a_small_picture() {
    let pictures = read("src/guide/gallery_pictures.md");
    assert!(pictures.len() < 252_000, "{} bytes", pictures.len());
    let defined = pictures.lines().map(|line| line.split_once(": data:image/png;base64,"));
    let defined: Vec<&str> = defined.map(|pair| pair.expect("a picture").0).collect();
    assert_eq!(defined, names().map(|name| format!("[{name}]")).collect::<Vec<_>>());
}

#[test]
fn every_program_draws_on_every_device() {
    on_each_device(|device| {
        let out = Folder::new(&format!("gallery-{device}"));
        let text = command!(example format!("--device {device} --size 40 --out {}", out.text()));
        let text = text.unwrap();
        for name in names() {
            assert!(text.contains(&format!("{name}.png")), "{text}");
            assert!(out.0.join(format!("{name}.png")).exists(), "{name}");
        }
    });
}

#[test]
fn a_glider_moves_by_a_cell_in_four_turns() {
    on_each_device(|_| {
        let glider = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)];
        let moved = glider.map(|(row, column)| (row + 1, column + 1));
        let alive = |cells, turns| example::life::life(cells, 12, turns).unwrap().equal(1.0);
        let (found, expected) = (alive(&glider, 4), alive(&moved, 0));
        assert!(found.array_equal(&expected).item().unwrap());
    });
}

#[test]
fn sections_are_made_of_sources() {
    let source = "//! # A\n//!\n//! Text.\n\nuse b;\n\nfn c() {}\n\n#[test]\nfn d() -> Result<()> {\n    \
                  assert!(e);\n    Ok(())\n}\n";
    let expected = "# A\n\nText.\n\n![A][n]\n\n```\nuse b;\n\nfn c() {}\n\nassert!(e);\n# Ok::<(), \
                    Error>(())\n```\n";
    assert_eq!(section("n", source), expected);
}
