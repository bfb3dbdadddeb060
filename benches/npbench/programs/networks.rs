//! Layers of neural networks.

use lazuli::prelude::*;
use ndarray::NewAxis;

type A = DeviceArray<f32>;

pub fn softmax(x: &A) -> A {
    let tmp_max = x.max(keep(-1));
    let tmp_out = (x - tmp_max).exp();
    let tmp_sum = tmp_out.sum(keep(-1));
    tmp_out / tmp_sum
}

pub fn mlp(input: &A, w1: &A, b1: &A, w2: &A, b2: &A, w3: &A, b3: &A) -> A {
    let x = (input.matmul(w1) + b1).maximum(0.0);
    let x = (x.matmul(w2) + b2).maximum(0.0);
    softmax(&(x.matmul(w3) + b3))
}

/// A convolution whose sums are formed in the input's type and kept in `f32`.
fn conv2d<T: Number>(input: &DeviceArray<T>, weights: &A) -> A {
    let k = weights.shape()[0];
    let (h_out, w_out) = (input.shape()[1] - k + 1, input.shape()[2] - k + 1);
    let mut output = A::zeros([input.shape()[0], h_out, w_out, weights.shape()[3]]);
    let weights = weights.cast::<T>();
    for i in 0..h_out {
        for j in 0..w_out {
            let window = input.slice(s![.., i..i + k, j..j + k, .., NewAxis]);
            let sum = (window * &weights).sum([1, 2, 3]);
            output.assign(s![.., i, j, ..], sum.cast::<f32>());
        }
    }
    output
}

pub fn conv2d_bias(input: &A, weights: &A, bias: &A) -> A {
    conv2d(input, weights) + bias
}

fn maxpool2d(x: &A) -> A {
    let [n, h, w, c] = x.shape().try_into().expect("images with channels");
    let mut output = A::zeros([n, h / 2, w / 2, c]);
    for i in 0..h / 2 {
        for j in 0..w / 2 {
            let window = x.slice(s![.., 2 * i..2 * i + 2, 2 * j..2 * j + 2, ..]);
            output.assign(s![.., i, j, ..], window.max([1, 2]));
        }
    }
    output
}

#[rustfmt::skip]
pub fn lenet(
    input: &A, conv1: &A, conv1bias: &A, conv2: &A, conv2bias: &A, fc1w: &A, fc1b: &A, fc2w: &A,
    fc2b: &A, fc3w: &A, fc3b: &A, n: usize, c_before_fc1: usize,
) -> A {
    let x = (conv2d(input, conv1) + conv1bias).maximum(0.0);
    let x = maxpool2d(&x);
    let x = (conv2d(&x, conv2) + conv2bias).maximum(0.0);
    let x = maxpool2d(&x);
    let x = x.reshape([n, c_before_fc1]);
    let x = (x.matmul(fc1w) + fc1b).maximum(0.0);
    let x = (x.matmul(fc2w) + fc2b).maximum(0.0);
    x.matmul(fc3w) + fc3b
}

fn batchnorm2d<T: Floating>(x: &DeviceArray<T>, eps: T) -> DeviceArray<T> {
    let mean = x.mean(keep(0)).cast::<T>();
    let std = x.std(keep(0)).cast::<T>();
    (x - mean) / (std + eps).sqrt()
}

pub fn resnet(input: &A, conv1: &A, conv2: &A, conv3: &A) -> A {
    let [n, h, w, _] = input.shape().try_into().expect("images with channels");
    let mut padded = DeviceArray::<f64>::zeros([n, h + 2, w + 2, conv1.shape()[3]]);
    padded.assign(s![.., 1..-1, 1..-1, ..], conv2d(input, conv1).cast::<f64>());
    let x = batchnorm2d(&padded, 1e-5).maximum(0.0);

    let x = conv2d(&x, conv2);
    let x = batchnorm2d(&x, 1e-5).maximum(0.0);
    let x = conv2d(&x, conv3);
    let x = batchnorm2d(&x, 1e-5);
    (x + input).maximum(0.0)
}
