//! Reports in words and pictures what an evaluation would run.

mod picture;

use crate::array::AnyArray;
use crate::backend::{Compiled, Device, Origin};
use crate::dtype::DType;
use crate::error::Error;
use crate::eval::shards::{Traffic, described};
use crate::eval::{Ready, Unasked, prepare};
use crate::graph::{Node, NodeOp};
use crate::kernel::{self, AxisKind};
use crate::plan::{Graph, GraphArg, KernelStep, LibraryStep, Place, Step};
use crate::report::size;
use picture::Drawing;
use rustc_hash::FxHashSet;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

/// What [`explain`] found: the kernels and library calls of an evaluation, what they read and
/// write, and where their code came from. Print it for all of that as text.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    device: Option<Device>,
    /// Over several devices, what is moved; everything else is the first share's.
    traffic: Option<Traffic>,
    steps: Vec<Report>,
    /// What nobody asked for and is stored all the same.
    kept: Vec<String>,
    /// What the program holds and would be computed again.
    again: Vec<String>,
    dot: String,
    drawing: Drawing,
    error: Option<Error>,
}

/// One kernel or library call of an [`Explanation`].
#[derive(Clone, Debug)]
struct Report {
    reads: Vec<String>,
    writes: Vec<String>,
    bytes_read: usize,
    bytes_written: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Kernel(KernelReport),
    Library { name: &'static str, library: String },
}

/// What only kernels have.
#[derive(Clone, Debug)]
struct KernelReport {
    name: String,
    axes: String,
    launches: u32,
    schedule: String,
    origin: Origin,
    source: Arc<str>,
    ir: String,
}

/// Plans and compiles the evaluation of some arrays together, runs nothing, and says what would
/// run.
///
/// **Laziness**: plans and compiles; evaluates nothing. What is planned here is found by the
/// evaluation that follows.
///
/// Beside the steps the text says what is *kept*, stored although nobody asked for it, and what
/// the program holds and is *not kept*: whoever asks for it later computes it again, once.
///
/// The plan is one for everything that is yet to be computed. An evaluation of a long run of
/// assignments whose regions grow, or differ in their sizes alone, goes assignment by assignment
/// instead.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::<f64>::linspace(-1.0, 1.0, 1000).broadcast_to([50, 1000]);
/// let e = (&x - x.max(keep(-1))).exp();
/// let softmax = &e / e.sum(keep(-1));
/// let plan = lazuli::explain(&[&softmax]);
/// assert_eq!(plan.kernels(), 1);
/// assert_eq!(plan.bytes_read(), 0);
/// println!("{plan}");
/// ```
pub fn explain(arrays: &[&dyn AnyArray]) -> Explanation {
    let mut nodes: Vec<Arc<Node>> = arrays.iter().map(|a| a.any_node().0.clone()).collect();
    let mut traffic = None;
    if nodes.first().is_some_and(|node| node.device.is_placed()) {
        nodes.retain(|node| !node.device.differs(arrays[0].any_node().0.device));
        match described(&nodes) {
            Ok((moved, own)) => (traffic, nodes) = (Some(moved), own),
            Err(error) => return Explanation { error: Some(error), ..Explanation::default() },
        }
    }
    match prepare(&nodes) {
        Ok(None) => Explanation::default(),
        Ok(Some((prepared, graph, unasked, device))) => {
            let Unasked { kept, again } = unasked;
            let what = |n: &u32| {
                let node = &graph.nodes[*n as usize];
                format!("{} {}{:?}", node.op.name(), node.dtype, &node.shape[..])
            };
            let steps = prepared.plan.steps.iter().zip(&prepared.ready);
            let report = |(step, ready): (&Step, &Ready)| match (step, ready) {
                (Step::Kernel(step), Ready::Kernel(compiled)) => report(&graph, step, compiled),
                (Step::Library(step), Ready::Library(call)) => {
                    library_report(&graph, step, call.describe())
                }
                (Step::Library(step), Ready::Turns(turns)) => {
                    library_report(&graph, step, turns.describe())
                }
                _ => unreachable!("each step was made ready as what it is"),
            };
            let steps: Vec<Report> = steps.map(report).collect();
            let titles = steps.iter().map(Report::title).collect();
            Explanation {
                device: Some(device),
                traffic,
                steps,
                kept: kept.iter().map(what).collect(),
                again: again.iter().map(what).collect(),
                dot: dot(&graph),
                drawing: Drawing::new(&graph, &prepared.plan.steps, titles),
                error: None,
            }
        }
        Err(error) => Explanation { error: Some(error), ..Explanation::default() },
    }
}

impl Explanation {
    /// The number of kernels.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 9);
    /// assert_eq!(explain(&[&x.sin().sum(..)]).kernels(), 1);
    /// ```
    pub fn kernels(&self) -> usize {
        self.kernel_reports().count()
    }

