//! Programs on a device: arrays whose element type is a value, and how each node is recorded.

use super::functions;
use super::op::{Margin, Op, Part};
use super::value::{Host, Kind, V};
use lazuli::prelude::*;
use lazuli::{Error, PadMode, Scan, Side, random::Generator, try_concatenate, try_stack};
use ndarray::SliceInfoElem;

/// An element type of the library, and how the interpreter's values become its elements.
pub trait Typed: Element {
    const KIND: Kind;
    fn of(value: &Value) -> &DeviceArray<Self>;
    fn value(array: DeviceArray<Self>) -> Value;
    fn from_v(v: &V) -> Self;
    fn to_v(self) -> V;
}

macro_rules! define {
    ($($k:ident $t:ty, |$v:ident| $from:expr, |$x:ident| $to:expr;)*) => {
        /// An array on a device, of any element type.
        #[derive(Clone)]
        pub enum Value { $($k(DeviceArray<$t>)),* }

        $(impl Typed for $t {
            const KIND: Kind = Kind::$k;
            fn of(value: &Value) -> &DeviceArray<Self> {
                match value {
                    Value::$k(a) => a,
                    other => panic!("{:?} where {} was expected", other.kind(), stringify!($t)),
                }
            }
            fn value(array: DeviceArray<Self>) -> Value { Value::$k(array) }
            fn from_v($v: &V) -> Self { $from }
            fn to_v(self) -> V { let $x = self; $to }
        })*

        impl Value {
            /// The element type.
            pub fn kind(&self) -> Kind {
                match self { $(Value::$k(_) => Kind::$k),* }
            }

            /// The array, whatever its type.
            pub fn any(&self) -> &dyn AnyArray {
                match self { $(Value::$k(a) => a),* }
            }

            /// The number of axes.
            pub fn rank(&self) -> usize {
                match self { $(Value::$k(a) => a.ndim()),* }
            }

            /// The array on another device or over others.
            pub fn to(&self, device: Device) -> lazuli::Result<Value> {
                Ok(match self { $(Value::$k(a) => Value::$k(a.to(device)?)),* })
            }

            /// Whether the array can be computed where it lies.
            pub fn is_possible(&self) -> bool {
                let sharding = match self { $(Value::$k(a) => a.sharding()),* };
                sharding.is_none_or(|sharding| sharding.is_possible())
            }

            /// Evaluates and copies to the host.
            pub fn read(&self) -> lazuli::Result<Host> {
                match self { $(Value::$k(a) => read(a)),* }
            }
        }

        /// Runs code with the Rust type of an element type.
        macro_rules! typed {
            ($kind:expr, $name:ident => $e:expr) => {
                match $kind { $(Kind::$k => { type $name = $t; $e })* }
            };
        }
        pub(crate) use typed;
    };
}
define! {
    Bool bool, |v| v.int != 0, |x| V::truth(x);
    I8 i8, |v| v.int as i8, |x| V::int(x.into());
    I16 i16, |v| v.int as i16, |x| V::int(x.into());
    I32 i32, |v| v.int as i32, |x| V::int(x.into());
    I64 i64, |v| v.int as i64, |x| V::int(x.into());
    U8 u8, |v| v.int as u8, |x| V::int(x.into());
    U16 u16, |v| v.int as u16, |x| V::int(x.into());
    U32 u32, |v| v.int as u32, |x| V::int(x.into());
    U64 u64, |v| v.int as u64, |x| V::int(x.into());
    F16 f16, |v| f16::from_f64(v.re), |x| V::float(x.to_f64());
    BF16 bf16, |v| bf16::from_f64(v.re), |x| V::float(x.to_f64());
    F32 f32, |v| v.re as f32, |x| V::float(x.into());
    F64 f64, |v| v.re, |x| V::float(x);
    C64 Complex<f32>, |v| Complex::new(v.re as f32, v.im as f32),
        |x| V::complex(x.re.into(), x.im.into());
    C128 Complex<f64>, |v| Complex::new(v.re, v.im), |x| V::complex(x.re, x.im);
}

