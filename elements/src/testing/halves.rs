//! `mul_add` of halves by arithmetic in whole numbers.

/// What numbers of a half type are.
pub struct Format {
    /// The bits of a mantissa, the one that is not stored included.
    digits: u32,
    /// The exponent of the least number.
    least: i32,
    infinity: u16,
}

pub const F16: Format = Format { digits: 11, least: -24, infinity: 0x7c00 };
pub const BF16: Format = Format { digits: 8, least: -133, infinity: 0x7f80 };

impl Format {
    /// A finite number as a whole one times a power of two.
    fn parts(&self, bits: u16) -> (i128, i32) {
        let hidden = 1i128 << (self.digits - 1);
        let (fraction, power) =
            (i128::from(bits) & (hidden - 1), (bits & 0x7fff) >> (self.digits - 1));
        let (number, exponent) = match power {
            0 => (fraction, self.least),
            _ => (fraction | hidden, self.least + i32::from(power) - 1),
        };
        (if bits >> 15 == 1 { -number } else { number }, exponent)
    }

    /// The half nearest to a whole number, not 0, times a power of two; the even one of two.
    fn nearest(&self, number: i128, exponent: i32) -> u16 {
        let (sign, number) = (u16::from(number < 0) << 15, number.unsigned_abs());
        let length = 128 - number.leading_zeros() as i32;
        let unit = self.least.max(exponent + length - self.digits as i32);
        let rounded = match unit - exponent {
            up if up <= 0 => number << -up,
            down if down > length => 0,
            down => {
                let (quotient, rest) = (number >> down, number & ((1 << down) - 1));
                let half = 1 << (down - 1);
                quotient + u128::from(rest > half || rest == half && quotient & 1 == 1)
            }
        };
        // The hidden bit counts the exponent on, as does one that is carried.
        let bits = ((unit - self.least) as u128) << (self.digits - 1);
        sign | (bits + rounded).min(self.infinity.into()) as u16
    }

    /// Whether the bits are no number.
    pub fn is_nan(&self, bits: u16) -> bool {
        bits & 0x7fff > self.infinity
    }

    /// `a·b + c`, rounded once.
    pub fn mul_add(&self, a: u16, b: u16, c: u16) -> u16 {
        let double = |bits: u16| match bits & 0x7fff {
            size if size >= self.infinity => {
                let value = if size > self.infinity { f64::NAN } else { f64::INFINITY };
                if bits >> 15 == 1 { -value } else { value }
            }
            _ => {
                let (number, exponent) = self.parts(bits);
                let size = number as f64 * 2f64.powi(exponent);
                if bits >> 15 == 1 { -size.abs() } else { size }
            }
        };
        let about = double(a) * double(b) + double(c);
        if about.is_nan() {
            return self.infinity + 1;
        }
        let sign = u16::from(about.is_sign_negative()) << 15;
        if about.is_infinite() {
            return sign | self.infinity;
        }
        let [(x, i), (y, j), c] = [a, b, c].map(|bits| self.parts(bits));
        let (high, low) = match (x * y, i + j) {
            product if product.0 == 0 => (c, (0, c.1)),
            product if c.0 == 0 => (product, (0, product.1)),
            product if product.1 >= c.1 => (product, c),
            product => (c, product),
        };
        // Of what lies that far below, only the sign matters.
        let (sum, exponent) = match high.1 - low.1 {
            far if far > 100 => ((high.0 << 100) + low.0.signum(), high.1 - 100),
            near => ((high.0 << near) + low.0, low.1),
        };
        if sum == 0 { sign } else { self.nearest(sum, exponent) }
    }
}

/// Triples of halves: all of some that are special, and others whose sums lose digits of either
/// part.
pub fn triples(format: &Format) -> Vec<[u16; 3]> {
    let one =
        (format.least.unsigned_abs() as u16 - format.digits as u16 + 2) << (format.digits - 1);
    let infinity = format.infinity;
    let hidden = 1 << (format.digits - 1);
    let sizes =
        [0, 1, 2, 3, hidden - 1, hidden, one, one + 1, one + hidden / 2, infinity - 1, infinity];
    let mut special: Vec<u16> = sizes.iter().flat_map(|&bits| [bits, bits | 0x8000]).collect();
    special.push(infinity + 1);
    let mut all = Vec::new();
    for &a in &special {
        for &b in &special {
            all.extend(special.iter().map(|&c| [a, b, c]));
        }
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for k in 0..200_000 {
        let bits = word();
        let [a, b, mut c] = [bits as u16, (bits >> 16) as u16, (bits >> 32) as u16];
        if k % 4 != 0 {
            // Near the product, or somewhat below or above it: the exponents add up.
            let power = |bits: u16| i32::from(bits & 0x7fff) >> (format.digits - 1);
            let shift = (bits >> 48) as i32 % 64 - 32;
            let near = power(a) + power(b) - (i32::from(one) >> (format.digits - 1)) + shift;
            let most = i32::from(infinity >> (format.digits - 1)) - 1;
            c = c & (0x8000 | (hidden - 1)) | (near.clamp(0, most) as u16) << (format.digits - 1);
        }
        all.push([a, b, c]);
    }
    all
}