    /// The number of library calls.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f64>::ones([4, 4]);
    /// assert_eq!(explain(&[&x.matmul(&x)]).library_calls(), 1);
    /// ```
    pub fn library_calls(&self) -> usize {
        self.steps.len() - self.kernels()
    }

    /// The number of launches of kernels, second steps of reductions among them.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let plan = explain(&[&DeviceArray::<f64>::linspace(0.0, 1.0, 9).exp()]);
    /// assert_eq!(plan.launches(), 1);
    /// ```
    pub fn launches(&self) -> usize {
        self.kernel_reports().map(|k| k.launches as usize).sum()
    }

    /// The bytes that kernels and library calls read from the device's memory, every input once; of
    /// a stored array of which views read a part, the bytes from about there to the part's end.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0f64, 2.0])?;
    /// assert_eq!(explain(&[&x.exp()]).bytes_read(), 16);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bytes_read(&self) -> usize {
        self.steps.iter().map(|s| s.bytes_read).sum()
    }

    /// The pieces of arrays over several devices that go from one to another: halos, parts of sums. The
    /// kernels and library calls of such an evaluation are those of the first share.
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let x = DeviceArray::<f64>::arange_to(8.0).to(Mesh::processors(2)?.shard(0))?;
    /// x.eval()?;
    /// let plan = explain(&[&(x.roll(1, 0) + &x)]);
    /// assert_eq!((plan.moves(), plan.bytes_moved()), (2, 16));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn moves(&self) -> usize {
        self.traffic.as_ref().map_or(0, |traffic| traffic.moves)
    }

    /// The bytes of what goes from one device to another: see [`moves`](Self::moves).
    ///
    /// # Example
    /// ```
    /// use lazuli::{Mesh, prelude::*};
    /// let x = DeviceArray::<f64>::ones_on(Mesh::processors(2)?.shard(0), 8);
    /// assert_eq!(explain(&[&(&x * 2.0)]).bytes_moved(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bytes_moved(&self) -> usize {
        self.traffic.as_ref().map_or(0, |traffic| traffic.bytes)
    }

    /// The bytes that kernels and library calls write to the device's memory.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0f64, 2.0])?;
    /// assert_eq!(explain(&[&x.greater(1.0)]).bytes_written(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bytes_written(&self) -> usize {
        self.steps.iter().map(|s| s.bytes_written).sum()
    }

    /// The code of each kernel: CUDA C++ on a GPU, the list of tile instructions on the
    /// processor.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// explain(&[&x.exp()]).sources().for_each(|source| println!("{source}"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.kernel_reports().map(|k| &*k.source)
    }

    /// The kernels in the planner's own notation, the same for every device.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// assert_eq!(explain(&[&x.exp()]).loop_nests().count(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn loop_nests(&self) -> impl Iterator<Item = &str> {
        self.kernel_reports().map(|k| &*k.ir)
    }

    fn kernel_reports(&self) -> impl Iterator<Item = &KernelReport> {
        self.steps.iter().filter_map(|step| match &step.what {
            What::Kernel(kernel) => Some(kernel),
            What::Library { .. } => None,
        })
    }

    /// The expression graph in Graphviz's DOT language.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// assert!(explain(&[&x.exp()]).dot().starts_with("digraph"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn dot(&self) -> &str {
        &self.dot
    }

    /// The plan as a picture: kernels and library calls as boxes around the operations that they
    /// compute, between the arrays in memory. Of kernels with very many operations the last ones are
    /// drawn.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// let svg = explain(&[&(x.exp() * 2.0).sum(..)]).svg();
    /// assert!(svg.starts_with("<svg") && svg.contains(">exp<"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn svg(&self) -> String {
        let title = match (&self.error, self.device) {
            (Some(error), _) => format!("no plan: {error}"),
            (None, None) => "nothing to run: the data is there".to_owned(),
            (None, Some(device)) => format!(
                "{} and {} on {device}: {} read, {} written",
                plural(self.kernels(), "kernel"),
                plural(self.library_calls(), "library call"),
                size(self.bytes_read() as f64),
                size(self.bytes_written() as f64)
            ),
        };
        self.drawing.svg(&title)
    }

    /// Why there is no plan, if planning or compiling failed.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// assert!(explain(&[&x.exp()]).error().is_none());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = &self.error {
            return write!(f, "no plan: {error}");
        }
        let Some(device) = self.device else {
            return write!(f, "nothing to run: the data is there");
        };
        if let Some(traffic) = &self.traffic {
            let moved = plural(traffic.moves, "piece");
            let (bytes, waits) = (size(traffic.bytes as f64), plural(traffic.waits, "wait"));
            let (device, way) = (traffic.device, traffic.way);
            writeln!(f, "{device}: {moved} of {bytes} moved{way}, {waits}; the first share:")?;
        }
        write!(
            f,
            "{} on {device}, {} launched, ",
            plural(self.kernels(), "kernel"),
            self.launches()
        )?;
        if self.library_calls() > 0 {
            write!(f, "{}, ", plural(self.library_calls(), "library call"))?;
        }
        write!(
            f,
            "{} read, {} written",
            size(self.bytes_read() as f64),
            size(self.bytes_written() as f64)
        )?;
        for (k, step) in self.steps.iter().enumerate() {
            match &step.what {
                What::Kernel(kernel) => {
                    write!(f, "\nkernel {}, {}: {}", k + 1, kernel.name, kernel.axes)?;
                }
                What::Library { name, .. } => write!(f, "\nlibrary call {}: {name}", k + 1)?,
            }
            for (label, arrays) in [("reads", &step.reads), ("writes", &step.writes)] {
                if !arrays.is_empty() {
                    write!(f, "\n  {label:<8} {}", arrays.join(", "))?;
                }
            }
            match &step.what {
                What::Kernel(kernel) => kernel.write(f)?,
                What::Library { library, .. } => write!(f, "\n  library  {library}")?,
            }
        }
        if !self.kept.is_empty() {
            write!(f, "\nkept: {}", self.kept.join(", "))?;
        }
        if !self.again.is_empty() {
            write!(f, "\nnot kept: {}", self.again.join(", "))?;
        }
        Ok(())
    }
}

