//! Panics of users' functions, as errors that name the function and the line.
//!
//! Only a panic hook is told the line of a panic, so the first call of a user's function installs
//! one in front of the program's own. It notes the panics of threads that run such a function, in
//! place of printing them, since they become errors; all others it hands on.

use crate::error::Error;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{
    AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook,
};
use std::sync::Once;

/// What ended a user's function.
pub struct Caught {
    /// What it panicked with.
    pub payload: Box<dyn Any + Send>,
    /// The file, line and column, where the hook was told.
    pub place: Option<String>,
}

thread_local! {
    /// Whether this thread is in a user's function.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    /// The place of the first panic since then.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a user's function, and catches its panic.
pub fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Caught> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(install);
    watch(f)
}

/// [`catch`] with the hook put in front once more, for a panic of which it was not told: the
/// program has replaced it.
pub fn catch_again<R>(f: impl FnOnce() -> R) -> Result<R, Caught> {
    install();
    watch(f)
}

fn watch<R>(f: impl FnOnce() -> R) -> Result<R, Caught> {
    // Where a panic ends the process, the program's hook has the last word.
    let before = WATCHED.replace(cfg!(panic = "unwind"));
    let result = catch_unwind(AssertUnwindSafe(f));
    WATCHED.set(before);
    result.map_err(|payload| Caught { payload, place: PLACE.with(|place| place.take()) })
}

fn install() {
    let programs = take_hook();
    set_hook(Box::new(move |info| {
        if !note(info) {
            programs(info);
        }
    }));
}

/// Notes the place of a panic, if it is the first one of a user's function. Another one while
/// that unwinds ends the process, so both are printed.
fn note(info: &PanicHookInfo<'_>) -> bool {
    if !WATCHED.get() {
        return false;
    }
    PLACE.with(|place| {
        let mut place = place.borrow_mut();
        if let Some(first) = &*place {
            eprintln!("a panic at {first} was followed by another one:");
            return false;
        }
        *place = info.location().map(|at| at.to_string());
        place.is_some()
    })
}

impl Caught {
    /// What the panic says, and where it is.
    pub fn text(&self) -> String {
        let text = self.payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| self.payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "no message".into());
        match &self.place {
            Some(place) => format!("{text}, at {place}"),
            None => text,
        }
    }
}

/// Ends the work of a launch with an error, on whichever thread; [`returned`] gives it to the
/// caller. No hook is called.
#[cold]
pub fn raise(error: Error) -> ! {
    resume_unwind(Box::new(error))
}

/// Runs a launch whose parts may [`raise`] an error.
///
/// # Panics
/// As `f` does otherwise.
pub fn returned<R>(f: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Error>() {
            Ok(error) => Err(*error),
            Err(payload) => resume_unwind(payload),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_has_its_message_and_its_line() {
        let number = std::hint::black_box(7);
        let panics = || assert!(number < 7, "number {number}");
        let caught = catch(panics).expect_err("it panics");
        let place = format!("number 7, at {}:{}:", file!(), line!() - 2);
        assert!(caught.text().starts_with(&place), "{}", caught.text());
        let caught = catch(|| std::panic::panic_any(3)).expect_err("it panics");
        assert!(caught.text().starts_with("no message, at "), "{}", caught.text());
        assert!(catch(|| 5).is_ok_and(|five| five == 5));
    }

    #[test]
    fn an_error_is_raised_and_other_panics_go_on() {
        let error = returned(|| -> Result<(), Error> { raise(Error::numeric("no result")) });
        assert!(error.unwrap_err().is_numeric());
        assert_eq!(returned(|| Ok(1)).unwrap(), 1);
        let other = || returned(|| -> Result<(), Error> { resume_unwind(Box::new(9)) });
        let payload = catch_unwind(other).unwrap_err();
        assert_eq!(*payload.downcast::<i32>().unwrap(), 9);
    }
}