impl<T: Typed> From<DeviceArray<T>> for Value {
    fn from(array: DeviceArray<T>) -> Value {
        T::value(array)
    }
}

fn read<T: Typed>(a: &DeviceArray<T>) -> lazuli::Result<Host> {
    let data = a.to_vec()?.into_iter().map(T::to_v).collect();
    Ok(Host::new(T::KIND, a.shape().to_vec(), data))
}

/// The array in `value`, which has the element type of `model`.
fn like<'a, T: Typed>(_model: &DeviceArray<T>, value: &'a Value) -> &'a DeviceArray<T> {
    T::of(value)
}

/// Runs an expression with the array of a [`Value`], once for each element type of a class.
macro_rules! on {
    (element $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128)
    };
    (number $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128)
    };
    (real $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64)
    };
    (signed $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; I8 I16 I32 I64 F16 BF16 F32 F64 C64 C128)
    };
    (integer $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; I8 I16 I32 I64 U8 U16 U32 U64)
    };
    (bits $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64)
    };
    (ordered $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64)
    };
    (inexact $x:expr, $a:ident => $e:expr) => {
        on!(@ $x, $a, $e; F16 BF16 F32 F64 C64 C128)
    };
    (floating $x:expr, $a:ident => $e:expr) => { on!(@ $x, $a, $e; F16 BF16 F32 F64) };
    (component $x:expr, $a:ident => $e:expr) => { on!(@ $x, $a, $e; F32 F64) };
    (@ $x:expr, $a:ident, $e:expr; $($v:ident)*) => {{
        #[allow(unreachable_patterns)]
        match $x { $(Value::$v($a) => Ok::<Value, Error>($e),)* other => refuse(other) }
    }};
}

/// The interpreter takes what the library does not: a fault of the harness.
fn refuse(value: &Value) -> lazuli::Result<Value> {
    panic!("the harness has no method for {:?}", value.kind())
}

/// The names of the operations of one argument, by class.
macro_rules! unary {
    ($name:expr, $x:expr; $($class:ident: $($method:ident)*;)*) => {
        match $name {
            $($(stringify!($method) => on!($class $x, a => a.$method().into()),)*)*
            _ => refuse($x),
        }
    };
}

fn unary(name: &str, x: &Value) -> lazuli::Result<Value> {
    unary! { name, x;
        signed: negative;
        number: abs sign square reciprocal;
        inexact: sqrt exp ln log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
            is_nan is_inf is_finite conj real imag angle;
        floating: exp2 exp10 exp_m1 ln_1p cbrt floor ceil trunc rint round_ties_away degrees radians sinc
            signbit erf erfc erfinv gamma lgamma bessel_j0 bessel_j1 is_pos_inf is_neg_inf
            frexp_mantissa frexp_exponent;
        element: logical_not;
        bits: bitwise_not;
        integer: bitwise_count;
    }
}

/// As `unary`, for two arguments of one type.
macro_rules! binary {
    ($name:expr, $x:expr, $y:expr; $($class:ident: $($method:ident $checked:ident),*;)*) => {
        match $name {
            $($(stringify!($method) => {
                on!($class $x, a => a.$checked(like(a, $y))?.into())
            })*)*
            _ => refuse($x),
        }
    };
}

