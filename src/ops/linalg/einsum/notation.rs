//! The notation of Einstein sums.

use crate::error::{Error, Result};
use crate::graph::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// The name of an axis: a letter, or a place under `...`, counted from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Label {
    /// An axis under `...`.
    Dots(usize),
    /// A letter.
    Letter(char),
}

/// What a sum says: the axes of every operand and of the result.
#[derive(Debug, PartialEq)]
pub(super) struct Notation {
    /// The labels of each operand's axes.
    pub operands: Vec<Vec<Label>>,
    /// The labels of the result's axes.
    pub result: Vec<Label>,
}

fn wrong(text: &str, why: impl std::fmt::Display) -> Error {
    Error::shape(format!("einsum: {text:?}: {why}"))
}

impl Notation {
    /// Reads the notation for operands of the given numbers of axes.
    pub(super) fn parse(text: &str, ranks: &[usize]) -> Result<Notation> {
        let clean: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = match clean.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (&clean[..], None),
        };
        let terms: Vec<&str> = left.split(',').collect();
        if terms.len() != ranks.len() || ranks.is_empty() {
            let (named, given) = (terms.len(), ranks.len());
            return Err(wrong(text, format!("{named} operands are named, {given} given")));
        }
        let mut operands = Vec::new();
        for (k, (term, &rank)) in terms.iter().zip(ranks).enumerate() {
            let labels = labels(text, term, Some(rank))?;
            if labels.len() != rank {
                let named = labels.len();
                return Err(wrong(
                    text,
                    format!("operand {k} has {rank} axes, and {term:?} names {named}"),
                ));
            }
            operands.push(labels);
        }
        let dots = |l: &Vec<Label>| l.iter().filter(|l| matches!(l, Label::Dots(_))).count();
        let widest = operands.iter().map(dots).max().unwrap_or(0);
        let result = match right {
            Some(term) => labels(text, term, None)?
                .into_iter()
                .flat_map(|label| match label {
                    Label::Dots(usize::MAX) => (0..widest).rev().map(Label::Dots).collect(),
                    label => vec![label],
                })
                .collect(),
            None => implicit(&operands, widest),
        };
        for (k, label) in result.iter().enumerate() {
            if let Label::Letter(letter) = label {
                if result[..k].contains(label) {
                    return Err(wrong(text, format!("{letter:?} is twice in the result")));
                }
                if !operands.iter().any(|o| o.contains(label)) {
                    return Err(wrong(text, format!("{letter:?} of the result is in no operand")));
                }
            }
        }
        if right.is_some_and(|term| !term.contains("...")) && widest > 0 {
            return Err(wrong(text, "the axes under ... are missing from the result"));
        }
        Ok(Notation { operands, result })
    }

    /// The length of each axis.
    pub(super) fn lengths(&self, text: &str, nodes: &[Arc<Node>]) -> Result<HashMap<Label, usize>> {
        let mut lengths: HashMap<Label, usize> = HashMap::new();
        for (node, labels) in nodes.iter().zip(&self.operands) {
            for (label, &n) in labels.iter().zip(&node.shape) {
                let known = lengths.entry(*label).or_insert(n);
                match (*known, n) {
                    (known, n) if known == n => {}
                    (1, n) => *known = n,
                    (_, 1) => {}
                    (known, n) => {
                        let name = match label {
                            Label::Letter(letter) => format!("the axis {letter:?}"),
                            Label::Dots(_) => "an axis under ...".to_owned(),
                        };
                        return Err(wrong(text, format!("{name} is {known} long and {n} long")));
                    }
                }
            }
        }
        Ok(lengths)
    }
}

/// The letters that occur once, after the axes under `...`.
fn implicit(operands: &[Vec<Label>], widest: usize) -> Vec<Label> {
    let all: Vec<Label> = operands.concat();
    let once = |l: &Label| {
        matches!(l, Label::Letter(_)) && all.iter().filter(|other| *other == l).count() == 1
    };
    let mut letters: Vec<Label> = all.iter().copied().filter(once).collect();
    letters.sort();
    (0..widest).rev().map(Label::Dots).chain(letters).collect()
}

/// The labels of one operand, or of the result, where `...` becomes a mark.
fn labels(text: &str, term: &str, rank: Option<usize>) -> Result<Vec<Label>> {
    let dots = term.find("...");
    let letters: String = term.replacen("...", "", 1);
    if let Some(bad) = letters.chars().find(|c| !c.is_ascii_alphabetic()) {
        let why = match bad {
            '.' => "... stands once in an operand, and alone".to_owned(),
            '>' | '-' => "-> stands once, before the result".to_owned(),
            ',' => "the result has one term".to_owned(),
            _ => format!("{bad:?} is not a letter"),
        };
        return Err(wrong(text, why));
    }
    let mut labels: Vec<Label> = letters.chars().map(Label::Letter).collect();
    if let Some(at) = dots {
        let under = match rank {
            Some(rank) => {
                let rest = rank.checked_sub(labels.len());
                let rest = rest.ok_or_else(|| {
                    wrong(text, format!("{term:?} names more axes than the operand's {rank}"))
                })?;
                (0..rest).rev().map(Label::Dots).collect()
            }
            None => vec![Label::Dots(usize::MAX)],
        };
        labels.splice(at..at, under);
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str, ranks: &[usize]) -> String {
        let one = |l: &Label| match l {
            Label::Letter(c) => c.to_string(),
            Label::Dots(k) => k.to_string(),
        };
        Notation::parse(text, ranks).unwrap().result.iter().map(one).collect()
    }

    #[test]
    fn results_are_read_or_implied() {
        assert_eq!(result("ij,jk->ki", &[2, 2]), "ki");
        assert_eq!(result("ij, jk", &[2, 2]), "ik");
        assert_eq!(result("ba", &[2]), "ab");
        assert_eq!(result("ii", &[2]), "");
        assert_eq!(result("...ij,...jk", &[4, 3]), "10ik");
        assert_eq!(result("i...->...i", &[3]), "10i");
        assert_eq!(result("->", &[0]), "");
    }

    #[test]
    fn what_is_not_notation() {
        let message =
            |text: &str, ranks: &[usize]| Notation::parse(text, ranks).unwrap_err().to_string();
        assert!(message("ij,jk", &[2]).contains("2 operands are named, 1 given"));
        assert!(message("ijk", &[2]).contains("operand 0 has 2 axes, and \"ijk\" names 3"));
        assert!(message("ij->ik", &[2]).contains("'k' of the result is in no operand"));
        assert!(message("ij->ii", &[2]).contains("twice"));
        assert!(message("i1", &[2]).contains("'1' is not a letter"));
        assert!(message("i..j", &[2]).contains("..."));
        assert!(message("ij->i->j", &[2]).contains("->"));
        assert!(message("ij...k", &[2]).contains("more axes"));
        assert!(message("...i->i", &[2]).contains("missing"));
    }
}
