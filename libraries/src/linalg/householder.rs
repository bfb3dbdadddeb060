//! The QR factorisation by Householder's reflections.
//!
//! faer's own skips the reflection of a column that depends nearly on those before it, and the
//! factors then multiply to another matrix. Here every column has its reflection, as in LAPACK.
//! Panels are divided in halves (E. Elmroth and F. Gustavson, "Applying recursion to serial and
//! parallel QR factorization", 2000), and blocks of reflections are applied as products of matrices
//! (R. Schreiber and C. Van Loan, "A storage-efficient WY representation", 1989).

use super::balance::{self, Scaled};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder as reflect;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::ComplexField;
use faer::{Accum, ColRef, Conj, Mat, MatMut, MatRef, Par};

/// Panels up to this width are reflected column by column.
const NARROW: usize = 4;

/// Inner products are summed up in pieces of this length.
const PIECE: usize = 256;

/// A factorisation: what the reflections are, and the triangle.
pub(super) struct Qr<T> {
    /// The reflections' vectors below the diagonal, the triangle above.
    packed: Mat<T>,
    /// For each block of reflections the triangle T of `1 − V T⁻¹ Vᴴ`, side by side.
    blocks: Mat<T>,
    par: Par,
}

impl<T: ComplexField + Scaled> Qr<T> {
    pub(super) fn new(a: MatRef<'_, T>) -> Qr<T> {
        let (m, n) = a.shape();
        let size = m.min(n);
        let width = match m * n {
            ..1024 => 8,
            1024..1_048_576 => 32,
            _ => 64,
        }
        .min(size.max(1));
        let par = match m * n {
            ..65_536 => Par::Seq,
            _ => faer::get_global_parallelism(),
        };
        // What is tiny or huge is brought to about one, so that no product of it is lost.
        let (mut packed, by) = match balance::moderate(a) {
            Some((moderate, by)) => (moderate, Some(by.inverse())),
            None => (a.to_owned(), None),
        };
        let mut blocks = Mat::zeros(width, size);
        let mut buffer = MemBuffer::new(
            reflect::apply_block_householder_transpose_on_the_left_in_place_scratch::<T>(
                m, width, n,
            ),
        );
        let stack = MemStack::new(&mut buffer);
        for start in (0..size).step_by(width) {
            let width = width.min(size - start);
            let below = packed.as_mut().subrows_mut(start, m - start);
            let (left, right) = below.split_at_col_mut(start + width);
            let mut left = left.subcols_mut(start, width);
            let mut block = blocks.as_mut().submatrix_mut(0, start, width, width);
            panel(left.as_mut(), block.as_mut(), par, stack);
            undo(left.as_ref(), block.as_ref(), right, par, stack);
        }
        if let Some(by) = by {
            for j in 0..n {
                let triangle = packed.col_mut(j).subrows_mut(0, size.min(j + 1));
                triangle.iter_mut().for_each(|x| *x = x.times(by));
            }
        }
        Qr { packed, blocks, par }
    }

    /// Writes the orthonormal factor's first columns, as many as `q` has.
    pub(super) fn write_basis(&self, mut q: MatMut<'_, T>) {
        q.fill(T::zero_impl());
        q.as_mut().diagonal_mut().fill(T::one_impl());
        self.apply(q);
    }

    /// Multiplies `x` by the square orthonormal factor, in place.
    pub(super) fn apply(&self, x: MatMut<'_, T>) {
        let (m, size) = (self.packed.nrows(), self.blocks.ncols());
        if size == 0 || x.ncols() == 0 {
            return;
        }
        let room = reflect::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(
            m,
            self.blocks.nrows(),
            x.ncols(),
        );
        reflect::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            self.packed.subcols(0, size),
            self.blocks.as_ref(),
            Conj::No,
            x,
            self.par,
            MemStack::new(&mut MemBuffer::new(room)),
        );
    }

    /// Writes the triangle over as many rows as `r` has, and zeros below it.
    pub(super) fn write_triangle(&self, mut r: MatMut<'_, T>) {
        for j in 0..r.ncols() {
            for i in 0..r.nrows() {
                let inside = i <= j && i < self.blocks.ncols();
                r[(i, j)] = if inside { self.packed[(i, j)] } else { T::zero_impl() };
            }
        }
    }
}