fn binary(name: &str, x: &Value, y: &Value) -> lazuli::Result<Value> {
    binary! { name, x, y;
        number: add try_add, subtract try_subtract, multiply try_multiply, divide try_divide,
            power try_power;
        real: fmod try_fmod, floor_divide try_floor_divide, remainder try_remainder,
            div_euclid try_div_euclid, rem_euclid try_rem_euclid;
        floating: logaddexp try_logaddexp, atan2 try_atan2, hypot try_hypot,
            copysign try_copysign, heaviside try_heaviside;
        component: to_complex try_to_complex;
        ordered: maximum try_maximum, minimum try_minimum, fmax try_fmax, fmin try_fmin,
            less try_less, less_equal try_less_equal, greater try_greater,
            greater_equal try_greater_equal;
        element: equal try_equal, not_equal try_not_equal, logical_and try_logical_and,
            logical_or try_logical_or, logical_xor try_logical_xor;
        bits: bitwise_and try_bitwise_and, bitwise_or try_bitwise_or, bitwise_xor try_bitwise_xor;
        integer: left_shift try_left_shift, right_shift try_right_shift, gcd try_gcd, lcm try_lcm;
    }
}

/// A region as the library takes it.
pub fn region(parts: &[Part]) -> Vec<SliceInfoElem> {
    let one = |p: &Part| match *p {
        Part::Index(i) => SliceInfoElem::Index(i),
        Part::Range { start, end, step } => {
            SliceInfoElem::Slice { start: start as isize, end: Some(end as isize), step }
        }
    };
    parts.iter().map(one).collect()
}

fn margin<T: Typed>(m: &Margin) -> PadMode<T> {
    match m {
        Margin::Constant(v) => PadMode::Constant(T::from_v(v)),
        Margin::Edge => PadMode::Edge,
        Margin::Reflect => PadMode::Reflect,
        Margin::Wrap => PadMode::Wrap,
    }
}

fn upload(host: &Host) -> lazuli::Result<Value> {
    typed!(host.kind, T => {
        let data: Vec<T> = host.data.iter().map(T::from_v).collect();
        Ok(DeviceArray::from_vec(host.shape.clone(), data)?.into())
    })
}

/// Draws numbers; some were drawn before, so that these begin anywhere.
pub fn draw(law: &str, seed: u64, skip: usize, shape: &[usize]) -> lazuli::Result<Value> {
    let mut g = Generator::new(seed);
    if skip > 0 {
        let _ = g.try_random::<f32>(skip)?;
    }
    let shape = shape.to_vec();
    Ok(match law {
        "random f32" => g.try_random::<f32>(shape)?.into(),
        "random f64" => g.try_random::<f64>(shape)?.into(),
        "normal f32" => g.try_standard_normal::<f32>(shape)?.into(),
        "normal f64" => g.try_standard_normal::<f64>(shape)?.into(),
        "integers i64" => g.try_integers::<i64>(-50..50, shape)?.into(),
        "integers u8" => g.try_integers::<u8>(.., shape)?.into(),
        _ => g.try_bernoulli(0.5, shape)?.into(),
    })
}

/// Records a node on the current device.
pub fn record(op: &Op, args: &[&Value]) -> lazuli::Result<Value> {
    match (op, args) {
        (Op::Input(host), []) => upload(host),
        (Op::Draw { law, seed, skip, values }, []) => draw(law, *seed, *skip, &values.shape),
        (Op::Full(kind, shape, v), []) => {
            typed!(*kind, T => Ok(DeviceArray::<T>::full(shape.clone(), T::from_v(v)).into()))
        }
        (Op::Range(kind, n), []) => range(*kind, *n),
        (Op::Map(name), [a]) => unary(name, a),
        (Op::Map(name), [a, b]) => binary(name, a, b),
        (Op::Map("clip"), [a, b, c]) => {
            on!(ordered a, a => a.try_clip(like(a, b), like(a, c))?.into())
        }
        (Op::Map(_), [a, b, c]) => {
            on!(number a, a => a.try_mul_add(like(a, b), like(a, c))?.into())
        }
        (Op::Select, [mask, a, b]) => {
            on!(element a, a => bool::of(mask).try_select(a, like(a, b))?.into())
        }
        (Op::Cast(to), [a]) => typed!(*to, T => on!(element a, a => a.cast::<T>().into())),
        (Op::Ldexp, [a, b]) => on!(floating a, a => a.try_ldexp(i32::of(b))?.into()),
        (Op::User(name), args) => user(name, args),
        (Op::UserFold { axis, scan }, [a]) => Ok(match scan {
            true => functions::last::scan(i32::of(a), *axis as isize).into(),
            false => functions::last::reduce(i32::of(a), *axis as isize).into(),
        }),
        (Op::Reduce { name, axes, keep: kept }, [a]) => reduce(name, a, axes, *kept),
        (Op::Scan { name, axis, reverse, exclusive }, [a]) => {
            let how = if *reverse { Scan::new().reverse() } else { Scan::new() };
            let how = if *exclusive { how.exclusive() } else { how };
            scan(name, a, *axis as isize, how)
        }
        _ => of_places(op, args),
    }
}

