//! Parameter lists and expressions of kernels that are written as strings of C++.

use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::function::cpp::type_name;
use crate::function::{CudaCode, Function};
use rustc_hash::FxHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

/// The type of a parameter: one of C++, or a placeholder such as `T`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A type.
    Fixed(DType),
    /// A capital letter, which stands for the type that the argument has.
    Any(String),
}

/// One parameter of a list.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    /// The type.
    pub kind: Kind,
    /// The name.
    pub name: String,
}

/// What placeholders stand for.
pub(super) type Bound = Vec<(String, DType)>;

/// The parameters of a list such as `float x, T y`.
pub(super) fn parameters(of: &str, list: &str) -> Result<Vec<Parameter>> {
    let list = list.trim();
    if list.is_empty() {
        return Ok(Vec::new());
    }
    list.split(',').map(|part| parameter(of, part.trim())).collect()
}

fn parameter(of: &str, text: &str) -> Result<Parameter> {
    let wrong = |why: &str| Error::compile(format!("{of}: the parameter {text:?} {why}"));
    if text.contains(['*', '&']) || text.starts_with("raw ") {
        return Err(wrong("is an array to be indexed, for which a RawModule is the place"));
    }
    let (kind, name) =
        text.rsplit_once(char::is_whitespace).ok_or_else(|| wrong("needs a type and a name"))?;
    if !is_name(name) {
        return Err(wrong("has no C++ name"));
    }
    let words: Vec<&str> = kind.split_whitespace().filter(|word| *word != "const").collect();
    let kind = words.join(" ");
    let placeholder = kind.len() == 1 && kind.chars().all(|c| c.is_ascii_uppercase());
    let kind = match ctype(&kind) {
        Some(dtype) => Kind::Fixed(dtype),
        None if placeholder => Kind::Any(kind),
        None => return Err(wrong("has an unknown type")),
    };
    Ok(Parameter { kind, name: name.to_string() })
}

/// Whether a text is a name in C++ (keywords aside, of which the compiler will tell).
pub(super) fn is_name(text: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.chars().next().is_some_and(begins) && text.chars().all(|c| begins(c) || c.is_ascii_digit())
}

/// The element type that C++ or NumPy spells so.
pub(super) fn ctype(text: &str) -> Option<DType> {
    Some(match text.split_whitespace().collect::<Vec<_>>().join(" ").as_str() {
        "bool" => DType::Bool,
        "signed char" | "int8" | "int8_t" => DType::I8,
        "short" | "int16" | "int16_t" => DType::I16,
        "int" | "int32" | "int32_t" => DType::I32,
        "long long" | "int64" | "int64_t" => DType::I64,
        "unsigned char" | "uint8" | "uint8_t" => DType::U8,
        "unsigned short" | "uint16" | "uint16_t" => DType::U16,
        "unsigned" | "unsigned int" | "uint32" | "uint32_t" => DType::U32,
        "unsigned long long" | "uint64" | "uint64_t" => DType::U64,
        "half" | "float16" => DType::F16,
        "bfloat16" => DType::BF16,
        "float" | "float32" => DType::F32,
        "double" | "float64" => DType::F64,
        "complex<float>" | "complex64" => DType::C64,
        "complex<double>" | "complex128" => DType::C128,
        _ => return None,
    })
}

/// The types of some parameters, where the arguments have the types `given`; placeholders are
/// bound on the way.
pub(super) fn bind(
    of: &str,
    parameters: &[Parameter],
    given: &[DType],
    bound: &mut Bound,
) -> Result<()> {
    if parameters.len() != given.len() {
        let (wanted, given) = (parameters.len(), given.len());
        return Err(Error::shape(format!("{of}: takes {wanted} of these, and {given} were given")));
    }
    for (parameter, &given) in parameters.iter().zip(given) {
        let wanted = match &parameter.kind {
            Kind::Fixed(dtype) => *dtype,
            Kind::Any(letter) => match bound.iter().find(|b| b.0 == *letter) {
                Some(known) => known.1,
                None => {
                    bound.push((letter.clone(), given));
                    given
                }
            },
        };
        if wanted != given {
            let name = &parameter.name;
            return Err(Error::shape(format!("{of}: {name} is {wanted}, and {given} was given")));
        }
    }
    Ok(())
}

