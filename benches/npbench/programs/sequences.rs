//! Filters, transforms, paths and codes: what depends on what came before it.

use lazuli::prelude::*;
use std::f64::consts::PI;

type A = DeviceArray<f64>;
type C = DeviceArray<Complex<f64>>;

/// The elements are numbers of the host here: each decides what is done with the next.
pub fn crc16(data: &DeviceArray<u8>) -> Result<i64> {
    const POLY: u16 = 0x8408;
    let mut crc = 0xFFFF_u16;
    for mut byte in data.to_vec()? {
        for _ in 0..8 {
            let bit = crc & 1 ^ u16::from(byte & 1);
            crc = if bit != 0 { crc >> 1 ^ POLY } else { crc >> 1 };
            byte >>= 1;
        }
    }
    Ok((!crc).swap_bytes().into())
}

pub fn deriche(alpha: f64, input: &A) -> A {
    let k = (1.0 - (-alpha).exp()) * (1.0 - (-alpha).exp())
        / (1.0 + alpha * (-alpha).exp() - (2.0 * alpha).exp());
    let (a1, a5) = (k, k);
    let a2 = k * (-alpha).exp() * (alpha - 1.0);
    let a3 = k * (-alpha).exp() * (alpha + 1.0);
    let a4 = -k * (-2.0 * alpha).exp();
    let (a6, a7, a8) = (a2, a3, a4);
    let (b1, b2) = (2.0_f64.powf(-alpha), -(-2.0 * alpha).exp());
    let (rows, columns) = (input.shape()[0], input.shape()[1]);

    let x = |j: usize| input.slice(s![.., j]);
    let mut y1 = input.zeros_like();
    y1.assign(s![.., 0], a1 * x(0));
    y1.assign(s![.., 1], a1 * x(1) + a2 * x(0) + b1 * y1.slice(s![.., 0]));
    for j in 2..columns {
        let before = b1 * y1.slice(s![.., j - 1]) + b2 * y1.slice(s![.., j - 2]);
        y1.assign(s![.., j], a1 * x(j) + a2 * x(j - 1) + before);
    }

    let mut y2 = input.zeros_like();
    y2.assign(s![.., -1], 0.0);
    y2.assign(s![.., -2], a3 * x(columns - 1));
    for j in (0..columns - 2).rev() {
        let after = b1 * y2.slice(s![.., j + 1]) + b2 * y2.slice(s![.., j + 2]);
        y2.assign(s![.., j], a3 * x(j + 1) + a4 * x(j + 2) + after);
    }

    let out = &y1 + &y2;
    let x = |i: usize| out.slice(s![i, ..]);
    y1.assign(s![0, ..], a5 * x(0));
    y1.assign(s![1, ..], a5 * x(1) + a6 * x(0) + b1 * y1.slice(s![0, ..]));
    for i in 2..rows {
        let before = b1 * y1.slice(s![i - 1, ..]) + b2 * y1.slice(s![i - 2, ..]);
        y1.assign(s![i, ..], a5 * x(i) + a6 * x(i - 1) + before);
    }

    y2.assign(s![-1, ..], 0.0);
    y2.assign(s![-2, ..], a7 * x(rows - 1));
    for i in (0..rows - 2).rev() {
        let after = b1 * y2.slice(s![i + 1, ..]) + b2 * y2.slice(s![i + 2, ..]);
        y2.assign(s![i, ..], a7 * x(i + 1) + a8 * x(i + 2) + after);
    }
    y1 + y2
}

pub fn floyd_warshall(path: &DeviceArray<i32>) -> DeviceArray<i32> {
    let mut path = path.clone();
    for k in 0..path.shape()[0] {
        path = path.minimum(path.slice(s![.., k..k + 1]) + path.slice(s![k, ..]));
    }
    path
}

pub fn nussinov(n: usize, seq: &DeviceArray<i32>) -> Result<DeviceArray<i32>> {
    let seq = seq.to_vec()?;
    let mut table = DeviceArray::<i32>::zeros([n, n]);
    for i in (0..n).rev() {
        for j in i + 1..n {
            let raise = |table: &mut DeviceArray<i32>, to: DeviceArray<i32>| {
                table.assign(s![i, j], table.slice(s![i, j]).maximum(to));
            };
            let left = table.slice(s![i, j - 1]);
            raise(&mut table, left);
            let below = table.slice(s![i + 1, j]);
            raise(&mut table, below);
            let matches = i32::from(i < j - 1 && seq[i] + seq[j] == 3);
            let diagonal = table.slice(s![i + 1, j - 1]) + matches;
            raise(&mut table, diagonal);
            for k in i + 1..j {
                let both = table.slice(s![i, k]) + table.slice(s![k + 1, j]);
                raise(&mut table, both);
            }
        }
    }
    Ok(table)
}

pub fn spmv(row: &DeviceArray<u32>, col: &DeviceArray<u32>, val: &A, x: &A) -> Result<A> {
    let row: Vec<usize> = row.to_vec()?.into_iter().map(|r| r as usize).collect();
    let mut y = A::zeros(row.len() - 1);
    for i in 0..row.len() - 1 {
        let cols = col.slice(s![row[i]..row[i + 1]]);
        let vals = val.slice(s![row[i]..row[i + 1]]);
        y.assign(s![i], vals.dot(&x.take(cols, 0)));
    }
    Ok(y)
}

pub fn stockham_fft(n: usize, r: usize, k: usize, x: &C) -> C {
    let root = Complex::new(0.0, -2.0 * PI);
    let power = |i: usize| r.pow(i as u32);
    let [i_coord, j_coord] = indices([r, r]).try_into().map_err(|_| ()).expect("two axes");
    let dft = (root * (i_coord * j_coord).cast::<Complex<f64>>() / r as f64).exp();
    let mut y = x.clone();
    let [ii, jj] = indices([r, n]).try_into().map_err(|_| ()).expect("two axes");

    for i in 0..k {
        // Stride permutation.
        let (before, after) = (power(i), power(k - i - 1));
        let permuted = y.reshape([before, r, after]).permute(&[1, 0, 2]);
        // Multiplication with twiddle factors.
        let places = ii.slice(s![.., ..before]) * jj.slice(s![.., ..before]);
        let tmp = (root * places.cast::<Complex<f64>>() / power(i + 1) as f64).exp();
        let d = tmp.reshape([r, before, 1]).repeat(after, 2);
        let twisted = permuted.reshape(n) * d.reshape(n);
        // Product with the butterfly.
        y = dft.matmul(&twisted.reshape([r, power(k - 1)])).reshape(n);
    }
    y
}