fn range(kind: Kind, n: usize) -> lazuli::Result<Value> {
    macro_rules! of {
        ($($k:ident $t:ty;)*) => {
            match kind {
                $(Kind::$k => {
                    let end = if kind.is_discrete() { V::int(n as i128) } else { V::float(n as f64) };
                    Ok(DeviceArray::<$t>::arange_to(<$t as Typed>::from_v(&end)).into())
                })*
                _ => unreachable!("ranges are of real numbers"),
            }
        };
    }
    of! { I8 i8; I16 i16; I32 i32; I64 i64; U8 u8; U16 u16; U32 u32; U64 u64; F32 f32; F64 f64; }
}

fn user(name: &str, args: &[&Value]) -> lazuli::Result<Value> {
    Ok(match (name, args) {
        ("collatz", [a, b]) => functions::collatz::call(i64::of(a), i32::of(b)).into(),
        ("choose", [a, b]) => functions::choose::call(f64::of(a), f64::of(b)).into(),
        ("mix", [a, b]) => functions::mix::call(u32::of(a), u32::of(b)).into(),
        (_, [a, ..]) => functions::neighbours::call(i64::of(a)).into(),
        _ => unreachable!("functions have arguments"),
    })
}

fn reduce(name: &str, a: &Value, axes: &[usize], kept: bool) -> lazuli::Result<Value> {
    macro_rules! methods {
        ($($class:ident: $($method:ident)*;)*) => {
            match name {
                $($(stringify!($method) => on!($class a, a => {
                    if kept { a.$method(keep(axes)).into() } else { a.$method(axes).into() }
                }),)*)*
                _ => refuse(a),
            }
        };
    }
    methods! {
        element: sum prod any all count_nonzero mean var std;
        ordered: min max argmin argmax;
        real: ptp;
    }
}

fn scan(name: &str, a: &Value, axis: isize, how: Scan) -> lazuli::Result<Value> {
    match name {
        "cumsum" => on!(element a, a => a.try_cumsum_with(axis, how)?.into()),
        "cumprod" => on!(element a, a => a.try_cumprod_with(axis, how)?.into()),
        "cummin" => on!(ordered a, a => a.try_cummin_with(axis, how)?.into()),
        _ => on!(ordered a, a => a.try_cummax_with(axis, how)?.into()),
    }
}

