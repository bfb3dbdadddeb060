//! Einstein sums: the notation, the order of the contractions, each contraction.

use super::matmul::{matmul, multiplied_sum, swapped};
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::ops::movement::{diagonal, permute};
use crate::shape::{MAX_RANK, Shape, checked_len};
use crate::table::{Op, Reduction};
use notation::{Label, Notation};
use std::sync::Arc;

mod notation;

checked_fns! {
    /// A sum of products in Einstein's notation: `"ij,jk->ik"` multiplies matrices.
    ///
    /// Every letter names an axis; axes of one letter have one length (or 1, which broadcasts).
    /// What is missing from the result is summed over. Without `->` the result has the letters
    /// that occur once, in the alphabet's order. `...` stands for any axes, which broadcast. A
    /// letter that occurs twice in an operand takes its diagonal; spaces do not matter.
    ///
    /// Several operands are contracted two at a time, each time the pair that makes the least of
    /// its operands; a contraction that is a product of matrices goes to the library, the others
    /// are one kernel each and store no product.
    ///
    /// **Shape.** That of the result's letters. **Dtype.** The arrays'; sums of integers wrap, and
    /// do not widen. NumPy: `einsum`, with `optimize=True`.
    example
    /// ```
    /// use lazuli::{linalg::einsum, prelude::*};
    /// let a = DeviceArray::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(einsum("ij,jk->ik", &[&a, &a]).to_vec()?, [7, 10, 15, 22]);
    /// assert_eq!(einsum("ii", &[&a]).item()?, 5);
    /// assert_eq!(einsum("ij->ji", &[&a]).to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn einsum | try_einsum<T: Number>(notation: &str, operands: &[&DeviceArray<T>]) -> DeviceArray<T> {
        let nodes: Vec<Arc<Node>> = operands.iter().map(|a| a.node().clone()).collect();
        sum_of_products(notation, &nodes).map(DeviceArray::from_node)
    }
}

/// An operand with the labels of its axes, all different.
#[derive(Clone)]
struct Operand {
    node: Arc<Node>,
    labels: Vec<Label>,
}

#[track_caller]
fn sum_of_products(text: &str, nodes: &[Arc<Node>]) -> Result<Arc<Node>> {
    let ranks: Vec<usize> = nodes.iter().map(|n| n.shape.len()).collect();
    let notation = Notation::parse(text, &ranks)?;
    if let Some(other) = nodes.iter().find(|n| n.device.differs(nodes[0].device)) {
        return Err(record::devices_differ("einsum", nodes[0].device, other.device));
    }
    let lengths = notation.lengths(text, nodes)?;
    let shape: Shape = notation.result.iter().map(|label| lengths[label]).collect();
    if shape.len() > MAX_RANK {
        return Err(Error::shape(format!("einsum: {text:?} has a result of too many axes")));
    }
    checked_len("einsum", &shape)?;
    let mut operands: Vec<Operand> = Vec::new();
    for (node, labels) in nodes.iter().zip(&notation.operands) {
        let own = Operand { node: node.clone(), labels: labels.clone() };
        operands.push(own.without_units(|label| lengths[&label] > 1).with_diagonals());
    }
    while operands.len() > 1 {
        let (i, j) = cheapest(&operands, &notation.result);
        let right = operands.remove(j);
        let left = operands.remove(i);
        let needed = |label: Label| {
            notation.result.contains(&label) || operands.iter().any(|o| o.labels.contains(&label))
        };
        let product = contract(left.summed(needed_with(&needed, &right)), right.clone(), &needed)?;
        operands.push(product);
    }
    let last = operands.remove(0).summed(|label| notation.result.contains(&label));
    Ok(last.arranged(&notation.result, &shape))
}

/// What one operand of a pair keeps: what is needed later, and what the other one has.
fn needed_with<'a>(
    needed: &'a impl Fn(Label) -> bool,
    other: &'a Operand,
) -> impl Fn(Label) -> bool + 'a {
    move |label| needed(label) || other.labels.contains(&label)
}

