//! The device code of a function for given types: a template of C++, and the holes that the
//! probe fills.

use super::columns::Named;
use super::lanes::{Course, Laned, Lanes, Mask};
use super::pack::Pack;
use super::types::{DeviceScalar, DeviceType};
use crate::dtype::DType;
use crate::function::CudaCode;
use crate::function::cpp::type_name;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

/// A function with `#[device]` (or one of its kin) for the generic arguments `G`.
pub trait DeviceFn<G>: 'static {
    /// The types of the arguments.
    type Args;
    /// The type of the result.
    type Output;
    /// The path of the function.
    const NAME: &'static str;
    /// Gives the template and what fills its holes.
    fn describe(lz: &mut Describe);
    /// The function with mathematics that vectorises; sets `rare` where that cannot give the
    /// value.
    fn fast(args: Self::Args, rare: &mut bool) -> Self::Output;
    /// The function as the user wrote it.
    fn plain(args: Self::Args) -> Self::Output;
    /// Whether there are loops in it, so that its lane form is the faster one.
    const LANES: bool = false;
    /// The function for the lanes of a mask; for the others it gives any values.
    fn lanes(_: Lanes<Self::Args>, _: &Mask, _: &mut Course) -> Lanes<Self::Output>
    where
        Self::Args: Laned,
        Self::Output: Laned,
    {
        unreachable!("a function without loops has no lane form")
    }
}

/// The instance of a function for the generic arguments `G`, as a type.
pub struct Callee<F, G>(PhantomData<(F, G)>);

/// A constant among the generic arguments, as a type.
pub struct Const<const N: usize>;

/// A place in a probe whose type rustc infers, and that fills one hole of the template.
pub struct Slot<T>(PhantomData<T>);

impl<T> Slot<T> {
    /// A slot of a type that is to be inferred.
    #[allow(clippy::new_without_default, reason = "made by macros alone")]
    pub const fn new() -> Self {
        Slot(PhantomData)
    }

    /// Ties the slot's type to that of a value.
    pub fn tie(&self, value: T) -> T {
        value
    }

    /// Fills the hole with the name of the type.
    pub fn inferred(&self, lz: &mut Describe)
    where
        T: DeviceType,
    {
        lz.holes.push(T::type_name());
    }

    /// Fills the hole with the C++ name of a field.
    pub fn member(&self, lz: &mut Describe, field: &str)
    where
        T: Named,
    {
        lz.holes.push(T::field(field));
    }

    /// Fills the hole with a value.
    pub fn constant(&self, lz: &mut Describe, value: T)
    where
        T: DeviceType,
    {
        lz.holes.push(value.literal());
    }
}

impl<G: 'static, F: DeviceFn<G>> Slot<Callee<F, G>> {
    /// Fills the hole with the name of a function, and brings its definition.
    pub fn call(&self, lz: &mut Describe) {
        let code = code::<F, G>();
        lz.holes.push(code.cuda.entry.clone());
        lz.cost += code.cost;
        for definition in &code.cuda.definitions {
            if !lz.definitions.contains(definition) {
                lz.definitions.push(definition.clone());
            }
        }
    }
}

/// Says that what is compared is a number.
pub fn comparable<T: DeviceScalar>(value: T) -> T {
    value
}

/// Says that what is indexed is an array in registers.
pub fn register_array<T: DeviceType, const N: usize>(value: [T; N]) -> [T; N] {
    value
}

/// What a function tells of itself for one choice of types.
#[derive(Default)]
pub struct Describe {
    holes: Vec<String>,
    definitions: Vec<(String, String)>,
    text: String,
    cost: f64,
}

impl Describe {
    /// Fills the next hole with the name of a type.
    pub fn named<T: DeviceType>(&mut self) {
        self.holes.push(T::type_name());
    }

    /// Fills the next hole with the C++ name of a field of a type.
    pub fn field<T: Named>(&mut self, field: &str) {
        self.holes.push(T::field(field));
    }

    /// Gives the C++, with its holes `$0$`, `$1$`, …, and what a call costs beside its callees.
    pub fn template(&mut self, template: &str, cost: f64) {
        self.cost += cost;
        for (k, part) in template.split('$').enumerate() {
            match part.parse::<usize>() {
                Ok(hole) if k % 2 == 1 => self.text += &self.holes[hole],
                _ => self.text += part,
            }
        }
    }

    /// The C++ with its holes filled, the definitions that it needs, and the cost.
    #[allow(dead_code, reason = "for kernels")]
    pub(crate) fn finish(self) -> (String, Vec<(String, String)>, f64) {
        (self.text, self.definitions, self.cost)
    }
}

/// The device code of one instance.
pub(crate) struct Code {
    pub(crate) cuda: CudaCode,
    pub(crate) cost: f64,
}

/// The device code of a function for given types, made once.
pub(crate) fn code<F: DeviceFn<G>, G: 'static>() -> Arc<Code> {
    static MADE: LazyLock<Mutex<HashMap<TypeId, Arc<Code>>>> = LazyLock::new(Mutex::default);
    let id = TypeId::of::<Callee<F, G>>();
    if let Some(code) = MADE.lock().get(&id) {
        return code.clone();
    }
    // Describing takes the lock for its callees, so it is not held here.
    let code = Arc::new(make::<F, G>());
    MADE.lock().entry(id).or_insert(code).clone()
}

fn make<F: DeviceFn<G>, G: 'static>() -> Code {
    let mut lz = Describe::default();
    F::describe(&mut lz);
    let (text, mut definitions, cost) = lz.finish();
    // The text holds the types and the names of the callees, which hold theirs: it says it all.
    let hash = Sha256::digest(format!("{}\n{text}", F::NAME));
    let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let plain = F::NAME.rsplit("::").next().unwrap_or("f");
    let plain: String = plain.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let entry = format!("lz_user_{plain}_{hash}");
    definitions.push((entry.clone(), text.replace('@', &entry)));
    Code { cuda: CudaCode { entry, definitions }, cost }
}

/// The code with numbers as its arguments: where the function takes tuples, one more function
/// makes them.
pub(crate) fn flat<A: Pack>(code: &CudaCode, args: &[DType], results: &[DType]) -> CudaCode {
    let name = |k: usize| format!("a{k}");
    let (values, nested) = A::arguments(&mut (0..args.len()).map(name));
    let mut code = code.clone();
    if !nested {
        return code;
    }
    let parameters: Vec<String> =
        args.iter().enumerate().map(|(k, &d)| format!("{} {}", type_name(d), name(k))).collect();
    let output = match results {
        [one] => type_name(*one).to_string(),
        more => {
            let names: Vec<&str> = more.iter().map(|&d| type_name(d)).collect();
            format!("lz_tuple<{}>", names.join(", "))
        }
    };
    let entry = format!("{}_flat", code.entry);
    let text = format!(
        "LZ_FN {output} {entry}({}) {{\n    return {}({});\n}}\n",
        parameters.join(", "),
        code.entry,
        values.join(", ")
    );
    code.definitions.push((entry.clone(), text));
    code.entry = entry;
    code
}
