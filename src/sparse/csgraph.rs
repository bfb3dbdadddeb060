//! Graphs as sparse matrices: SciPy's `scipy.sparse.csgraph`. An entry at `[i, j]`, of any value, is an
//! edge from node `i` to node `j`.

use super::Csr;
use super::csr::wrong;
use crate::array::{DeviceArray, located};
use crate::dtype::Element;
use crate::error::Result;

/// Which nodes of a graph count as connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Those with a path between them whose edges may be followed in both directions.
    Weak,
    /// Those with a path from each of them to the other.
    Strong,
}

/// The number of connected components of a graph, and for each node the number of its component; a
/// component with a lesser first node has a lesser number.
///
/// An undirected graph, of which the matrix may have one triangle alone, has `Weak` ones.
///
/// **Shape.** `graph` is square, `[n, n]`; the labels are `[n]`, on its device. **Laziness.** Walks the
/// structure on the host now; values are not read. SciPy: `csgraph.connected_components`, whose
/// strong components are numbered otherwise.
///
/// # Errors
/// [`Error::is_shape`](crate::Error::is_shape) where the matrix is not square.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::sparse::{Coo, csgraph::{Connection, connected_components}};
/// let ones = DeviceArray::<f64>::ones([3]);
/// let graph = Coo::new([4, 4], &[0, 1, 0], &[1, 0, 3], &ones)?.to_csr()?;
/// let (count, labels) = connected_components(&graph, Connection::Weak)?;
/// assert_eq!((count, labels.to_vec()?), (2, vec![0, 0, 1, 0]));
/// let (count, labels) = connected_components(&graph, Connection::Strong)?;
/// assert_eq!((count, labels.to_vec()?), (3, vec![0, 0, 1, 2]));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn connected_components<T: Element>(
    graph: &Csr<T>,
    connection: Connection,
) -> Result<(usize, DeviceArray<i32>)> {
    let [n, columns] = graph.shape();
    if n != columns {
        let shape = graph.shape();
        return located(Err(wrong(format!("connected_components: a graph of shape {shape:?}"))));
    }
    let roots = match connection {
        Connection::Weak => weak(graph),
        Connection::Strong => strong(graph),
    };
    let mut numbers = vec![-1; n];
    let mut count = 0;
    let labels: Vec<i32> = roots
        .into_iter()
        .map(|root| {
            if numbers[root] < 0 {
                numbers[root] = count;
                count += 1;
            }
            numbers[root]
        })
        .collect();
    let labels = graph.device().scope(|| DeviceArray::from_vec([n], labels));
    Ok((count as usize, located(labels)?))
}

/// The node that stands for the component of each node, by sets that are joined (R. E. Tarjan, J. ACM
/// 22 (1975), 215, with paths that are halved).
fn weak<T: Element>(graph: &Csr<T>) -> Vec<usize> {
    let n = graph.shape()[0];
    let mut parents: Vec<usize> = (0..n).collect();
    fn root(parents: &mut [usize], mut node: usize) -> usize {
        while parents[node] != node {
            parents[node] = parents[parents[node]];
            node = parents[node];
        }
        node
    }
    for (row, &col) in graph.rows().into_iter().zip(graph.indices()) {
        let (a, b) = (root(&mut parents, row as usize), root(&mut parents, col as usize));
        parents[a.max(b)] = a.min(b);
    }
    (0..n).map(|node| root(&mut parents, node)).collect()
}

/// The node that stands for the strong component of each node. Source: R. E. Tarjan, SIAM J. Comput. 1
/// (1972), 146, with a stack of its own in place of calls.
fn strong<T: Element>(graph: &Csr<T>) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let (n, ends) = (graph.shape()[0], graph.indptr());
    // When each node was met first, and the earliest one that it reaches on the stack.
    let (mut met, mut low, mut roots) = (vec![NONE; n], vec![NONE; n], vec![NONE; n]);
    let mut next_edge: Vec<usize> = ends[..n].to_vec();
    let (mut open, mut path, mut time) = (Vec::new(), Vec::new(), 0);
    for first in 0..n {
        if met[first] != NONE {
            continue;
        }
        path.push(first);
        while let Some(&node) = path.last() {
            if met[node] == NONE {
                (met[node], low[node]) = (time, time);
                time += 1;
                open.push(node);
            }
            if next_edge[node] < ends[node + 1] {
                let to = graph.indices()[next_edge[node]] as usize;
                next_edge[node] += 1;
                match met[to] {
                    NONE => path.push(to),
                    // What has its component is no longer on the stack.
                    at if roots[to] == NONE => low[node] = low[node].min(at),
                    _ => {}
                }
                continue;
            }
            path.pop();
            if let Some(&parent) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == met[node] {
                while let Some(member) = open.pop() {
                    roots[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    roots
}
