//! What a program is given: the `.npy` files of its folder.

use lazuli::prelude::*;
use std::any::Any;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The arrays of a folder by the names of their files. Numbers are arrays without axes.
pub struct Inputs {
    arrays: HashMap<String, Box<dyn Any>>,
    /// Whether a run says what it evaluates.
    pub explain: bool,
}

/// What a program's argument may be.
pub trait Argument<'a>: Sized {
    fn of(inputs: &'a Inputs, name: &str) -> Result<Self, String>;
}

impl Inputs {
    /// Reads every array of the folder but the expected outputs.
    pub fn open(folder: &Path) -> Result<Inputs, String> {
        let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut arrays = HashMap::new();
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_array = path.extension().is_some_and(|e| e == "npy");
            if is_array && !name.contains('.') {
                arrays.insert(name, boxed(read(&path)?)?);
            }
        }
        Ok(Inputs { arrays, explain: false })
    }

    /// An argument: a number, a shared array, or an array that is the program's own.
    pub fn take<'a, A: Argument<'a>>(&'a self, name: &str) -> Result<A, String> {
        A::of(self, name)
    }

    /// An input that the harness reads itself, if there is one.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        self.array::<f64>(name).ok()?.to_vec().ok()
    }

    fn array<T: Element>(&self, name: &str) -> Result<&DeviceArray<T>, String> {
        let array = self.arrays.get(name).ok_or_else(|| format!("no input {name:?}"))?;
        let typed = array.downcast_ref();
        typed.ok_or_else(|| format!("the input {name:?} does not hold {}", T::DTYPE))
    }
}

impl<'a, T: Element> Argument<'a> for &'a DeviceArray<T> {
    fn of(inputs: &'a Inputs, name: &str) -> Result<Self, String> {
        inputs.array(name)
    }
}

/// A copy that nothing else holds, as the program assigns to parts of it.
impl<'a, T: Element> Argument<'a> for DeviceArray<T> {
    fn of(inputs: &'a Inputs, name: &str) -> Result<Self, String> {
        let host = inputs.array::<T>(name)?.copy_to_host();
        host.and_then(|host| to_device(&host)).map_err(|e| e.to_string())
    }
}

macro_rules! numbers {
    ($($t:ty, $stored:ty;)*) => {$(
        impl<'a> Argument<'a> for $t {
            fn of(inputs: &'a Inputs, name: &str) -> Result<Self, String> {
                let number = inputs.array::<$stored>(name)?.item().map_err(|e| e.to_string())?;
                number.try_into().map_err(|_| format!("the input {name:?} is {number}"))
            }
        }
    )*};
}
numbers! { f64, f64; i64, i64; usize, i64; }

macro_rules! types {
    ($($descriptor:literal $name:ident $t:ty;)*) => {
        /// Reads an array of whatever type the file holds.
        pub fn read(path: &Path) -> Result<TypedArray, String> {
            let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
            let mut start = Vec::new();
            let file = File::open(path).map_err(|e| failed(&e))?;
            file.take(128).read_to_end(&mut start).map_err(|e| failed(&e))?;
            let start = String::from_utf8_lossy(&start);
            $(if start.contains(concat!("'", $descriptor, "'")) {
                let array = DeviceArray::<$t>::read_npy(path).map_err(|e| failed(&e))?;
                return Ok(array.into());
            })*
            Err(failed(&"another type of elements than the programs have"))
        }

        /// The array with its type's name forgotten.
        fn boxed(array: TypedArray) -> Result<Box<dyn Any>, String> {
            match array {
                $(TypedArray::$name(array) => Ok(Box::new(array)),)*
                other => Err(format!("an input of {}", other.any_dtype())),
            }
        }
    };
}
types! {
    "|b1" Bool bool;
    "|u1" U8 u8;
    "<u2" U16 u16;
    "<u4" U32 u32;
    "<i4" I32 i32;
    "<i8" I64 i64;
    "<f4" F32 f32;
    "<f8" F64 f64;
    "<c16" C128 Complex<f64>;
}
