//! A plan as a picture: kernels and library calls as boxes around the operations that they compute,
//! arrays in memory between them.
//!
//! Boxes stand in rows: each below the last one whose results it reads. Inside a box operations go
//! from the left to the right, each behind its arguments; an operation that several kernels compute
//! is drawn in each.

use crate::plan::{Graph, GraphArg, Step};
use crate::report::{open_svg, shortened, size, write_text};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The most operations of one box that are drawn.
const MOST_DRAWN: usize = 48;
/// The most letters of an operation's name.
const MOST_LETTERS: usize = 24;
/// The colour of text.
const INK: &str = "#20262d";
/// The space between boxes, and inside of them.
const GAP: f64 = 22.0;
const PADDING: f64 = 14.0;
/// An operation: its height, and what a letter takes.
const HEIGHT: f64 = 26.0;
const LETTER: f64 = 7.2;
/// The line with the title of a box.
const TITLE: f64 = 26.0;

/// What a picture shows, before it is known where.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    steps: Vec<Drawn>,
    /// The arrays in memory, by the number of their node, and the step that makes each.
    arrays: Vec<Array>,
}

/// A kernel or a library call.
#[derive(Clone, Debug)]
struct Drawn {
    title: String,
    is_kernel: bool,
    operations: Vec<Operation>,
    /// How many are left out.
    left_out: usize,
}

#[derive(Clone, Debug)]
struct Operation {
    name: String,
    /// Those of the same box whose values it takes.
    from: Vec<usize>,
    /// The arrays that it reads.
    reads: Vec<usize>,
    /// The array that it is stored as.
    stored: Option<usize>,
}

#[derive(Clone, Debug)]
struct Array {
    label: String,
    made_by: Option<usize>,
}

impl Drawing {
    /// What the steps of a plan compute, with a title for each.
    pub(super) fn new(graph: &Graph, steps: &[Step], titles: Vec<String>) -> Drawing {
        let mut drawing = Drawing::default();
        let mut arrays: FxHashMap<u32, usize> = FxHashMap::default();
        let made: FxHashSet<u32> = steps.iter().flat_map(outputs).collect();
        for (step, title) in steps.iter().zip(titles) {
            let drawn = drawing.step(graph, step, title, &made, &mut arrays);
            drawing.steps.push(drawn);
        }
        drawing
    }

    fn step(
        &mut self,
        graph: &Graph,
        step: &Step,
        title: String,
        made: &FxHashSet<u32>,
        arrays: &mut FxHashMap<u32, usize>,
    ) -> Drawn {
        let at = self.steps.len();
        let roots: FxHashSet<u32> = outputs(step).collect();
        // What a library reads is stored; a kernel computes what nobody else stores.
        let is_read = |n: u32| {
            graph.nodes[n as usize].leaf.is_some()
                || (made.contains(&n) && !roots.contains(&n))
                || matches!(step, Step::Library(_)) && !roots.contains(&n)
        };
        let (order, left_out) = within(graph, &roots, &is_read);
        let places: FxHashMap<u32, usize> = order.iter().copied().zip(0..).collect();
        let mut operations = Vec::new();
        for &n in &order {
            let node = &graph.nodes[n as usize];
            let (mut from, mut reads) = (Vec::new(), Vec::new());
            for arg in &node.args {
                let GraphArg::Node(arg) = *arg else { continue };
                match places.get(&arg) {
                    Some(&place) => from.push(place),
                    None if is_read(arg) => reads.push(self.array(graph, arg, None, arrays)),
                    None => {}
                }
            }
            let stored = roots.contains(&n).then(|| self.array(graph, n, Some(at), arrays));
            operations.push(Operation {
                name: shortened(&node.op.name(), MOST_LETTERS),
                from,
                reads,
                stored,
            });
        }
        Drawn { title, is_kernel: matches!(step, Step::Kernel(_)), operations, left_out }
    }

    /// The number of an array, which is noted where it is new.
    fn array(
        &mut self,
        graph: &Graph,
        n: u32,
        made_by: Option<usize>,
        arrays: &mut FxHashMap<u32, usize>,
    ) -> usize {
        let at = *arrays.entry(n).or_insert_with(|| {
            let node = &graph.nodes[n as usize];
            let bytes = node.shape.iter().product::<usize>() * node.dtype.size();
            let label = format!("{}{:?}  {}", node.dtype, &node.shape[..], size(bytes as f64));
            self.arrays.push(Array { label, made_by: None });
            self.arrays.len() - 1
        });
        if made_by.is_some() {
            self.arrays[at].made_by = made_by;
        }
        at
    }
}

