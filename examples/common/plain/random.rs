//! The generator's numbers: Philox4x32-10 as its authors describe it, and the normal distribution
//! by its inverse.

use ndarray::Array1;

/// Four words for a counter under a key.
fn philox(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let product = |factor: u32, word: u32| u64::from(factor) * u64::from(word);
        let (a, b) = (product(0xD251_1F53, c[0]), product(0xCD9E_8D57, c[2]));
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// Words `first..first + n` of the generator, of 64 bits; a block of the generator holds two.
fn words(seed: u64, first: usize, n: usize) -> impl Iterator<Item = u64> {
    (first..first + n).map(move |at| {
        let counter = at as u64 / 2;
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let ([c0, c1], lane) = (halves(counter), at % 2);
        let block = philox([c0, c1, 0, 0], halves(seed));
        u64::from(block[2 * lane]) | u64::from(block[2 * lane + 1]) << 32
    })
}

/// `n` uniform numbers and `n` normal ones, drawn one after the other from a seed.
pub fn random(seed: u64, n: usize) -> (Array1<f64>, Array1<f64>) {
    let uniform = |word: u64| (word >> 11) as f64 / (1u64 << 53) as f64;
    let u = words(seed, 0, n).map(uniform).collect();
    // A draw begins with a block of its own.
    let g = words(seed, n.next_multiple_of(2), n).map(normal).collect();
    (u, g)
}

/// A word as a normal number: the lowest bit is the sign, and the others are the probability of a
/// larger magnitude.
fn normal(word: u64) -> f64 {
    let tail = ((word >> 1) as f64 + 0.5) / (1u64 << 63) as f64;
    let size = quantile(0.5 * tail);
    if word & 1 == 1 { -size } else { size }
}

/// How far from the middle the normal distribution leaves the probability `p`, at most ½, in one
/// tail: algorithm AS 241 (M. Wichura, "The percentage points of the normal distribution", 1988).
fn quantile(p: f64) -> f64 {
    let ratio = |[above, below]: &[[f64; 8]; 2], r: f64| {
        let value = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
        value(above) / value(below)
    };
    let q = 0.5 - p;
    let r = (-p.ln()).sqrt();
    match () {
        _ if q <= 0.425 => q * ratio(&MIDDLE, 0.180625 - q * q),
        _ if r <= 5.0 => ratio(&TAIL, r - 1.6),
        _ => ratio(&FAR, r - 5.0),
    }
}

/// The polynomials near the middle: what is divided, and by what.
const MIDDLE: [[f64; 8]; 2] = [
    [
        3.3871328727963665,
        133.14166789178438,
        1971.5909503065513,
        13731.69376550946,
        45921.95393154987,
        67265.7709270087,
        33430.57558358813,
        2509.0809287301227,
    ],
    [
        1.0,
        42.31333070160091,
        687.1870074920579,
        5394.196021424751,
        21213.794301586597,
        39307.89580009271,
        28729.085735721943,
        5226.495278852854,
    ],
];

/// The polynomials in the tails: what is divided, and by what.
const TAIL: [[f64; 8]; 2] = [
    [
        1.4234371107496835,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        0.2417807251774506,
        0.022723844989269184,
        0.0007745450142783414,
    ],
    [
        1.0,
        2.053191626637759,
        1.6763848301838038,
        0.6897673349851,
        0.14810397642748008,
        0.015198666563616457,
        0.0005475938084995345,
        1.0507500716444169e-09,
    ],
];

/// The polynomials far out: what is divided, and by what.
const FAR: [[f64; 8]; 2] = [
    [
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        0.29656057182850487,
        0.026532189526576124,
        0.0012426609473880784,
        2.7115555687434876e-05,
        2.0103343992922881e-07,
    ],
    [
        1.0,
        0.599832206555888,
        0.1369298809227358,
        0.014875361290850615,
        0.0007868691311456133,
        1.8463183175100548e-05,
        1.421511758316446e-07,
        2.0442631033899397e-15,
    ],
];
