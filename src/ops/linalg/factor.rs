//! Recording factorisations: what their calls take, and what comes out of them.

use super::matmul::swapped;
use super::scaled;
use crate::array::record;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::{Node, View};
use crate::library::Library;
use crate::library::factor::{Factor, Task, Vectors};
use crate::ops::movement::broadcast_to;
use crate::shape::{Shape, broadcast, len};
use crate::table::{Op, Reduction};
use smallvec::smallvec;
use std::sync::Arc;

/// The shape of a batch of matrices.
pub(super) struct Matrices {
    /// The axes before the matrices'.
    pub lead: Shape,
    /// The rows.
    pub m: usize,
    /// The columns.
    pub n: usize,
}

impl Matrices {
    /// The last two axes are the matrices'.
    pub(super) fn of(name: &str, a: &Arc<Node>) -> Result<Matrices> {
        match &a.shape[..] {
            [lead @ .., m, n] => Ok(Matrices { lead: Shape::from_slice(lead), m: *m, n: *n }),
            shape => Err(Error::shape(format!("{name}: shape {shape:?} has no two axes"))),
        }
    }

    /// The same, of square matrices.
    pub(super) fn square(name: &str, a: &Arc<Node>) -> Result<Matrices> {
        let matrices = Self::of(name, a)?;
        match matrices.m == matrices.n {
            true => Ok(matrices),
            false => {
                Err(Error::shape(format!("{name}: shape {:?} is not of square matrices", a.shape)))
            }
        }
    }

    /// The number of matrices.
    pub(super) fn batch(&self) -> usize {
        len(&self.lead)
    }

    /// Whether there is no element.
    pub(super) fn is_empty(&self) -> bool {
        self.batch() * self.m * self.n == 0
    }

    /// The shape of one thing for each matrix.
    pub(super) fn each(&self, own: &[usize]) -> Shape {
        self.lead.iter().chain(own).copied().collect()
    }
}