/// The pair whose product is smallest beside its operands.
fn cheapest(operands: &[Operand], result: &[Label]) -> (usize, usize) {
    let cost = |i: usize, j: usize| -> f64 {
        let (a, b) = (&operands[i], &operands[j]);
        let later = |label: &Label| {
            let others = operands.iter().enumerate().filter(|o| o.0 != i && o.0 != j);
            result.contains(label) || others.into_iter().any(|o| o.1.labels.contains(label))
        };
        let mut size = 1.0;
        for (label, &n) in a.labels.iter().zip(&a.node.shape) {
            size *= if later(label) { n as f64 } else { 1.0 };
        }
        for (label, &n) in b.labels.iter().zip(&b.node.shape) {
            let own = later(label) && !a.labels.contains(label);
            size *= if own { n as f64 } else { 1.0 };
        }
        size - a.node.len() as f64 - b.node.len() as f64
    };
    let pairs = (0..operands.len()).flat_map(|i| (i + 1..operands.len()).map(move |j| (i, j)));
    pairs.min_by(|x, y| cost(x.0, x.1).total_cmp(&cost(y.0, y.1))).unwrap_or((0, 1))
}

/// The product of two operands, summed over what they share and nobody needs any more.
fn contract(a: Operand, b: Operand, needed: &impl Fn(Label) -> bool) -> Result<Operand> {
    let b = b.summed(needed_with(needed, &a));
    let shared = |label: &Label| a.labels.contains(label) && b.labels.contains(label);
    let over: Vec<Label> = a.labels.iter().copied().filter(|l| shared(l) && !needed(*l)).collect();
    let batch: Vec<Label> = a.labels.iter().copied().filter(|l| shared(l) && needed(*l)).collect();
    let free = |x: &Operand| -> Vec<Label> {
        x.labels.iter().copied().filter(|l| !over.contains(l) && !batch.contains(l)).collect()
    };
    let (rows, columns) = (free(&a), free(&b));
    let length =
        |x: &Operand, labels: &[Label]| -> usize { labels.iter().map(|l| x.length(*l)).product() };
    let labels: Vec<Label> = batch.iter().chain(&rows).chain(&columns).copied().collect();
    let lengths: Shape = labels
        .iter()
        .map(|l| if a.labels.contains(l) { a.length(*l) } else { b.length(*l) })
        .collect();
    checked_len("einsum", &lengths)?;
    let (m, n, k) = (length(&a, &rows), length(&b, &columns), length(&a, &over));
    let inexact = a.node.dtype.is_float() || a.node.dtype.is_complex();
    let node = if over.is_empty() || !inexact || m.min(n) <= 1 || k == 0 {
        // The rows, the columns and the sum's axis of each operand, broadcast along the others'.
        let order = |free: &[Label]| -> Vec<Label> {
            batch.iter().chain(free).chain(&over).copied().collect()
        };
        let lead: Vec<usize> = batch.iter().map(|l| a.length(*l)).collect();
        let as_factor = |x: &Operand, free: &[Label], own: [usize; 2]| {
            let shape = lead.iter().copied().chain(own).chain([k]).collect();
            record::reshape(&x.permuted(&order(free)), shape)
        };
        let (left, right) = (as_factor(&a, &rows, [m, 1]), as_factor(&b, &columns, [1, n]));
        match over.is_empty() {
            true => {
                let product = record::binary(Op::Multiply, &left, &right)?;
                record::reduce(Reduction::Sum, &product, 1 << (product.shape.len() - 1))
            }
            false => multiplied_sum("einsum", &left, &right)?,
        }
    } else {
        let left = a.as_matrices(&batch, &rows, &over, [m, k]);
        let right = b.as_matrices(&batch, &over, &columns, [k, n]);
        matmul("einsum", &left, &right)?
    };
    Ok(Operand { node: record::reshape(&node, lengths), labels })
}

