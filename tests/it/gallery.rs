//! The guide's pages with pictures, the gallery and those of the modules: they show the code of the
//! examples, and each program draws.
//!
//! The functions at the end of the programs' files are tests of this module, too.
#![allow(clippy::duplicate_mod, reason = "every example brings the module that they share")]

#[path = "../../examples/gallery/main.rs"]
#[allow(dead_code)]
mod example;
#[path = "../../examples/guides/main.rs"]
#[allow(dead_code)]
mod guides;

use crate::support::command::{Folder, command};
use crate::support::{on_each_device, place};
use std::collections::BTreeSet;

fn read(path: &str) -> String {
    std::fs::read_to_string(place(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A page of the guide, and the programs that its sections are made of.
struct Page {
    name: &'static str,
    /// Where the programs are.
    folder: String,
    /// The programs in their order.
    programs: Vec<&'static str>,
}

/// The gallery.
fn gallery() -> Page {
    let programs = example::ENTRIES.iter().map(|entry| entry.name).collect();
    Page { name: "gallery", folder: "examples/gallery".to_owned(), programs }
}

/// The pages of the modules.
fn modules() -> Vec<Page> {
    let page = |(name, entries): &(&'static str, &[guides::Entry])| Page {
        name,
        folder: format!("examples/guides/{name}"),
        programs: entries.iter().map(|entry| entry.name).collect(),
    };
    guides::PAGES.iter().map(page).collect()
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

/// The bytes of a page's pictures, of which each section has one.
fn pictures(page: &Page) -> usize {
    let pictures = read(&format!("src/guide/pictures/{}.md", page.name));
    let defined = pictures.lines().map(|line| line.split_once(": data:image/png;base64,"));
    let defined: Vec<&str> = defined.map(|pair| pair.expect("a picture").0).collect();
    let expected: Vec<String> = page.programs.iter().map(|name| format!("[{name}]")).collect();
    assert_eq!(defined, expected, "{}", page.name);
    pictures.len()
}

#[test]
fn the_guide_shows_the_code_of_the_examples() {
    let pages = modules().into_iter().chain([gallery()]);
    for Page { name, folder, programs } in pages {
        let source = |program| read(&format!("{folder}/{program}.rs"));
        let sections: Vec<String> =
            programs.iter().map(|program| section(program, &source(program))).collect();
        let text = read(&format!("src/guide/{name}.md"));
        assert!(
            text == sections.join("\n"),
            "src/guide/{name}.md is old: run tools/gallery --text"
        );
        let page = read(&format!("src/guide/{name}.rs"));
        for part in [format!("\"{name}.md\""), format!("\"pictures/{name}.md\"")] {
            assert!(page.contains(&part), "src/guide/{name}.rs does not include {part}");
        }
    }
}

#[test]
fn every_section_has_a_small_picture() {
    assert_eq!(gallery().programs.len(), 10);
    assert!(pictures(&gallery()) < 252_000);
    let bytes: usize = modules().iter().map(pictures).sum();
    assert!(bytes < 400_000, "{bytes} bytes");
}

#[test]
fn every_module_has_a_page_of_sections() {
    let pages = modules();
    let all: Vec<&str> = pages.iter().flat_map(|page| page.programs.iter().copied()).collect();
    let different: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(different.len(), all.len(), "two pictures have one file");
    for page in &pages {
        assert!((3..=6).contains(&page.programs.len()), "{}", page.name);
        let files = std::fs::read_dir(place(&page.folder)).expect("a folder of sections");
        assert_eq!(files.count(), page.programs.len() + 1, "{}: a file without a row", page.folder);
    }
}

/// Asserts that a run of an example on a device says and writes that each picture was drawn.
fn assert_drawn(text: &str, out: &Folder, programs: &[&str]) {
    for name in programs {
        assert!(text.contains(&format!("{name}.png")), "{text}");
        assert!(out.0.join(format!("{name}.png")).exists(), "{name}");
    }
}

#[test]
fn every_program_draws_on_every_device() {
    on_each_device(|device| {
        let out = Folder::new(&format!("gallery-{device}"));
        let text = command!(example format!("--device {device} --size 40 --out {}", out.text()));
        assert_drawn(&text.unwrap(), &out, &gallery().programs);
        let out = Folder::new(&format!("guides-{device}"));
        let text = command!(guides format!("--device {device} --size 40 --out {}", out.text()));
        let text = text.unwrap();
        modules().iter().for_each(|page| assert_drawn(&text, &out, &page.programs));
    });
}

#[test]
fn a_page_is_drawn_alone() {
    let out = Folder::new("guide-alone");
    let draw = |page: &str| command!(guides format!("--device cpu --size 32 --page {page} --out {}", out.text()));
    let text = draw("interpolation").unwrap();
    assert!(text.contains("swirl.png") && !text.contains("drum.png"), "{text}");
    let why = draw("interpolations").unwrap_err();
    assert!(
        why.starts_with("--page interpolations: no such page; there is image_filters,"),
        "{why}"
    );
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
