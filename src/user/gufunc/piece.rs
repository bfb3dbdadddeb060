//! Pieces of scalar code between the loops of a gufunc, as functions that nodes call.

use super::value::Arguments;
use crate::dtype::DType;
use crate::function::cpp::type_name;
use crate::function::{CudaCode, Function};
use crate::user::code::{Describe, flat};
use crate::user::lanes;
use crate::user::pack::Pack;
use crate::user::tile::{Tile, tile_of};
use crate::user::types::DeviceType;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Arc, LazyLock};

/// A piece as a type: closures that hold nothing.
struct Piece<T, R, F, P>(PhantomData<(T, R, F, P)>);

impl<T, R, F, P> Tile for Piece<T, R, F, P>
where
    T: Pack,
    R: Pack,
    F: Fn(T, &mut bool) -> R + Copy + 'static,
    P: Fn(T) -> R + Copy + 'static,
{
    type Args = T;
    type Output = R;

    #[inline(always)]
    fn fast(args: T, rare: &mut bool) -> R {
        nothing::<F>()(args, rare)
    }

    #[inline(always)]
    fn plain(args: T) -> R {
        nothing::<P>()(args)
    }
}

/// A piece that runs where its first argument holds, and gives zeros elsewhere.
struct Guarded<T, R, F, P>(PhantomData<(T, R, F, P)>);

impl<T, R, F, P> Tile for Guarded<T, R, F, P>
where
    T: Pack,
    R: Pack,
    F: Fn(T, &mut bool) -> R + Copy + 'static,
    P: Fn(T) -> R + Copy + 'static,
{
    type Args = (bool, T);
    type Output = R;

    #[inline(always)]
    fn fast((live, args): (bool, T), rare: &mut bool) -> R {
        if live { nothing::<F>()(args, rare) } else { lanes::nothing() }
    }

    #[inline(always)]
    fn plain((live, args): (bool, T)) -> R {
        if live { nothing::<P>()(args) } else { lanes::nothing() }
    }
}

/// The value of a type without bytes.
#[inline(always)]
pub(super) fn nothing<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "a piece of a gufunc holds no variable of its loops") };
    // SAFETY: the type has no bytes to read, and a value of it was there: `Lower::piece` took one,
    // of which this is a copy.
    unsafe { NonNull::<F>::dangling().read() }
}

/// Whether results are one number or a tuple of numbers, as functions give them.
pub(super) fn is_flat<R: DeviceType>() -> bool {
    let name = R::type_name();
    !name.contains("lz_array") && name.matches("lz_tuple").count() <= 1
}

/// The function of a piece, made once for its types; `guarded`, it has a condition for its first
/// argument.
pub(super) fn function<A, R, F, P>(
    name: &str,
    names: &[&str],
    describe: impl FnOnce(&mut Describe),
    guarded: bool,
) -> Arc<Function>
where
    A: Arguments,
    R: Pack + DeviceType,
    F: Fn(A::Types, &mut bool) -> R + Copy + 'static,
    P: Fn(A::Types) -> R + Copy + 'static,
{
    static MADE: LazyLock<RwLock<FxHashMap<TypeId, Arc<Function>>>> =
        LazyLock::new(RwLock::default);
    let id = match guarded {
        true => TypeId::of::<Guarded<A::Types, R, F, P>>(),
        false => TypeId::of::<Piece<A::Types, R, F, P>>(),
    };
    if let Some(function) = MADE.read().get(&id) {
        return function.clone();
    }
    let mut lz = Describe::default();
    describe(&mut lz);
    let (body, definitions, cost) = lz.finish();
    let types = A::type_names();
    let parameters: Vec<String> =
        types.iter().zip(names).map(|(ty, name)| format!("{ty} {name}")).collect();
    let (result, parameters) = (R::type_name(), parameters.join(", "));
    let hash = Sha256::digest(format!("{result}({parameters})\n{body}"));
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let entry = format!("lz_user_{name}_{hash}");
    let mut code = CudaCode { entry: entry.clone(), definitions };
    let text = format!("LZ_FN {result} {entry}({parameters}) {{\n{body}}}\n");
    code.definitions.push((entry, text));
    let (mut args, mut results) = (Vec::new(), Vec::new());
    A::Types::dtypes(&mut args);
    R::dtypes(&mut results);
    let mut cuda = flat::<A::Types>(&code, &args, &results);
    let mut tile = tile_of::<Piece<A::Types, R, F, P>>();
    if guarded {
        cuda = with_guard(cuda, &args, &result);
        tile = tile_of::<Guarded<A::Types, R, F, P>>();
        args.insert(0, DType::Bool);
    }
    let function = Arc::new(Function::new(name, args, results, Some(cuda), Some(tile), cost));
    MADE.write().entry(id).or_insert(function).clone()
}

/// The code with a condition before its arguments, which are numbers.
fn with_guard(mut code: CudaCode, args: &[DType], result: &str) -> CudaCode {
    let name = |k: usize| format!("a{k}");
    let parameters =
        args.iter().enumerate().map(|(k, &d)| format!(", {} {}", type_name(d), name(k)));
    let parameters: String = parameters.collect();
    let values: Vec<String> = (0..args.len()).map(name).collect();
    let entry = format!("{}_live", code.entry);
    let text = format!(
        "LZ_FN {result} {entry}(bool live{parameters}) {{\n    if (!live) return {result}{{}};\n    \
         return {}({});\n}}\n",
        code.entry,
        values.join(", ")
    );
    code.definitions.push((entry.clone(), text));
    code.entry = entry;
    code
}
