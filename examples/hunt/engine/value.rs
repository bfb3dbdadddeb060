//! Values of the interpreter: numbers with the bound within which a right result lies.

use half::bf16;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    C64,
    C128,
}

use Kind::*;

impl Kind {
    /// Every element type.
    pub const ALL: [Kind; 15] =
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128];

    pub fn is_integer(self) -> bool {
        (I8..=U64).contains(&self)
    }

    pub fn is_float(self) -> bool {
        (F16..=F64).contains(&self)
    }

    pub fn is_half(self) -> bool {
        matches!(self, F16 | BF16)
    }

    pub fn is_complex(self) -> bool {
        self >= C64
    }

    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// Whether values are whole numbers or truths, which are exact or unknown.
    pub fn is_discrete(self) -> bool {
        self <= U64
    }

    pub fn bits(self) -> u32 {
        match self {
            Bool | I8 | U8 => 8,
            I16 | U16 | F16 | BF16 => 16,
            I32 | U32 | F32 => 32,
            _ => 64,
        }
    }

    /// The type of the parts of a complex type, else the type itself.
    pub fn component(self) -> Kind {
        match self {
            C64 => F32,
            C128 => F64,
            other => other,
        }
    }

    /// The Rust type, as a program writes it.
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F16 => "f16",
            BF16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            C64 => "Complex<f32>",
            C128 => "Complex<f64>",
        }
    }

    /// The integer with the low bits of `x`.
    pub fn wrap(self, x: i128) -> i128 {
        match self {
            Bool => i128::from(x != 0),
            I8 => i128::from(x as i8),
            I16 => i128::from(x as i16),
            I32 => i128::from(x as i32),
            I64 => i128::from(x as i64),
            U8 => i128::from(x as u8),
            U16 => i128::from(x as u16),
            U32 => i128::from(x as u32),
            U64 => i128::from(x as u64),
            _ => x,
        }
    }

    /// The smallest and the greatest integer.
    pub fn limits(self) -> (i128, i128) {
        let bits = self.bits();
        match self {
            Bool => (0, 1),
            _ if self.is_signed() => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// The nearest number of the type.
    pub fn round(self, x: f64) -> f64 {
        match self.component() {
            F32 => f64::from(x as f32),
            F64 => x,
            _ => self.round_half(x),
        }
    }

    /// Rounds once: the crate `half` goes through `f32` on some machines.
    fn round_half(self, x: f64) -> f64 {
        if x == 0.0 || !x.is_finite() {
            return x;
        }
        let (digits, least) = self.digits();
        let unit = (libm::frexp(x).1 - digits).max(least);
        let y = libm::scalbn(libm::scalbn(x, -unit).round_ties_even(), unit);
        if y.abs() > self.greatest() { f64::INFINITY.copysign(x) } else { y }
    }

    /// Digits of the significand, and the exponent of the smallest number.
    pub fn digits(self) -> (i32, i32) {
        match self.component() {
            F16 => (11, -24),
            BF16 => (8, -133),
            F32 => (24, -149),
            _ => (53, -1074),
        }
    }

    /// Half of the distance between 1 and the next number.
    pub fn unit(self) -> f64 {
        2f64.powi(-self.digits().0)
    }

    /// The distance from `x` to its neighbour.
    pub fn ulp(self, x: f64) -> f64 {
        let least = libm::ldexp(1.0, self.digits().1);
        if !x.is_finite() {
            return least;
        }
        (x.abs() * 2.0 * self.unit()).max(least)
    }

    /// The greatest finite number.
    pub fn greatest(self) -> f64 {
        match self.component() {
            F16 => 65504.0,
            BF16 => bf16::MAX.to_f64(),
            F32 => f64::from(f32::MAX),
            _ => f64::MAX,
        }
    }
}

/// An element: what is right, and how far from it a result may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct V {
    /// The value of an integer or a truth.
    pub int: i128,
    /// The value of a float, or a complex number's real part.
    pub re: f64,
    /// A complex number's imaginary part.
    pub im: f64,
    /// How far a result may lie from the value, infinite where nothing is known.
    pub err: f64,
    /// The same for who computes on with the value, and may use it before it is rounded.
    pub loose: f64,
    /// Whether a zero may have either sign.
    pub sign: bool,
}

impl V {
    pub const UNKNOWN: V =
        V { int: 0, re: 0.0, im: 0.0, err: f64::INFINITY, loose: f64::INFINITY, sign: true };

    pub fn int(int: i128) -> V {
        V { int, re: 0.0, im: 0.0, err: 0.0, loose: 0.0, sign: false }
    }

    pub fn truth(b: bool) -> V {
        V::int(i128::from(b))
    }

