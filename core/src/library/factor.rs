//! Factorisations and solvers of systems.
//!
//! Their matrices are in columns: element `(i, j)` of an `m × n` matrix lies at `i + j·m`, which
//! is what LAPACK and its kin take. An array of the graph is in rows, so it is the transpose of
//! what the call sees; who records a call chooses whether that is what he wants (for a symmetric
//! matrix it is) or hands over the transpose.

use super::Outputs;
use crate::dtype::DType;
use smallvec::smallvec;

/// What is computed of each matrix of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Of `A` (`n × n`) and `B` (`n × k`): `X` with `Aᵀ X = B`.
    Solve,
    /// Of `A` (`n × n`), triangular, and `B` (`k × n`): `X` with `X A = B`. What is not of the
    /// triangle is not read, and the diagonal counts as ones if `unit`.
    Triangular {
        /// Whether it is the upper triangle.
        upper: bool,
        /// Whether the diagonal is all ones.
        unit: bool,
    },
    /// Of `A` (`n × n`): `L` without its diagonal of ones and `U` in `P A = L U`, in one matrix, and
    /// for each row in turn the number from 1 on of the row that it was swapped with: `int64`, of
    /// batches `int32`, as the libraries have it.
    Lu,
    /// Of `A` (`n × n`), Hermitian, upper triangle: `U` with `A = Uᴴ U`. What is below the
    /// triangle stays undefined.
    Cholesky,
    /// Of `A` (`m × n`): `Q` (`m × q`), and a matrix `m × n` that begins with the rows of `R`;
    /// what is below the triangle stays undefined. `q` is `m` if `full`, else the lesser of both.
    Qr {
        /// Whether `Q` is square.
        full: bool,
    },
    /// Of `A` (`m × n`, no more columns than rows): `U` (`m × m` if full, else `m × n`), the
    /// singular values, and `Vᴴ` (`n × n`); or the values alone. Of batches of small matrices
    /// ([`Factor::is_small_batch`]) it is what libraries give that compute them side by side: `U` is
    /// `m × m` in any case, the columns that are not wanted undefined, and `V` takes the place
    /// of `Vᴴ`.
    Svd(Vectors),
    /// Of `A` (`n × n`), Hermitian, upper triangle: the eigenvalues, ascending, and the vectors as
    /// columns if they are wanted.
    Eigh {
        /// Whether the vectors are wanted.
        vectors: bool,
    },
    /// Of `A` (`n × n`): the complex eigenvalues, and the vectors as columns if they are wanted.
    Eig {
        /// Whether the vectors are wanted.
        vectors: bool,
    },
}

/// Which singular vectors are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vectors {
    /// None.
    None,
    /// One for each singular value.
    Reduced,
    /// Whole bases.
    Full,
}

/// A factorisation, or the solution of a system, for each matrix of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Factor {
    /// What is computed.
    pub task: Task,
    /// The name of the operation, for messages.
    pub name: &'static str,
    /// The element type.
    pub dtype: DType,
    /// The number of matrices.
    pub batch: usize,
    /// The rows of each.
    pub m: usize,
    /// The columns of each.
    pub n: usize,
    /// The columns (or rows) of the right-hand sides.
    pub k: usize,
}

/// The most rows and columns of small matrices.
const SMALL: usize = 32;

impl Factor {
    /// Whether these are several matrices, each of them small.
    pub fn is_small_batch([batch, m, n]: [usize; 3]) -> bool {
        batch > 1 && m.max(n) <= SMALL
    }

    /// The columns of `Q`, or of `U`.
    pub fn basis(&self) -> usize {
        match self.task {
            Task::Qr { full: true } | Task::Svd(Vectors::Full) => self.m,
            _ => self.m.min(self.n),
        }
    }

    /// The number of elements and the type of each output.
    pub fn outputs(&self) -> Outputs {
        let Factor { dtype, batch, m, n, k, .. } = *self;
        let complex = match dtype {
            DType::F32 => DType::C64,
            DType::F64 => DType::C128,
            dtype => dtype,
        };
        match self.task {
            Task::Solve | Task::Triangular { .. } => smallvec![(batch * n * k, dtype)],
            Task::Lu => {
                let pivots = if batch == 1 { DType::I64 } else { DType::I32 };
                smallvec![(batch * n * n, dtype), (batch * n, pivots)]
            }
            Task::Cholesky => smallvec![(batch * n * n, dtype)],
            Task::Qr { .. } => {
                smallvec![(batch * m * self.basis(), dtype), (batch * m * n, dtype)]
            }
            Task::Svd(Vectors::None) => smallvec![(batch * n, dtype.real())],
            Task::Svd(_) => {
                let small = Factor::is_small_batch([batch, m, n]);
                let columns = if small { m } else { self.basis() };
                smallvec![
                    (batch * m * columns, dtype),
                    (batch * n, dtype.real()),
                    (batch * n * n, dtype)
                ]
            }
            Task::Eigh { vectors: false } => smallvec![(batch * n, dtype.real())],
            Task::Eigh { .. } => {
                smallvec![(batch * n, dtype.real()), (batch * n * n, dtype)]
            }
            Task::Eig { vectors: false } => smallvec![(batch * n, complex)],
            Task::Eig { .. } => smallvec![(batch * n, complex), (batch * n * n, complex)],
        }
    }
}