/// Records a call on matrices, as the call sees them, and right-hand sides.
#[track_caller]
fn call(
    (name, task): (&'static str, Task),
    a: &Arc<Node>,
    [batch, m, n]: [usize; 3],
    right: Option<(&Arc<Node>, usize)>,
    shapes: &[Shape],
) -> Vec<Arc<Node>> {
    let k = right.map_or(0, |r| r.1);
    let call = Factor { task, name, dtype: a.dtype, batch, m, n, k };
    let mut args = smallvec![a.into()];
    args.extend(right.map(|r| r.0.into()));
    match shapes {
        [shape] => vec![record::library(Library::Factor(call), args, shape.clone(), a.device)],
        _ => record::library_parts(Library::Factor(call), args, shapes, a.device),
    }
}

/// The conjugate; of real numbers, the numbers.
#[track_caller]
pub(super) fn conjugate(a: &Arc<Node>) -> Arc<Node> {
    if a.dtype.is_complex() { record::unary(Op::Conj, a) } else { a.clone() }
}

/// Zeros, or another number.
#[track_caller]
pub(super) fn filled(like: &Arc<Node>, dtype: DType, value: f64, shape: Shape) -> Arc<Node> {
    record::full(crate::dtype::Scalar::from_f64(dtype, value), shape, like.device)
}

/// The identity in every matrix of the shape.
#[track_caller]
pub(super) fn identity(like: &Arc<Node>, dtype: DType, shape: Shape) -> Result<Arc<Node>> {
    let rank = shape.len();
    let rows = record::iota(rank - 2, shape.clone(), like.device);
    let columns = record::iota(rank - 1, shape, like.device);
    Ok(record::cast(&record::binary(Op::Equal, &rows, &columns)?, dtype))
}

/// The elements on one side of the diagonal.
#[track_caller]
pub(super) fn triangle(a: &Arc<Node>, side: Op) -> Result<Arc<Node>> {
    let rank = a.shape.len();
    let rows = record::iota(rank - 2, a.shape.clone(), a.device);
    let columns = record::iota(rank - 1, a.shape.clone(), a.device);
    record::select(&record::binary(side, &columns, &rows)?, a, record::number(a, 0.0))
}

/// The batches of two operands together, and both with that batch.
#[track_caller]
pub(super) fn together(
    name: &str,
    a: &Arc<Node>,
    b: &Arc<Node>,
) -> Result<(Shape, Arc<Node>, Arc<Node>)> {
    let own = |x: &Arc<Node>| Shape::from_slice(&x.shape[..x.shape.len() - 2]);
    let lead = broadcast(&own(a), &own(b)).ok_or_else(|| {
        let (a, b) = (&a.shape, &b.shape);
        Error::shape(format!("{name}: shapes {a:?} and {b:?} have batches that do not broadcast"))
    })?;
    let wide = |x: &Arc<Node>| {
        let mut shape = lead.clone();
        shape.extend_from_slice(&x.shape[x.shape.len() - 2..]);
        broadcast_to(name, x, shape)
    };
    Ok((lead.clone(), wide(a)?, wide(b)?))
}

/// `X` with `A X = B`; both have two axes at least.
#[track_caller]
pub(super) fn solve(name: &'static str, a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Node>> {
    let own = Matrices::square(name, a)?;
    let n = own.n;
    let right = Matrices::of(name, b)?;
    if right.m != n {
        let (a, b) = (&a.shape, &b.shape);
        return Err(Error::shape(format!("{name}: shapes {a:?} and {b:?} do not match")));
    }
    // Many right-hand sides of one matrix are one system.
    if own.lead.is_empty() && !right.lead.is_empty() && !b.shape.contains(&0) {
        let columns = swapped(b);
        let flat = record::reshape(&columns, smallvec![right.batch() * right.n, n]);
        let dims = [1, n, n];
        let shape = flat.shape.clone();
        let task = (name, Task::Solve);
        let x = call(task, a, dims, Some((&flat, right.batch() * right.n)), &[shape]).remove(0);
        return Ok(swapped(&record::reshape(&x, columns.shape.clone())));
    }
    let (lead, a, b) = together(name, a, b)?;
    if b.shape.contains(&0) || a.shape.contains(&0) {
        return Ok(filled(&b, b.dtype, 0.0, b.shape.clone()));
    }
    let columns = swapped(&b);
    let shape = columns.shape.clone();
    let (task, dims) = ((name, Task::Solve), [len(&lead), n, n]);
    Ok(swapped(&call(task, &a, dims, Some((&columns, right.n)), &[shape]).remove(0)))
}

/// `X` with `A X = B` for triangular `A`.
#[track_caller]
pub(super) fn triangular(
    name: &'static str,
    a: &Arc<Node>,
    b: &Arc<Node>,
    lower: bool,
    unit: bool,
) -> Result<Arc<Node>> {
    let n = Matrices::square(name, a)?.n;
    let right = Matrices::of(name, b)?;
    if right.m != n {
        let (a, b) = (&a.shape, &b.shape);
        return Err(Error::shape(format!("{name}: shapes {a:?} and {b:?} do not match")));
    }
    let (lead, a, b) = together(name, a, b)?;
    if b.shape.contains(&0) || a.shape.contains(&0) {
        return Ok(filled(&b, b.dtype, 0.0, b.shape.clone()));
    }
    // What lies in rows is the transpose of what the call sees: Xᵀ Aᵀ = Bᵀ.
    let task = (name, Task::Triangular { upper: lower, unit });
    let shape = b.shape.clone();
    Ok(call(task, &a, [len(&lead), n, n], Some((&b, right.n)), &[shape]).remove(0))
}

/// The diagonal of `U` in `P A = L U`, and 1 or -1 for an even or an odd permutation.
#[track_caller]
pub(super) fn determinant(name: &'static str, a: &Arc<Node>) -> Result<(Arc<Node>, Arc<Node>)> {
    let own = Matrices::square(name, a)?;
    let shapes = [a.shape.clone(), own.each(&[own.n])];
    let dims = [own.batch(), own.n, own.n];
    let parts = call((name, Task::Lu), a, dims, None, &shapes);
    let rank = a.shape.len();
    let diagonal = crate::ops::movement::diagonal(&parts[0], 0, rank - 2, rank - 1);
    let place = record::iota(rank - 2, shapes[1].clone(), a.device);
    let place = record::binary(Op::Add, &place, crate::dtype::Scalar::new(1i64))?;
    let swapped = record::binary(Op::NotEqual, &record::cast(&parts[1], DType::I64), &place)?;
    let signs = record::select(&swapped, record::number(a, -1.0), record::number(a, 1.0))?;
    Ok((diagonal, record::reduce(Reduction::Prod, &signs, 1 << (rank - 2))))
}

/// `L` and `U` in one matrix with `P A = L U`, and for each row in turn the number from 0 on of the row
/// that it was swapped with.
#[track_caller]
pub(super) fn lu(name: &'static str, a: &Arc<Node>) -> Result<(Arc<Node>, Arc<Node>)> {
    let own = Matrices::square(name, a)?;
    let shapes = [a.shape.clone(), own.each(&[own.n])];
    let dims = [own.batch(), own.n, own.n];
    // The call sees columns.
    let parts = call((name, Task::Lu), &swapped(a), dims, None, &shapes);
    let one = crate::dtype::Scalar::new(1i64);
    let pivots = record::binary(Op::Subtract, &record::cast(&parts[1], DType::I64), one)?;
    Ok((swapped(&parts[0]), pivots))
}

/// The lower triangle `L` with `A = L Lᴴ`.
#[track_caller]
pub(super) fn cholesky(name: &'static str, a: &Arc<Node>) -> Result<Arc<Node>> {
    let own = Matrices::square(name, a)?;
    if own.is_empty() {
        return Ok(a.clone());
    }
    let dims = [own.batch(), own.n, own.n];
    let shape = a.shape.clone();
    triangle(&call((name, Task::Cholesky), a, dims, None, &[shape]).remove(0), Op::LessEqual)
}

/// `Q` and `R`; `Q` is square if `full`.
#[track_caller]
pub(super) fn qr(a: &Arc<Node>, full: bool) -> Result<(Arc<Node>, Arc<Node>)> {
    let own = Matrices::of("qr", a)?;
    let (m, n) = (own.m, own.n);
    let q = if full { m } else { m.min(n) };
    if own.is_empty() {
        let basis = identity(a, a.dtype, own.each(&[m, q]))?;
        return Ok((basis, filled(a, a.dtype, 0.0, own.each(&[q, n]))));
    }
    let shapes = [own.each(&[q, m]), own.each(&[n, m])];
    let task = ("qr", Task::Qr { full });
    let parts = call(task, &swapped(a), [own.batch(), m, n], None, &shapes);
    let factor = swapped(&parts[1]);
    let rows = crate::graph::AxisMap::same(own.lead.len());
    let rows = crate::ops::movement::replace_axis(&factor, own.lead.len(), rows, q);
    Ok((swapped(&parts[0]), triangle(&rows, Op::GreaterEqual)?))
}

/// The singular values.
#[track_caller]
pub(super) fn singular_values(name: &'static str, a: &Arc<Node>) -> Result<Arc<Node>> {
    let own = Matrices::of(name, a)?;
    let shape = own.each(&[own.m.min(own.n)]);
    if own.is_empty() {
        return Ok(filled(a, a.dtype.real(), 0.0, shape));
    }
    let (a, exponents) = for_library(a, None)?;
    let (tall, dims) = tall(&a, &own);
    let values = call((name, Task::Svd(Vectors::None)), &tall, dims, None, &[shape]).remove(0);
    restored(values, exponents.as_ref())
}

/// Matrices as a library is given them for their spectra, and the exponents that were taken off. What
/// cuSOLVER gives of numbers as small as 2⁻⁷⁰⁰ is no basis; faer's numbers are made moderate where the
/// call is run. Where they are Hermitian, one side of the diagonal counts.
#[track_caller]
fn for_library(a: &Arc<Node>, side: Option<Op>) -> Result<(Arc<Node>, Option<Arc<Node>>)> {
    if !a.device.is_cuda() {
        return Ok((a.clone(), None));
    }
    let counts = side.map_or(Ok(a.clone()), |side| triangle(a, side))?;
    let (moderate, exponents) = scaled::moderate(a, &counts)?;
    Ok((moderate, Some(exponents)))
}

/// The values of the matrices themselves.
#[track_caller]
fn restored(values: Arc<Node>, exponents: Option<&Arc<Node>>) -> Result<Arc<Node>> {
    exponents.map_or(Ok(values.clone()), |exponents| scaled::scale(&values, exponents))
}

/// The matrices such that the call, which sees transposes, gets no more columns than rows.
#[track_caller]
fn tall(a: &Arc<Node>, own: &Matrices) -> (Arc<Node>, [usize; 3]) {
    match own.m > own.n {
        true => (swapped(a), [own.batch(), own.m, own.n]),
        false => (a.clone(), [own.batch(), own.n, own.m]),
    }
}

/// `U`, the singular values and `Vᴴ`.
#[track_caller]
pub(super) fn svd(name: &'static str, a: &Arc<Node>, full: bool) -> Result<[Arc<Node>; 3]> {
    let own = Matrices::of(name, a)?;
    let (m, n, least) = (own.m, own.n, own.m.min(own.n));
    let (left, right) = if full { (m, n) } else { (least, least) };
    if own.is_empty() {
        let values = filled(a, a.dtype.real(), 0.0, own.each(&[least]));
        let u = identity(a, a.dtype, own.each(&[m, left]))?;
        return Ok([u, values, identity(a, a.dtype, own.each(&[right, n]))?]);
    }
    let (a, exponents) = for_library(a, None)?;
    let (matrix, dims) = tall(&a, &own);
    let task = (name, Task::Svd(if full { Vectors::Full } else { Vectors::Reduced }));
    let small = Factor::is_small_batch(dims);
    // In rows, the call's first output is the transpose of what it calls U.
    let wanted = if m > n { left } else { right };
    let first = if small { dims[1] } else { wanted };
    let shapes = [own.each(&[first, dims[1]]), own.each(&[least]), own.each(&[least, least])];
    let parts = call(task, &matrix, dims, None, &shapes);
    let (u, v) = (first_rows(&parts[0], wanted), &parts[2]);
    let values = restored(parts[1].clone(), exponents.as_ref())?;
    // So is its last one, of Vᴴ or of V.
    Ok(match (m > n, small) {
        (true, false) => [swapped(&u), values, swapped(v)],
        (true, true) => [swapped(&u), values, conjugate(v)],
        // Of Aᵀ = U' S V'ᴴ, A is V'* S U'ᵀ.
        (false, false) => [v.clone(), values, u],
        (false, true) => [conjugate(&swapped(v)), values, u],
    })
}

/// The first rows of matrices.
#[track_caller]
fn first_rows(a: &Arc<Node>, rows: usize) -> Arc<Node> {
    let rank = a.shape.len();
    if a.shape[rank - 2] == rows {
        return a.clone();
    }
    let mut shape = a.shape.clone();
    shape[rank - 2] = rows;
    record::view(a, View::identity(rank), shape)
}

/// The type of double precision for one of single precision.
fn double(dtype: DType) -> Option<DType> {
    match dtype {
        DType::F32 => Some(DType::F64),
        DType::C64 => Some(DType::C128),
        _ => None,
    }
}

/// The eigenvalues of Hermitian matrices, of which the lower triangles count, and their vectors.
#[track_caller]
pub(super) fn eigh(
    name: &'static str,
    a: &Arc<Node>,
    vectors: bool,
) -> Result<(Arc<Node>, Option<Arc<Node>>)> {
    let own = Matrices::square(name, a)?;
    // In single precision libraries' values are as much as 0.14 n times the precision off (faer,
    // second differences, n = 200).
    if let Some(wide) = double(a.dtype).filter(|_| !own.is_empty()) {
        let (values, basis) = eigh(name, &record::cast(a, wide), vectors)?;
        let narrow = |basis: Arc<Node>| record::cast(&basis, a.dtype);
        return Ok((record::cast(&values, a.dtype.real()), basis.map(narrow)));
    }
    let values = own.each(&[own.n]);
    if own.is_empty() {
        let values = filled(a, a.dtype.real(), 0.0, values);
        return Ok((values, vectors.then(|| filled(a, a.dtype, 0.0, a.shape.clone()))));
    }
    let task = (name, Task::Eigh { vectors });
    let dims = [own.batch(), own.n, own.n];
    let (a, exponents) = for_library(a, Some(Op::LessEqual))?;
    if !vectors {
        let values = call(task, &a, dims, None, &[values]).remove(0);
        return Ok((restored(values, exponents.as_ref())?, None));
    }
    let parts = call(task, &a, dims, None, &[values, a.shape.clone()]);
    let values = restored(parts[0].clone(), exponents.as_ref())?;
    // The call sees the transpose, which is the conjugate.
    Ok((values, Some(conjugate(&swapped(&parts[1])))))
}

/// The eigenvalues of square matrices and their vectors.
#[track_caller]
pub(super) fn eig(
    name: &'static str,
    a: &Arc<Node>,
    complex: DType,
    vectors: bool,
) -> Result<(Arc<Node>, Option<Arc<Node>>)> {
    let own = Matrices::square(name, a)?;
    let values = own.each(&[own.n]);
    if own.is_empty() {
        let values = filled(a, complex, 0.0, values);
        return Ok((values, vectors.then(|| filled(a, complex, 0.0, a.shape.clone()))));
    }
    let task = (name, Task::Eig { vectors });
    let dims = [own.batch(), own.n, own.n];
    if !vectors {
        return Ok((call(task, a, dims, None, &[values]).remove(0), None));
    }
    let parts = call(task, &swapped(a), dims, None, &[values, a.shape.clone()]);
    Ok((parts[0].clone(), Some(swapped(&parts[1]))))
}