    pub fn float(re: f64) -> V {
        V { re, ..V::int(0) }
    }

    pub fn complex(re: f64, im: f64) -> V {
        V { re, im, ..V::int(0) }
    }

    pub fn within(self, err: f64) -> V {
        let err = if err.is_nan() { f64::INFINITY } else { err };
        V { err, loose: err, sign: self.sign || err > 0.0, ..self }
    }

    pub fn is_known(&self) -> bool {
        self.err < f64::INFINITY
    }

    pub fn is_exact(&self) -> bool {
        self.loose == 0.0 && !self.sign
    }

    /// The zero of every type.
    pub fn zero() -> V {
        V::int(0)
    }

    /// Whether `self`, as it came from a device, is a right result where `want` is the value.
    pub fn is_right(&self, want: &V, kind: Kind) -> bool {
        if !want.is_known() {
            return true;
        }
        if kind.is_discrete() {
            return self.int == want.int;
        }
        let part = |got: f64, right: f64| {
            if got.is_nan() || right.is_nan() {
                return got.is_nan() && right.is_nan();
            }
            if got == right {
                return right != 0.0
                    || want.sign
                    || got.is_sign_negative() == right.is_sign_negative();
            }
            (got - right).abs() <= want.err
        };
        part(self.re, want.re) && (!kind.is_complex() || part(self.im, want.im))
    }
}

/// An array of the interpreter: elements in C order.
#[derive(Clone, Debug)]
pub struct Host {
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub data: Vec<V>,
}

impl Host {
    pub fn new(kind: Kind, shape: Vec<usize>, data: Vec<V>) -> Host {
        debug_assert_eq!(shape.iter().product::<usize>(), data.len());
        Host { kind, shape, data }
    }

    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Whether every element is known exactly.
    pub fn is_exact(&self) -> bool {
        self.data.iter().all(V::is_exact)
    }

    /// The place of an element in C order.
    pub fn offset(&self, at: &[usize]) -> usize {
        at.iter().zip(&self.shape).fold(0, |sum, (i, n)| sum * n + i)
    }

    /// An array of a shape, each element from its index.
    pub fn build(kind: Kind, shape: Vec<usize>, mut at: impl FnMut(&[usize]) -> V) -> Host {
        let n = shape.iter().product();
        let mut index = vec![0; shape.len()];
        let mut data = Vec::with_capacity(n);
        for _ in 0..n {
            data.push(at(&index));
            for k in (0..shape.len()).rev() {
                index[k] += 1;
                if index[k] < shape[k] {
                    break;
                }
                index[k] = 0;
            }
        }
        Host { kind, shape, data }
    }

    /// The first element that is wrong in what a device gave.
    pub fn difference(&self, got: &Host) -> Option<String> {
        if got.kind != self.kind || got.shape != self.shape {
            return Some(format!(
                "{} {:?} where {} {:?} is right",
                got.kind.name(),
                got.shape,
                self.kind.name(),
                self.shape
            ));
        }
        let wrong: Vec<usize> = (0..self.data.len())
            .filter(|&k| !got.data[k].is_right(&self.data[k], self.kind))
            .collect();
        let k = *wrong.first()?;
        let (is, right) = (literal(self.kind, &got.data[k]), literal(self.kind, &self.data[k]));
        Some(format!(
            "{} of {} elements are wrong; number {k} is {is} where {right} is right within {:e}",
            wrong.len(),
            self.data.len(),
            self.data[k].err
        ))
    }
}

/// The shape to which two shapes broadcast.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let length = |s: &[usize], k: usize| (k + s.len()).checked_sub(rank).map_or(1, |i| s[i]);
    (0..rank)
        .map(|k| match (length(a, k), length(b, k)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect()
}

/// An element as a program writes it.
pub fn literal(kind: Kind, v: &V) -> String {
    let part = |kind: Kind, x: f64| -> String {
        let name = kind.name();
        let text = if x.is_nan() {
            format!("{name}::NAN")
        } else if x.is_infinite() {
            format!("{name}::{}INFINITY", if x > 0.0 { "" } else { "NEG_" })
        } else if kind.is_half() {
            format!("{name}::from_f64({x:?})")
        } else {
            format!("{x:?}{name}")
        };
        text
    };
    match kind {
        Bool => format!("{}", v.int != 0),
        _ if kind.is_integer() => format!("{}{}", v.int, kind.name()),
        _ if kind.is_complex() => {
            let k = kind.component();
            format!("Complex::new({}, {})", part(k, v.re), part(k, v.im))
        }
        _ => part(kind, v.re),
    }
}

/// Whether a number is below a limit; NaN is not.
pub fn below(x: f64, limit: f64) -> bool {
    x < limit
}