/// Factorises a panel that is at least as tall as it is wide.
fn panel<T: ComplexField + Scaled>(
    mut a: MatMut<'_, T>,
    mut block: MatMut<'_, T>,
    par: Par,
    stack: &mut MemStack,
) {
    let n = a.ncols();
    if n <= NARROW {
        return narrow(a, block, par);
    }
    let half = n / 2;
    let (mut left, mut right) = a.as_mut().split_at_col_mut(half);
    panel(left.as_mut(), block.as_mut().submatrix_mut(0, 0, half, half), par, stack);
    undo(left.as_ref(), block.as_ref().submatrix(0, 0, half, half), right.as_mut(), par, stack);
    let (_, below) = right.split_at_row_mut(half);
    let corner = block.as_mut().submatrix_mut(half, half, n - half, n - half);
    panel(below, corner, par, stack);
    join(a.as_ref(), half, block, par);
}

/// Factorises a panel column by column.
fn narrow<T: ComplexField + Scaled>(mut a: MatMut<'_, T>, mut block: MatMut<'_, T>, par: Par) {
    let (m, n) = a.shape();
    for j in 0..n {
        let (left, right) = a.as_mut().subrows_mut(j, m - j).split_at_col_mut(j + 1);
        let (head, mut tail) = left.col_mut(j).split_at_row_mut(1);
        let tau = reflection(head.get_mut(0), tail.as_mut());
        let by = <T::Real as ComplexField>::recip_impl(&tau);
        block[(j, j)] = T::from_real_impl(&tau);
        if T::from_real_impl(&by) == T::zero_impl() {
            continue;
        }
        let v = tail.as_ref();
        for mut x in right.col_iter_mut() {
            let along = inner(v, x.as_ref().subrows(1, v.nrows()));
            let step = T::mul_real_impl(&(x[0] + along), &by);
            x[0] -= step;
            for (x, v) in x.subrows_mut(1, v.nrows()).iter_mut().zip(v.iter()) {
                *x -= *v * step;
            }
        }
    }
    for half in 1..n {
        let (a, block) = (a.as_ref().subcols(0, half + 1), block.as_mut());
        join(a, half, block.submatrix_mut(0, 0, half + 1, half + 1), par);
    }
}

/// The inner product of two columns, piece by piece, so that the rounding errors of long ones grow
/// with the length of a piece.
fn inner<T: ComplexField>(v: ColRef<'_, T>, x: ColRef<'_, T>) -> T {
    let mut sum = T::zero_impl();
    for start in (0..v.nrows()).step_by(PIECE) {
        let length = PIECE.min(v.nrows() - start);
        let part: T = v.subrows(start, length).adjoint() * x.subrows(start, length);
        sum += part;
    }
    sum
}

/// Makes the reflection that brings a column to its head; answers with its τ, which is infinite
/// where there is nothing to reflect.
fn reflection<T: ComplexField + Scaled>(head: &mut T, mut tail: faer::ColMut<'_, T>) -> T::Real {
    let top = balance::largest_of(tail.as_ref().iter().copied().chain([*head]));
    match balance::Power::usual::<T>(top) {
        None => reflect::make_householder_in_place(head, tail).tau,
        Some(by) => {
            *head = head.times(by);
            tail.as_mut().iter_mut().for_each(|x| *x = x.times(by));
            let tau = reflect::make_householder_in_place(head, tail).tau;
            *head = head.times(by.inverse());
            tau
        }
    }
}

/// Fills in the products between the first reflections' vectors and the others'.
fn join<T: ComplexField>(a: MatRef<'_, T>, half: usize, block: MatMut<'_, T>, par: Par) {
    let n = a.ncols();
    let (first, second) = a.subrows(half, a.nrows() - half).split_at_col(half);
    let (first_top, first_rest) = first.split_at_row(n - half);
    let (second_top, second_rest) = second.split_at_row(n - half);
    let mut between = block.submatrix_mut(0, half, half, n - half);
    triangular::matmul(
        between.as_mut(),
        BlockStructure::Rectangular,
        Accum::Replace,
        first_top.adjoint(),
        BlockStructure::Rectangular,
        second_top,
        BlockStructure::UnitTriangularLower,
        T::one_impl(),
        par,
    );
    faer::linalg::matmul::matmul(
        between,
        Accum::Add,
        first_rest.adjoint(),
        second_rest,
        T::one_impl(),
        par,
    );
}

/// Applies a block's reflections, the adjoint of their product, to the columns beside it.
fn undo<T: ComplexField>(
    vectors: MatRef<'_, T>,
    block: MatRef<'_, T>,
    beside: MatMut<'_, T>,
    par: Par,
    stack: &mut MemStack,
) {
    if beside.ncols() > 0 {
        reflect::apply_block_householder_transpose_on_the_left_in_place_with_conj(
            vectors,
            block,
            Conj::Yes,
            beside,
            par,
            stack,
        );
    }
}
