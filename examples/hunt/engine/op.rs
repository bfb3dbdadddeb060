//! Programs: what a node computes, as data that can be changed, run, interpreted and printed.

use super::value::{Host, Kind, V};

/// Part of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// From `start` to before `end`, both counted from the beginning; backwards for a negative step.
    Range { start: usize, end: usize, step: isize },
    /// One position.
    Index(isize),
}

/// How the margin of a padding is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    Constant(V),
    Edge,
    Reflect,
    Wrap,
}

/// What a node computes from its arguments.
#[derive(Clone, Debug)]
pub enum Op {
    /// Data of the host.
    Input(Host),
    /// One value everywhere.
    Full(Kind, Vec<usize>, V),
    /// The numbers from 0 on.
    Range(Kind, usize),
    /// Random numbers of a seed, behind so many that were drawn before; their values were drawn by
    /// themselves.
    Draw {
        law: &'static str,
        seed: u64,
        skip: usize,
        values: Host,
    },
    /// An operation of the table, by its method's name.
    Map(&'static str),
    Select,
    Cast(Kind),
    Ldexp,
    Slice(Vec<Part>),
    Permute(Vec<usize>),
    Reshape(Vec<usize>),
    Broadcast(Vec<usize>),
    InsertAxis(usize),
    Flip(usize),
    Roll(isize, usize),
    Repeat(usize, usize),
    Tile(Vec<usize>),
    Windows(usize, usize),
    Diagonal(isize, usize, usize),
    Pad(Vec<(usize, usize)>, Margin),
    Take(Vec<i64>, usize),
    /// By positions in the second argument.
    TakeBy(usize),
    TakeClipped(usize),
    TakeAlong(usize),
    Concat(usize),
    Stack(usize),
    Assign(Vec<Part>),
    AssignWhere,
    Reduce {
        name: &'static str,
        axes: Vec<usize>,
        keep: bool,
    },
    Scan {
        name: &'static str,
        axis: usize,
        reverse: bool,
        exclusive: bool,
    },
    Sort {
        axis: usize,
        down: bool,
    },
    Argsort {
        axis: usize,
        down: bool,
    },
    TopK {
        k: usize,
        axis: usize,
        positions: bool,
    },
    /// Values put or combined at positions of the axis.
    Scatter {
        name: &'static str,
        positions: Vec<i64>,
        axis: usize,
    },
    Search {
        right: bool,
    },
    Bincount(usize),
    Matmul,
    /// A function of `functions.rs`.
    User(&'static str),
    /// A fold of `functions.rs` over an axis, or its scan.
    UserFold {
        axis: usize,
        scan: bool,
    },
}

/// A node of a program.
#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub args: Vec<usize>,
    /// Its value by the interpreter.
    pub value: Host,
}

/// A program: nodes in order, and those whose values are asked for.
#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub nodes: Vec<Node>,
    pub outputs: Vec<usize>,
}