/// The nodes that a step stores.
fn outputs(step: &Step) -> impl Iterator<Item = u32> + '_ {
    let (many, one) = match step {
        Step::Kernel(step) => (step.outputs.as_slice(), None),
        Step::Library(step) => (&[][..], Some(step.node)),
    };
    many.iter().copied().chain(one)
}

/// The nodes that a step computes, arguments first, and how many are left out.
fn within(
    graph: &Graph,
    roots: &FxHashSet<u32>,
    is_read: &dyn Fn(u32) -> bool,
) -> (Vec<u32>, usize) {
    let mut met = roots.clone();
    let mut waiting: Vec<u32> = roots.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(n) = waiting.pop() {
        found.push(n);
        for arg in &graph.nodes[n as usize].args {
            if let GraphArg::Node(arg) = *arg
                && !is_read(arg)
                && met.insert(arg)
            {
                waiting.push(arg);
            }
        }
    }
    // Arguments have lower numbers; the last operations are those that matter.
    found.sort_unstable();
    let left_out = found.len().saturating_sub(MOST_DRAWN);
    let mut drawn = found.split_off(left_out);
    let stored = found.into_iter().filter(|n| roots.contains(n));
    let mut shown: Vec<u32> = stored.collect();
    shown.append(&mut drawn);
    (shown, left_out)
}

/// A rectangle of the picture.
#[derive(Clone, Copy, Debug, Default)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn right(self) -> (f64, f64) {
        (self.x + self.width, self.y + self.height / 2.0)
    }

    fn left(self) -> (f64, f64) {
        (self.x, self.y + self.height / 2.0)
    }

    fn top(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y)
    }

    fn bottom(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height)
    }
}

/// Where everything lies.
#[derive(Default)]
struct Layout {
    steps: Vec<Area>,
    operations: Vec<Vec<Area>>,
    arrays: Vec<Area>,
    width: f64,
    height: f64,
}

impl Drawing {
    /// The picture, with a title.
    pub(super) fn svg(&self, title: &str) -> String {
        let layout = self.layout(title);
        let mut out = open_svg(layout.width, layout.height, 12);
        write_text(&mut out, (GAP, 30.0), INK, "font-size=\"16\" font-weight=\"600\"", title);
        for (step, area) in self.steps.iter().zip(&layout.steps) {
            let (fill, line) = match step.is_kernel {
                true => ("#eef6f4", "#2f9e8f"),
                false => ("#f3f1fa", "#7a6fb3"),
            };
            write_box(&mut out, *area, 10.0, fill, line);
            let at = (area.x + PADDING, area.y + 19.0);
            write_text(&mut out, at, INK, "font-weight=\"600\"", &step.title);
        }
        self.write_lines(&mut out, &layout);
        for (step, areas) in self.steps.iter().zip(&layout.operations) {
            for (operation, area) in step.operations.iter().zip(areas) {
                write_box(&mut out, *area, 5.0, "#ffffff", "#b9c2cc");
                write_centred(&mut out, *area, &operation.name);
            }
        }
        for (array, area) in self.arrays.iter().zip(&layout.arrays) {
            write_box(&mut out, *area, HEIGHT / 2.0, "#fdf6e7", "#d9a441");
            write_centred(&mut out, *area, &array.label);
        }
        out.push_str("</svg>\n");
        out
    }

    fn write_lines(&self, out: &mut String, layout: &Layout) {
        for (step, areas) in self.steps.iter().zip(&layout.operations) {
            for (operation, area) in step.operations.iter().zip(areas) {
                for &from in &operation.from {
                    write_line(out, areas[from].right(), area.left(), "#8b97a3", true);
                }
                for &array in &operation.reads {
                    write_line(out, layout.arrays[array].bottom(), area.top(), "#d9a441", false);
                }
                if let Some(array) = operation.stored {
                    write_line(out, area.bottom(), layout.arrays[array].top(), "#d9a441", false);
                }
            }
        }
    }

