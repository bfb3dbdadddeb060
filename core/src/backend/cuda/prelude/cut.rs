//! C++ cut into its declarations, of which a kernel gets those that it uses.
//!
//! This reads no C++ but what the prelude's files are written in: a declaration begins at the
//! first column and ends where its brackets are closed, what lies between `#if` and `#endif` there
//! belongs together, and names are those that begin with `lz_` or `LZ_`. All declarations of a
//! name come together, so that no call finds another overload than it found in the whole.
//!
//! A test holds the prelude's files to these shapes. Users' own source gets the whole prelude.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// The declarations of some files, in order.
pub(super) struct Declarations {
    items: Vec<Item>,
    /// The items that declare a name.
    of: FxHashMap<&'static str, Vec<usize>>,
}

struct Item {
    file: usize,
    /// With the comment above it.
    text: &'static str,
    /// Whether every kernel gets it: nothing says what it declares.
    always: bool,
}

impl Declarations {
    pub(super) fn new(files: impl IntoIterator<Item = &'static str>) -> Self {
        let mut made = Self { items: Vec::new(), of: FxHashMap::default() };
        for (file, source) in files.into_iter().enumerate() {
            for range in ranges(source) {
                let text = &source[range];
                let names = declared(text);
                for &name in &names {
                    // Macros make `name` of `name_of`.
                    for name in [Some(name), name.strip_suffix("_of")].into_iter().flatten() {
                        made.of.entry(name).or_default().push(made.items.len());
                    }
                }
                made.items.push(Item { file, text, always: names.is_empty() });
            }
        }
        made
    }

    /// What `body` uses of the files for which `takes` holds, and what that uses of them.
    pub(super) fn used_by(&self, body: &str, takes: impl Fn(usize) -> bool) -> String {
        let mut used = vec![false; self.items.len()];
        let mut texts = vec![body];
        let mut add = |at: usize, texts: &mut Vec<&str>| {
            let item: &Item = &self.items[at];
            if takes(item.file) && !std::mem::replace(&mut used[at], true) {
                texts.push(item.text);
            }
        };
        for at in (0..self.items.len()).filter(|&at| self.items[at].always) {
            add(at, &mut texts);
        }
        while let Some(text) = texts.pop() {
            for name in names(text) {
                for &at in self.of.get(name).into_iter().flatten() {
                    add(at, &mut texts);
                }
            }
        }
        let all = self.items.iter().zip(used);
        all.filter(|(_, used)| *used).flat_map(|(item, _)| [item.text, "\n"]).collect()
    }
}

/// Where the declarations of a file stand.
pub(super) fn ranges(source: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Of the declaration being read: where it begins, with its comment and without; open brackets
    // and open `#if`s.
    let (mut begin, mut first) = (0, None);
    let (mut brackets, mut groups) = (0i32, 0i32);
    let mut end = 0;
    for line in source.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let words = line.find("//").map_or(line, |comment| &line[..comment]).trim_end();
        if first.is_none() && words.is_empty() {
            // A comment belongs to what stands right below it.
            if line.trim().is_empty() {
                begin = end;
            }
            continue;
        }
        let first_line = *first.get_or_insert(start);
        let is_macro = source[first_line..].starts_with("#define");
        if !is_macro && brackets == 0 && words.starts_with('#') {
            groups += i32::from(words.starts_with("#if"));
            groups -= i32::from(words.starts_with("#endif"));
        }
        if !words.starts_with('#') {
            for byte in words.bytes() {
                brackets += i32::from(matches!(byte, b'{' | b'('));
                brackets -= i32::from(matches!(byte, b'}' | b')'));
            }
        }
        let complete = match is_macro {
            true => !words.ends_with('\\'),
            false => {
                words.ends_with([';', '}']) || words.starts_with('#') || invocation(words).is_some()
            }
        };
        if brackets == 0 && groups == 0 && complete {
            found.push(begin..end - 1);
            (begin, first) = (end, None);
        }
    }
    found
}

/// The names that a declaration declares; none where that is not known.
pub(super) fn declared(text: &str) -> Vec<&str> {
    let lines = text.split_inclusive('\n');
    let above = lines.take_while(|line| line.starts_with("//")).map(str::len).sum();
    let text: &str = &text[above..];
    if let Some(rest) = text.strip_prefix("#define") {
        return names(rest).take(1).collect();
    }
    if text.starts_with("#if") {
        return group(text);
    }
    if let Some(arguments) = invocation(text) {
        return names(arguments).take(1).filter(|name| name.starts_with("lz_")).collect();
    }
    let text = without_template(text);
    if text.starts_with("struct") || text.starts_with("using") {
        return names(text).find(|name| name.starts_with("lz_")).into_iter().collect();
    }
    if text.starts_with("typedef") {
        return names(text).last().into_iter().collect();
    }
    let head = text.split('{').next().unwrap_or_default();
    if head.contains("operator") {
        // Of what it is an operator.
        return names(head).filter(|name| name.starts_with("lz_")).collect();
    }
    last_before_arguments(head).into_iter().collect()
}

/// A text behind the `template <…>` that it begins with.
fn without_template(text: &str) -> &str {
    let Some(parameters) = text.strip_prefix("template") else { return text };
    let mut deep = 0;
    let end = parameters.find(|c| {
        deep += i32::from(c == '<') - i32::from(c == '>');
        c == '>' && deep == 0
    });
    parameters[end.map_or(0, |end| end + 1)..].trim_start()
}

/// The arguments of a macro's invocation.
fn invocation(line: &str) -> Option<&str> {
    let (name, arguments) = line.trim_end().split_once('(')?;
    let named = name.starts_with("LZ_") && name.bytes().all(is_of_name);
    named.then(|| arguments.strip_suffix(')')).flatten()
}

/// The last name before what a function takes, a variable's value or an array's length, without the
/// arguments of templates.
fn last_before_arguments(head: &str) -> Option<&str> {
    let mut deep = 0;
    let end = head.find(|c| {
        deep += i32::from(c == '<') - i32::from(c == '>');
        deep == 0 && "(=[;".contains(c)
    });
    let head = head[..end.unwrap_or(head.len())].trim_end();
    let mut deep = 0;
    let arguments = head.ends_with('>').then(|| {
        head.rfind(|c| {
            deep += i32::from(c == '>') - i32::from(c == '<');
            deep == 0
        })
    });
    names(&head[..arguments.flatten().unwrap_or(head.len())]).last()
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The words of a text that may be names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.bytes().position(is_of_name)?;
        let length = rest[begin..].bytes().position(|byte| !is_of_name(byte));
        let (word, behind) = rest[begin..].split_at(length.unwrap_or(rest.len() - begin));
        rest = behind;
        Some(word)
    })
    .filter(|word| !word.as_bytes()[0].is_ascii_digit())
}

/// The names of all declarations between `#if` and `#endif`.
fn group(text: &str) -> Vec<&str> {
    let inner = text.find('\n').map_or("", |at| &text[at + 1..]);
    let mut all = Vec::new();
    let mut begin = 0;
    let mut end = 0;
    let mut deep = 0;
    for line in inner.split_inclusive('\n') {
        let start = end;
        end += line.len();
        deep += i32::from(line.starts_with("#if"));
        let boundary = ["#else", "#elif", "#endif"].iter().any(|word| line.starts_with(word));
        if deep == 0 && boundary {
            let branch = &inner[begin..start];
            all.extend(ranges(branch).into_iter().flat_map(|range| declared(&branch[range])));
            begin = end;
        }
        deep -= i32::from(line.starts_with("#endif"));
    }
    all
}