/// What moves, joins, assigns, sorts and counts.
fn of_places(op: &Op, args: &[&Value]) -> lazuli::Result<Value> {
    match (op, args) {
        (Op::Concat(axis), [a, ..]) => on!(element a, a => {
            let parts: Vec<_> = args.iter().map(|v| like(a, v)).collect();
            try_concatenate(&parts, *axis as isize)?.into()
        }),
        (Op::Stack(axis), [a, ..]) => on!(element a, a => {
            let parts: Vec<_> = args.iter().map(|v| like(a, v)).collect();
            try_stack(&parts, *axis as isize)?.into()
        }),
        (Op::Assign(parts), [a, value]) => {
            let parts = region(parts);
            on!(element a, a => a.try_with_slice(&parts, like(a, value))?.into())
        }
        (Op::AssignWhere, [a, mask, value]) => {
            on!(element a, a => a.try_with_where(bool::of(mask), like(a, value))?.into())
        }
        (Op::TakeBy(axis), [a, at]) => {
            on!(element a, a => a.try_take(i64::of(at), *axis as isize)?.into())
        }
        (Op::TakeClipped(axis), [a, at]) => {
            on!(element a, a => a.try_take_clipped(i64::of(at), *axis as isize)?.into())
        }
        (Op::TakeAlong(axis), [a, at]) => {
            on!(element a, a => a.try_take_along_axis(i64::of(at), *axis as isize)?.into())
        }
        (Op::Scatter { name, positions, axis }, [a, b]) => {
            scatter(name, a, b, positions, *axis as isize)
        }
        (Op::Search { right }, [a, b]) => {
            let side = if *right { Side::Right } else { Side::Left };
            on!(ordered a, a => a.try_searchsorted(like(a, b), side)?.into())
        }
        (Op::Bincount(least), [a]) => on!(integer a, a => a.bincount(*least)?.into()),
        (Op::Matmul, [a, b]) => on!(number a, a => a.try_matmul(like(a, b))?.into()),
        (op, [a]) => view(op, a),
        _ => unreachable!("the interpreter takes no such node"),
    }
}

fn scatter(name: &str, a: &Value, b: &Value, at: &[i64], axis: isize) -> lazuli::Result<Value> {
    let at = at.to_vec();
    match name {
        "put" => on!(element a, a => a.try_with_put(&at, like(a, b), axis)?.into()),
        "add" => on!(number a, a => a.try_scatter_add(&at, like(a, b), axis)?.into()),
        "min" => on!(ordered a, a => a.try_scatter_min(&at, like(a, b), axis)?.into()),
        _ => on!(ordered a, a => a.try_scatter_max(&at, like(a, b), axis)?.into()),
    }
}

fn view(op: &Op, a: &Value) -> lazuli::Result<Value> {
    on!(element a, a => match op {
        Op::Slice(parts) => a.try_slice(region(parts))?.into(),
        Op::Permute(order) => {
            let order: Vec<isize> = order.iter().map(|&k| k as isize).collect();
            a.try_permute(&order)?.into()
        }
        Op::Reshape(shape) => a.try_reshape(shape.clone())?.into(),
        Op::Broadcast(shape) => a.try_broadcast_to(shape.clone())?.into(),
        Op::InsertAxis(axis) => a.try_insert_axis(*axis as isize)?.into(),
        Op::Flip(axis) => a.try_flip(*axis)?.into(),
        Op::Roll(by, axis) => a.try_roll(*by, *axis as isize)?.into(),
        Op::Repeat(times, axis) => a.try_repeat(*times, *axis as isize)?.into(),
        Op::Tile(times) => a.try_tile(times.clone())?.into(),
        Op::Windows(n, axis) => a.try_sliding_windows(*n, *axis as isize)?.into(),
        Op::Diagonal(offset, x, y) => a.try_diagonal(*offset, *x as isize, *y as isize)?.into(),
        Op::Pad(widths, m) => a.try_pad(widths, margin(m))?.into(),
        Op::Take(at, axis) => a.try_take(at, *axis as isize)?.into(),
        _ => return order(op, a),
    })
}

fn order<T: Typed>(op: &Op, a: &DeviceArray<T>) -> lazuli::Result<Value> {
    Ok(match *op {
        Op::Sort { axis, down: false } => a.try_sort(axis as isize)?.into(),
        Op::Sort { axis, down: true } => a.try_sort_descending(axis as isize)?.into(),
        Op::Argsort { axis, down: false } => a.try_argsort(axis as isize)?.into(),
        Op::Argsort { axis, down: true } => a.try_argsort_descending(axis as isize)?.into(),
        Op::TopK { k, axis, positions } => {
            let (values, places) = a.try_top_k(k, axis as isize)?;
            if positions { places.into() } else { values.into() }
        }
        _ => unreachable!("the interpreter takes no such node"),
    })
}