/// A C++ function to be made.
pub(super) struct Definition<'a> {
    /// The user's name.
    pub name: &'a str,
    /// Definitions that come first.
    pub preamble: &'a str,
    /// The arguments: types and names.
    pub args: Vec<(DType, &'a str)>,
    /// The results: types and names.
    pub results: Vec<(DType, &'a str)>,
    /// What placeholders stand for.
    pub bound: &'a Bound,
    /// Statements that assign the results, or an expression for the only one.
    pub body: Body<'a>,
}

/// What a function does.
pub(super) enum Body<'a> {
    /// Assigns the results by name.
    Statements(&'a str),
    /// Is the only result.
    Expression(&'a str),
}

impl Definition<'_> {
    /// The function.
    pub(super) fn function(&self) -> Function {
        let types = |list: &[(DType, &str)]| list.iter().map(|p| p.0).collect::<Vec<_>>();
        let (text, entry) = self.text();
        let mut definitions = Vec::new();
        if !self.preamble.trim().is_empty() {
            definitions.push((format!("preamble {:x}", hash(self.preamble)), self.preamble.into()));
        }
        definitions.push((entry.clone(), text));
        let (Body::Statements(body) | Body::Expression(body)) = self.body;
        Function::new(
            self.name,
            types(&self.args),
            types(&self.results),
            Some(CudaCode { entry, definitions }),
            None,
            cost(body),
        )
    }

    /// The definition and the name, which is unique for the text.
    fn text(&self) -> (String, String) {
        let arg = |(dtype, name): &(DType, &str)| format!("{} {name}", type_name(*dtype));
        let args: Vec<String> = self.args.iter().map(arg).collect();
        let types: Vec<&str> = self.results.iter().map(|r| type_name(r.0)).collect();
        let names: Vec<&str> = self.results.iter().map(|r| r.1).collect();
        let result = match &types[..] {
            [one] => (*one).to_string(),
            all => format!("lz_tuple<{}>", all.join(", ")),
        };
        let mut body = String::new();
        for (letter, dtype) in self.bound {
            let _ = writeln!(body, "    typedef {} {letter};", type_name(*dtype));
        }
        match self.body {
            Body::Expression(text) => {
                let _ = writeln!(body, "    return ({text}\n    );");
            }
            Body::Statements(text) => {
                for (dtype, name) in &self.results {
                    let _ = writeln!(body, "    {} {name} = {{}};", type_name(*dtype));
                }
                let returned = match &names[..] {
                    [one] => (*one).to_string(),
                    all => format!("{{{}}}", all.join(", ")),
                };
                let _ = writeln!(body, "    {{\n{text}\n    ;}}\n    return {returned};");
            }
        }
        let rest = format!("({}) {{\n{body}}}\n", args.join(", "));
        let entry = format!("{}_{:016x}", self.name, hash(&(&result, &rest, self.preamble)));
        (format!("LZ_FN {result} {entry}{rest}"), entry)
    }
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A guess at what a piece of C++ costs: an operator is an addition, a call several.
fn cost(text: &str) -> f64 {
    let mut cost = 0.0;
    let mut word = false;
    for c in text.chars() {
        cost += match c {
            '+' | '-' | '*' | '<' | '>' | '?' | '&' | '|' => 1.0,
            '/' | '%' => 4.0,
            '(' if word => 12.0,
            _ => 0.0,
        };
        word = c.is_alphanumeric() || c == '_';
    }
    f64::max(cost, 1.0)
}

/// A number written in C++, in a given type.
pub(super) fn number(of: &str, text: &str, dtype: DType) -> Result<Scalar> {
    let word = text.trim().to_ascii_lowercase();
    let plain = word.trim_end_matches(['f', 'l', 'u']);
    let value = match word.as_str() {
        "infinity" | "+infinity" | "inf" => Some(f64::INFINITY),
        "-infinity" | "-inf" => Some(f64::NEG_INFINITY),
        "nan" => Some(f64::NAN),
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => plain.parse::<f64>().ok(),
    };
    let wrong = || Error::compile(format!("{of}: the identity {text:?} is no number of {dtype}"));
    if let (true, Ok(whole)) = (dtype.is_integer(), plain.parse::<i128>()) {
        macro_rules! fit {
            ($($d:ident $t:ty),*) => {
                match dtype {
                    $(DType::$d => <$t>::try_from(whole).ok().map(Scalar::new),)*
                    _ => None,
                }
            };
        }
        let fits = fit!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64);
        return fits.ok_or_else(wrong);
    }
    let value = value.ok_or_else(wrong)?;
    if dtype.is_integer() && (value.fract() != 0.0 || !value.is_finite()) {
        return Err(wrong());
    }
    Ok(Scalar::from_f64(dtype, value))
}
