//! An order of elimination that keeps factors sparse: minimum degree.
//!
//! The graph is kept as a quotient graph: what was eliminated is an *element*, which stands for the clique
//! of its neighbours, so that no edge of fill is ever stored. Degrees are those bounds from above of P. R.
//! Amestoy, T. A. Davis and I. S. Duff, SIAM J. Matrix Anal. Appl. 17 (1996), 886, that take no walk
//! through cliques.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

struct Quotient {
    /// The neighbours of each node that no element stands for.
    nodes: Vec<Vec<u32>>,
    /// The elements next to each node.
    elements: Vec<Vec<u32>>,
    /// The nodes of each element.
    cliques: Vec<Vec<u32>>,
    degrees: Vec<usize>,
    gone: Vec<bool>,
    /// When a node or an element was last met, and how many nodes of an element are then left.
    seen: Vec<u32>,
    left: Vec<usize>,
    stamp: u32,
}

/// The nodes of an undirected graph in the order in which they are eliminated. `edges` may have each
/// edge once or twice, and loops.
pub(super) fn minimum_degree(n: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<usize> {
    let mut nodes = vec![Vec::new(); n];
    for (a, b) in edges.filter(|(a, b)| a != b) {
        nodes[a as usize].push(b);
        nodes[b as usize].push(a);
    }
    for list in &mut nodes {
        list.sort_unstable();
        list.dedup();
    }
    let degrees: Vec<usize> = nodes.iter().map(Vec::len).collect();
    let mut queue: BinaryHeap<Reverse<(usize, u32)>> =
        degrees.iter().enumerate().map(|(node, &degree)| Reverse((degree, node as u32))).collect();
    let mut graph = Quotient {
        nodes,
        elements: vec![Vec::new(); n],
        cliques: vec![Vec::new(); n],
        degrees,
        gone: vec![false; n],
        seen: vec![0; n],
        left: vec![0; n],
        stamp: 0,
    };
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse((degree, node))) = queue.pop() {
        // Degrees that have changed since stand further behind.
        if graph.gone[node as usize] || graph.degrees[node as usize] != degree {
            continue;
        }
        order.push(node as usize);
        graph.eliminate(node, n - order.len());
        for &next in &graph.cliques[node as usize] {
            queue.push(Reverse((graph.degrees[next as usize], next)));
        }
    }
    order
}

impl Quotient {
    /// Makes an element of a node, of which so many others are left.
    fn eliminate(&mut self, node: u32, others: usize) {
        let at = node as usize;
        self.gone[at] = true;
        // Its clique: its neighbours, and those of its elements, which it takes in.
        self.stamp += 1;
        let inside = self.stamp;
        let mut clique = Vec::new();
        let own = std::mem::take(&mut self.nodes[at]);
        let taken = std::mem::take(&mut self.elements[at]);
        let through = taken.iter().map(|&e| std::mem::take(&mut self.cliques[e as usize]));
        for next in own.into_iter().chain(through.flatten()) {
            if !self.gone[next as usize] && self.seen[next as usize] != inside {
                self.seen[next as usize] = inside;
                clique.push(next);
            }
        }
        for &next in &clique {
            let (nodes, seen, gone) = (&mut self.nodes[next as usize], &self.seen, &self.gone);
            nodes.retain(|&k| seen[k as usize] != inside && !gone[k as usize]);
            self.elements[next as usize].retain(|e| !taken.contains(e));
        }
        // How many nodes each other element has outside of the clique. A number of an element is one of
        // a node that is gone, so that both are stamped in one list.
        for &next in &clique {
            for &element in &self.elements[next as usize] {
                let e = element as usize;
                if self.seen[e] != inside {
                    self.seen[e] = inside;
                    let gone = &self.gone;
                    self.cliques[e].retain(|&k| !gone[k as usize]);
                    self.left[e] = self.cliques[e].len();
                }
                self.left[e] -= 1;
            }
        }
        for &next in &clique {
            let left = &self.left;
            // An element within the clique says nothing more.
            self.elements[next as usize].retain(|&e| left[e as usize] > 0);
            let elements = &self.elements[next as usize];
            let outside: usize = elements.iter().map(|&e| left[e as usize]).sum();
            let bound = self.nodes[next as usize].len() + clique.len() - 1 + outside;
            let grown = self.degrees[next as usize] + clique.len() - 1;
            self.degrees[next as usize] = bound.min(grown).min(others.saturating_sub(1));
            self.elements[next as usize].push(node);
        }
        self.cliques[at] = clique;
    }
}

#[cfg(test)]
mod tests {
    use super::minimum_degree;
    use std::collections::BTreeSet;

    /// The entries of the factor of a symmetric matrix in an order.
    fn fill(n: usize, edges: &[(u32, u32)], order: &[usize]) -> usize {
        let mut graph = vec![BTreeSet::new(); n];
        for &(a, b) in edges {
            graph[a as usize].insert(b as usize);
            graph[b as usize].insert(a as usize);
        }
        let mut count = 0;
        for &node in order {
            let clique = std::mem::take(&mut graph[node]);
            count += clique.len();
            for &a in &clique {
                graph[a].remove(&node);
                graph[a].extend(clique.iter().copied().filter(|&b| b != a));
            }
        }
        count
    }

    /// A grid has much less fill than line by line, an arrow and a path have none.
    #[test]
    fn fill_is_small() {
        let k = 20u32;
        let mut grid = Vec::new();
        for i in 0..k {
            for j in 0..k {
                grid.extend((i + 1 < k).then_some((i * k + j, (i + 1) * k + j)));
                grid.extend((j + 1 < k).then_some((i * k + j, i * k + j + 1)));
            }
        }
        let n = (k * k) as usize;
        let order = minimum_degree(n, grid.iter().copied());
        let each: BTreeSet<usize> = order.iter().copied().collect();
        assert_eq!((order.len(), each.len()), (n, n));
        let lines: Vec<usize> = (0..n).collect();
        let (own, plain) = (fill(n, &grid, &order), fill(n, &grid, &lines));
        assert!(2 * own < plain, "{own} {plain}");
        let arrow: Vec<(u32, u32)> = (1..50).map(|j| (0, j)).collect();
        assert_eq!(fill(50, &arrow, &minimum_degree(50, arrow.iter().copied())), 49);
        let path: Vec<(u32, u32)> = (1..50).map(|j| (j - 1, j)).collect();
        assert_eq!(fill(50, &path, &minimum_degree(50, path.iter().copied())), 49);
        assert!(minimum_degree(0, [].into_iter()).is_empty());
        let alone = minimum_degree(3, [(1, 1)].into_iter());
        assert_eq!(alone.len(), 3);
    }
}