    fn layout(&self, title: &str) -> Layout {
        let boxes: Vec<(Area, Vec<Area>)> = self.steps.iter().map(inside).collect();
        let rows = self.rows();
        let count = rows.iter().max().map_or(0, |row| row + 1);
        let pill = |array: &Array| width_of(&array.label) + HEIGHT;
        let mut layout = Layout {
            steps: vec![Area::default(); self.steps.len()],
            operations: vec![Vec::new(); self.steps.len()],
            arrays: vec![Area::default(); self.arrays.len()],
            width: 2.0 * GAP + 1.35 * width_of(title),
            height: 0.0,
        };
        let mut y = 52.0;
        let place = |layout: &mut Layout, numbers: &[usize], y: f64| {
            let mut x = GAP;
            for &k in numbers {
                let width = pill(&self.arrays[k]);
                layout.arrays[k] = Area { x, y, width, height: HEIGHT };
                x += width + GAP;
            }
            layout.width = layout.width.max(x);
        };
        let data: Vec<usize> =
            (0..self.arrays.len()).filter(|&k| self.arrays[k].made_by.is_none()).collect();
        place(&mut layout, &data, y);
        y += if data.is_empty() { 0.0 } else { HEIGHT + 2.0 * GAP };
        for row in 0..count {
            let (mut x, mut tallest) = (GAP, 0.0f64);
            let here: Vec<usize> = (0..self.steps.len()).filter(|&k| rows[k] == row).collect();
            for &k in &here {
                let (area, operations) = &boxes[k];
                layout.steps[k] = Area { x, y, ..*area };
                let moved = |a: &Area| Area { x: a.x + x, y: a.y + y, ..*a };
                layout.operations[k] = operations.iter().map(moved).collect();
                x += area.width + GAP;
                tallest = tallest.max(area.height);
            }
            layout.width = layout.width.max(x);
            y += tallest + GAP;
            let made = |k: &usize| self.arrays[*k].made_by.is_some_and(|by| here.contains(&by));
            let made: Vec<usize> = (0..self.arrays.len()).filter(made).collect();
            place(&mut layout, &made, y);
            y += HEIGHT + 2.0 * GAP;
        }
        layout.height = y;
        layout
    }

    /// The row of each step: below what makes the arrays that it reads.
    fn rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = Vec::new();
        for step in &self.steps {
            let reads = step.operations.iter().flat_map(|operation| &operation.reads);
            let after = reads.filter_map(|&array| self.arrays[array].made_by);
            let row = after.filter_map(|by| rows.get(by)).map(|row| row + 1).max().unwrap_or(0);
            rows.push(row);
        }
        rows
    }
}

/// The size of a box, and where its operations lie in it: in columns, each behind its arguments.
fn inside(step: &Drawn) -> (Area, Vec<Area>) {
    let mut columns: Vec<usize> = Vec::new();
    for operation in &step.operations {
        let column = operation.from.iter().map(|&from| columns[from] + 1).max().unwrap_or(0);
        columns.push(column);
    }
    let count = columns.iter().max().map_or(0, |column| column + 1);
    let (mut x, mut tallest) = (PADDING, 0);
    let mut areas = vec![Area::default(); step.operations.len()];
    for column in 0..count {
        let here: Vec<usize> = (0..columns.len()).filter(|&k| columns[k] == column).collect();
        let widths = here.iter().map(|&k| width_of(&step.operations[k].name) + 16.0);
        let width = widths.fold(40.0, f64::max);
        for (row, &k) in here.iter().enumerate() {
            let y = TITLE + 8.0 + (HEIGHT + 10.0) * row as f64;
            areas[k] = Area { x, y, width, height: HEIGHT };
        }
        x += width + GAP;
        tallest = tallest.max(here.len());
    }
    let title = match step.left_out {
        0 => width_of(&step.title),
        _ => width_of(&step.title) + 120.0,
    };
    let width = (x - GAP + PADDING).max(title * 1.1 + 2.0 * PADDING);
    let height = TITLE + 8.0 + (HEIGHT + 10.0) * tallest as f64 + 6.0;
    (Area { x: 0.0, y: 0.0, width, height }, areas)
}

fn width_of(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

fn write_box(out: &mut String, area: Area, round: f64, fill: &str, line: &str) {
    let Area { x, y, width, height } = area;
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
         rx=\"{round}\" fill=\"{fill}\" stroke=\"{line}\"/>"
    );
}

fn write_centred(out: &mut String, area: Area, text: &str) {
    let at = (area.x + area.width / 2.0, area.y + area.height / 2.0 + 4.0);
    write_text(out, at, INK, "text-anchor=\"middle\"", text);
}

/// A curve between two places, level at its ends where `level`, else upright.
fn write_line(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str, level: bool) {
    let ((x, y), (to_x, to_y)) = (from, to);
    let (bend_x, bend_y) = match level {
        true => (((to_x - x) / 2.0).max(10.0), 0.0),
        false => (0.0, ((to_y - y) / 2.0).max(14.0)),
    };
    let _ = writeln!(
        out,
        "<path d=\"M{x:.1} {y:.1}C{:.1} {:.1} {:.1} {:.1} {to_x:.1} {to_y:.1}\" fill=\"none\" \
         stroke=\"{colour}\" stroke-width=\"1.3\"/>",
        x + bend_x,
        y + bend_y,
        to_x - bend_x,
        to_y - bend_y
    );
}