impl Report {
    /// What stands above the step in a picture.
    fn title(&self) -> String {
        match &self.what {
            What::Kernel(kernel) => format!("{}  ({})", kernel.name, kernel.axes),
            What::Library { name, .. } => format!("library: {name}"),
        }
    }
}

impl KernelReport {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = match self.origin {
            Origin::Compiled => "compiled now",
            Origin::Disk => "from the cache on disk",
            Origin::Memory => "from the cache in memory",
            Origin::Interpreted => "nothing to compile",
        };
        write!(f, "\n  schedule {}\n  code     {origin}", self.schedule)
    }
}

fn report(graph: &Graph, step: &KernelStep, compiled: &Compiled) -> Report {
    let kernel = &step.kernel;
    let list = |kind: AxisKind, label: &str| {
        let extents: Vec<String> =
            kernel.axes_of(kind).iter().map(|k| kernel.axes[k].extent.to_string()).collect();
        (!extents.is_empty()).then(|| format!("{label} {}", extents.join(" × ")))
    };
    let parts: Vec<String> = [
        list(AxisKind::Parallel, "parallel"),
        list(AxisKind::Reduce, "reduced"),
        list(AxisKind::Serial, "serial"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut axes = if parts.is_empty() { "one element".to_owned() } else { parts.join(", ") };
    let sweeps = kernel.phases().sweeps.len();
    if sweeps > 1 {
        let _ = write!(axes, ", {sweeps} sweeps");
    }
    let reads = step.inputs.iter().map(|&place| read(graph, place));
    let writes = step.outputs.iter().map(|&n| {
        let place = if step.in_place.iter().any(|p| p.0 == n) { " in place" } else { "" };
        format!("{}{place}", named(graph, n))
    });
    let texts = (compiled.texts)();
    Report {
        reads: reads.collect(),
        writes: writes.collect(),
        bytes_read: step.bytes_read(),
        bytes_written: step.bytes_written(),
        what: What::Kernel(KernelReport {
            name: kernel::name::name(kernel),
            axes,
            launches: compiled.launches,
            schedule: texts.schedule,
            origin: compiled.origin,
            source: texts.source,
            ir: kernel.to_string(),
        }),
    }
}

fn library_report(graph: &Graph, step: &LibraryStep, library: String) -> Report {
    let bytes = |place: &Place| output(graph, *place).map_or(0, |(len, dtype)| len * dtype.size());
    let outputs = step.call.outputs();
    Report {
        reads: step.inputs.iter().map(|&place| read(graph, place)).collect(),
        writes: match outputs.len() {
            1 => vec![named(graph, step.node)],
            _ => outputs.iter().map(|(n, dtype)| format!("%{} {dtype}[{n}]", step.node)).collect(),
        },
        bytes_read: step.inputs.iter().map(bytes).sum(),
        bytes_written: outputs.iter().map(|(n, dtype)| n * dtype.size()).sum(),
        what: What::Library { name: step.call.name(), library },
    }
}

/// The elements and the type of a stored array.
fn output(graph: &Graph, place: Place) -> Option<(usize, DType)> {
    let (n, part) = match place {
        Place::Leaf(leaf) => {
            let node = graph.nodes.iter().find(|n| n.leaf == Some(leaf))?;
            return Some((node.shape.iter().product(), node.dtype));
        }
        Place::Node(n) => (n, 0),
        Place::Part(n, part) => (n, part),
    };
    let node = &graph.nodes[n as usize];
    match &node.op {
        NodeOp::Library(call) => call.outputs().get(part as usize).copied(),
        _ => Some((node.shape.iter().product(), node.dtype)),
    }
}

/// An array that a step reads.
fn read(graph: &Graph, place: Place) -> String {
    match place {
        Place::Leaf(leaf) => {
            let node = graph.nodes.iter().find(|n| n.leaf == Some(leaf));
            node.map_or_else(String::new, |n| match n.window {
                Some(reach) if reach < n.len() => {
                    format!("{reach} of {}{:?}", n.dtype, &n.shape[..])
                }
                _ => format!("{}{:?}", n.dtype, &n.shape[..]),
            })
        }
        Place::Node(n) => named(graph, n),
        Place::Part(n, part) => match output(graph, place) {
            Some((len, dtype)) => format!("%{n}.{part} {dtype}[{len}]"),
            None => String::new(),
        },
    }
}

/// An array of the graph by number, type and shape.
fn named(graph: &Graph, n: u32) -> String {
    let node = &graph.nodes[n as usize];
    format!("%{n} {}{:?}", node.dtype, &node.shape[..])
}

fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// The graph in Graphviz's DOT language: data as boxes, stored results with a double frame.
fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph lazuli {\n  rankdir=BT;\n");
    let args = graph.nodes.iter().filter(|node| node.leaf.is_none()).flat_map(|node| &node.args);
    let read: FxHashSet<GraphArg> = args.copied().collect();
    for (n, node) in graph.nodes.iter().enumerate() {
        // What is known by its windows alone is not read itself.
        if node.leaf.is_some() && !read.contains(&GraphArg::Node(n as u32)) {
            continue;
        }
        let label = match &node.op {
            _ if node.leaf.is_some() => "data".to_owned(),
            op => op.name(),
        };
        let shape = match node.leaf {
            Some(_) => "shape=box",
            None if graph.roots.contains(&(n as u32)) => "peripheries=2",
            None => "shape=ellipse",
        };
        let _ = writeln!(
            out,
            "  n{n} [{shape}, label=\"{label}\\n{}{:?}\"];",
            node.dtype,
            &node.shape[..]
        );
        for arg in &node.args {
            if let (GraphArg::Node(a), None) = (arg, node.leaf) {
                let _ = writeln!(out, "  n{a} -> n{n};");
            }
        }
    }
    out.push_str("}\n");
    out
}
