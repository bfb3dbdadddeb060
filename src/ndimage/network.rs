//! Networks of comparisons that bring one element of an order to its place.

/// A comparison of two lanes, after which the lesser value stands in `low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) low: usize,
    pub(super) high: usize,
    /// Whether anybody needs the lesser value.
    pub(super) keeps_low: bool,
    /// Whether anybody needs the greater value.
    pub(super) keeps_high: bool,
}

/// The comparisons that sort a number of lanes.
pub(super) struct Network {
    lanes: usize,
    pairs: Vec<(usize, usize)>,
}

impl Network {
    /// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M),
    /// which sorts any number of lanes.
    pub(super) fn new(lanes: usize) -> Network {
        let mut pairs = Vec::new();
        let top = lanes.next_power_of_two() / 2;
        let mut p = top;
        while p > 0 {
            let (mut q, mut r, mut d) = (top, 0, p);
            loop {
                for i in (0..lanes.saturating_sub(d)).filter(|i| i & p == r) {
                    pairs.push((i, i + d));
                }
                if q == p {
                    break;
                }
                (d, q, r) = (q - p, q / 2, p);
            }
            p /= 2;
        }
        Network { lanes, pairs }
    }

    /// The comparisons that the lane `rank` depends on, with the half of each that matters.
    pub(super) fn toward(&self, rank: usize) -> Vec<Step> {
        let mut needed = vec![false; self.lanes];
        needed[rank] = true;
        let mut steps = Vec::new();
        for &(low, high) in self.pairs.iter().rev() {
            let (keeps_low, keeps_high) = (needed[low], needed[high]);
            if keeps_low || keeps_high {
                steps.push(Step { low, high, keeps_low, keeps_high });
                (needed[low], needed[high]) = (true, true);
            }
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the 0-1 principle a network that selects among zeros and ones selects among all values.
    #[test]
    fn every_rank_comes_to_its_place() {
        for lanes in 1..=12usize {
            let network = Network::new(lanes);
            for rank in 0..lanes {
                let steps = network.toward(rank);
                for input in 0u32..1 << lanes {
                    let mut values: Vec<u32> = (0..lanes).map(|k| input >> k & 1).collect();
                    for step in &steps {
                        let (a, b) = (values[step.low], values[step.high]);
                        // What nobody keeps may be anything.
                        values[step.low] = if step.keeps_low { a.min(b) } else { 7 };
                        values[step.high] = if step.keeps_high { a.max(b) } else { 7 };
                    }
                    let zeros = lanes - input.count_ones() as usize;
                    assert_eq!(values[rank], u32::from(rank >= zeros), "{lanes} {rank} {input:b}");
                }
            }
        }
    }
}
