//! Chains of integer casts and wrapping operations, against whole numbers on the host that are wrapped
//! by their definition. Compilers for GPUs have lost narrowings in such chains.

use crate::support::value::{Value, on};
use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use lazuli::{AnyArray, eval};

const TYPES: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];

/// A whole number in an integer type, wrapped.
fn wrapped(x: i128, dtype: &str) -> i128 {
    let bits: u32 = dtype[1..].parse().expect("a name is a letter and a width");
    let x = x.rem_euclid(1 << bits);
    if dtype.starts_with('i') && x >> (bits - 1) == 1 { x - (1 << bits) } else { x }
}

fn cast(x: &Value, dtype: &str) -> Value {
    let cast = on!(integer Value, x, a => match dtype {
        "i8" => Value::from(a.cast::<i8>()),
        "i16" => Value::from(a.cast::<i16>()),
        "i32" => Value::from(a.cast::<i32>()),
        "i64" => Value::from(a.cast::<i64>()),
        "u8" => Value::from(a.cast::<u8>()),
        "u16" => Value::from(a.cast::<u16>()),
        "u32" => Value::from(a.cast::<u32>()),
        _ => Value::from(a.cast::<u64>()),
    });
    cast.expect("a chain holds integers")
}

/// A chain on its way: the array, its numbers by definition, and what was done.
struct Chain {
    value: Value,
    numbers: Vec<i128>,
    text: String,
}

impl Chain {
    fn map(&mut self, text: &str, value: Option<Value>, f: impl Fn(i128) -> i128) {
        self.value = value.expect("a chain holds integers");
        let dtype = self.value.dtype();
        self.numbers.iter_mut().for_each(|x| *x = wrapped(f(*x), dtype));
        self.text += &format!(", {text} ({dtype})");
    }

    /// One more step, drawn at random.
    fn step(&mut self, rng: &mut Rng, at: &DeviceArray<i64>, places: &[i64]) {
        let x = self.value.clone();
        let n = self.numbers.len();
        let by = rng.below(11) as i128 - 5;
        match rng.below(14) {
            0..5 => {
                let to = rng.pick(&TYPES);
                self.map("cast", Some(cast(&x, to)), |x| x);
            }
            5 => self.map(
                "0 - x",
                on!(integer Value, &x, a => Value::from(a.zeros_like() - a)),
                |x| -x,
            ),
            6 if x.dtype().starts_with('i') => {
                let value = match &x {
                    Value::I8(a) => Value::from(-a),
                    Value::I16(a) => Value::from(-a),
                    Value::I32(a) => Value::from(-a),
                    Value::I64(a) => Value::from(-a),
                    _ => unreachable!("the type is signed"),
                };
                self.map("-x", Some(value), |x| -x);
            }
            7 => self.map("x * x", on!(integer Value, &x, a => Value::from(a * a)), |x| {
                x.wrapping_mul(x)
            }),
            8 => {
                let value = on!(integer Value, &x, a => {
                    Value::from(a + a.zeros_like().add_number(by))
                });
                self.map(&format!("x + {by}"), value, |x| x + by);
            }
            9 => self.map("!x", on!(integer Value, &x, a => Value::from(a.bitwise_not())), |x| !x),
            10 => {
                let value = on!(integer Value, &x, a => {
                    Value::from(a.left_shift(a.zeros_like().add_number(3)))
                });
                self.map("x << 3", value, |x| x << 3);
            }
            11 => {
                let value = on!(integer Value, &x, a => {
                    Value::from(a.right_shift(a.zeros_like().add_number(2)))
                });
                self.map("x >> 2", value, |x| x >> 2);
            }
            12 => {
                self.value = on!(integer Value, &x, a => Value::from(a.take(at, 0))).unwrap();
                self.numbers = places.iter().map(|&k| self.numbers[k as usize]).collect();
                self.text += ", take";
            }
            _ => {
                self.value = on!(integer Value, &x, a => Value::from(a.roll(1, 0))).unwrap();
                self.numbers.rotate_right(1);
                self.text += ", roll";
            }
        }
        assert_eq!(self.numbers.len(), n);
    }
}

/// A small number added in an array's own type.
trait AddNumber {
    fn add_number(&self, by: i128) -> Self;
}

impl<T: Integer> AddNumber for DeviceArray<T> {
    fn add_number(&self, by: i128) -> Self {
        let one = self.zeros_like() + T::ONE;
        let magnitude = (0..by.unsigned_abs()).fold(self.zeros_like(), |sum, _| sum + &one);
        if by < 0 { self - magnitude } else { self + magnitude }
    }
}

/// Random whole numbers of all magnitudes, and the ends of each type.
fn numbers(rng: &mut Rng, n: usize) -> Vec<i64> {
    let ends = [0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, -32768, 65535, i64::MIN, i64::MAX];
    let any = |k: usize, rng: &mut Rng| match k % 3 {
        0 => ends[k / 3 % ends.len()],
        1 => rng.next() as i64 >> rng.below(63),
        _ => rng.next() as i32 as i64,
    };
    (0..n).map(|k| any(k, rng)).collect()
}

#[test]
fn chains_of_integer_casts_wrap_at_each_step() {
    on_each_device(|device| {
        let mut rng = Rng(0x1e55);
        // Each is a kernel of its own on a GPU, with twelve chains.
        for turn in 0..if device.is_cuda() { 150 } else { 400 } {
            let n = [57, 300, 4100][turn % 3];
            let start = numbers(&mut rng, n);
            let places: Vec<i64> = (0..n).map(|_| rng.below(n) as i64).collect();
            let at = DeviceArray::from_slice(&places).unwrap();
            let x = DeviceArray::from_slice(&start).unwrap();
            let chains: Vec<Chain> = (0..12)
                .map(|_| {
                    let numbers = start.iter().map(|&x| i128::from(x)).collect();
                    let text = String::from("i64");
                    let mut chain = Chain { value: x.clone().into(), numbers, text };
                    (0..3 + rng.below(6)).for_each(|_| chain.step(&mut rng, &at, &places));
                    chain
                })
                .collect();
            let all: Vec<&dyn AnyArray> = chains.iter().map(|c| c.value.any()).collect();
            eval(&all).unwrap();
            for chain in &chains {
                let found = on!(integer Value, &chain.value, a => {
                    a.to_vec().unwrap().into_iter().map(i128::from).collect::<Vec<i128>>()
                });
                let found = found.expect("a chain holds integers");
                let differ = found.iter().zip(&chain.numbers).position(|(a, b)| a != b);
                if let Some(k) = differ {
                    panic!("{}: {} for {} at {k}", chain.text, found[k], chain.numbers[k]);
                }
            }
        }
    });
}

/// The program by which it was found.
#[test]
fn a_narrowed_number_is_negated_as_what_it_is() {
    on_each_device(|_| {
        let x = DeviceArray::from_slice(&[57266229i64, 0, -14, -171798687, -128]).unwrap();
        let at = DeviceArray::from_slice(&[3i64, 0, 1, 4, 2]).unwrap();
        let y = (-x.cast::<i8>().take(&at, 0)).cast::<u16>();
        assert_eq!(y.to_vec().unwrap(), [65439, 65483, 0, 65408, 14]);
    });
}