impl Operand {
    fn length(&self, label: Label) -> usize {
        let at = self.labels.iter().position(|l| *l == label).expect("the operand has the label");
        self.node.shape[at]
    }

    /// Without the axes of length 1 that broadcast.
    fn without_units(self, longer: impl Fn(Label) -> bool) -> Operand {
        let shape = self.node.shape.clone();
        let keep = |k: &usize| shape[*k] != 1 || !longer(self.labels[*k]);
        let kept: Vec<usize> = (0..shape.len()).filter(keep).collect();
        let lengths = kept.iter().map(|&k| shape[k]).collect();
        let labels = kept.iter().map(|&k| self.labels[k]).collect();
        Operand { node: record::reshape(&self.node, lengths), labels }
    }

    /// With the diagonals of what occurs more than once.
    fn with_diagonals(mut self) -> Operand {
        loop {
            let labels = &self.labels;
            let again = |&(i, j): &(usize, usize)| labels[i] == labels[j];
            let mut pairs =
                (0..labels.len()).flat_map(|i| (i + 1..labels.len()).map(move |j| (i, j)));
            let Some((i, j)) = pairs.find(again) else { return self };
            self.node = diagonal(&self.node, 0, i, j);
            let label = self.labels.remove(j);
            self.labels.remove(i);
            self.labels.push(label);
        }
    }

    /// Summed over what is not needed.
    fn summed(self, needed: impl Fn(Label) -> bool) -> Operand {
        let over: Vec<usize> =
            (0..self.labels.len()).filter(|&k| !needed(self.labels[k])).collect();
        let mask = over.iter().fold(0u32, |mask, k| mask | 1 << k);
        if mask == 0 {
            return self;
        }
        let node = match self.node.dtype {
            // Sums of bytes and the like stay what they are, as in a product of matrices.
            DType::Bool => record::reduce(Reduction::Any, &self.node, mask),
            _ => record::reduce(Reduction::Sum, &self.node, mask),
        };
        Operand { node, labels: self.labels.into_iter().filter(|l| needed(*l)).collect() }
    }

    /// The axes in the order of the labels.
    #[track_caller]
    fn permuted(&self, labels: &[Label]) -> Arc<Node> {
        let at = |label: &Label| self.labels.iter().position(|l| l == label);
        let order: Vec<usize> = labels.iter().filter_map(at).collect();
        match order.iter().copied().eq(0..order.len()) {
            true => self.node.clone(),
            false => permute(&self.node, &order),
        }
    }

    /// A batch of matrices; a transposed view where the columns' axes lie before the rows'.
    #[track_caller]
    fn as_matrices(
        &self,
        batch: &[Label],
        rows: &[Label],
        columns: &[Label],
        [m, n]: [usize; 2],
    ) -> Arc<Node> {
        let lead: Vec<usize> = batch.iter().map(|l| self.length(*l)).collect();
        let shape = |own: [usize; 2]| lead.iter().copied().chain(own).collect();
        let order = |first: &[Label], second: &[Label]| -> Vec<Label> {
            batch.iter().chain(first).chain(second).copied().collect()
        };
        let turned = order(columns, rows);
        if turned == self.labels && order(rows, columns) != self.labels {
            return swapped(&record::reshape(&self.node, shape([n, m])));
        }
        // Axes that are single may stay where they are, and be transposed by strides.
        let direct = order(rows, columns);
        if rows.len() == 1 && columns.len() == 1 {
            return self.permuted(&direct);
        }
        record::reshape(&self.permuted(&direct), shape([m, n]))
    }

    /// The axes in the result's order, those of length 1 that were left out put back.
    #[track_caller]
    fn arranged(&self, result: &[Label], shape: &Shape) -> Arc<Node> {
        record::reshape(&self.permuted(result), shape.clone())
    }
}
