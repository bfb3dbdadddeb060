//! Processes that were forked from one that computes: errors in place of locks that nobody opens.
#![cfg(unix)]

use lazuli::prelude::*;
use std::ffi::c_int;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn fork() -> c_int;
    fn _exit(status: c_int) -> !;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
}

/// Does not wait for the process.
const WNOHANG: c_int = 1;
const SIGKILL: c_int = 9;

/// Runs a check in a copy of this process, and gives what it says; none where it does not end.
fn in_a_copy(check: impl FnOnce() -> u8) -> Option<u8> {
    // SAFETY: the copy calls nothing but the check and `_exit`.
    let process = unsafe { fork() };
    assert!(process >= 0, "the system can copy the process");
    if process == 0 {
        let said = check();
        // SAFETY: it ends the copy, without what the test runner does at its own end.
        unsafe { _exit(c_int::from(said)) };
    }
    let (begin, mut status) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_secs(60) {
        // SAFETY: the process is a child of this one, and the status is written to its place.
        if unsafe { waitpid(process, &raw mut status, WNOHANG) } == process {
            return (status & 0x7f == 0).then_some((status >> 8) as u8);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: as above; the second call takes the ended process away.
    unsafe {
        kill(process, SIGKILL);
        waitpid(process, &raw mut status, 0);
    }
    None
}

#[test]
fn a_copy_of_a_process_that_computes_is_told_so() {
    let known = Device::cpu().scope(|| DeviceArray::<f64>::arange_to(2_000_000.0) + 1.0);
    lazuli::eval(&[&known]).unwrap();
    // Large enough for all threads, so that what waits for them would wait for ever.
    let waiting = Device::cpu().scope(|| (&known * 2.0).sum(..));
    let says_so = |error: &Error| error.is_device() && error.to_string().contains("forked");
    let said = in_a_copy(|| {
        let asked = waiting.item().is_err_and(|e| says_so(&e));
        let again = lazuli::eval(&[&waiting.sin()]).is_err_and(|e| says_so(&e));
        let made = DeviceArray::from_slice(&[1.0f64, 2.0]).is_err_and(|e| says_so(&e));
        // What had been computed on the processor can be read, with no help from other threads.
        let read = known.to_vec().is_ok_and(|v| v[1_999_999] == 2_000_000.0);
        // What goes away in the copy waits for nobody either.
        drop(known.clone());
        u8::from(asked) | u8::from(again) << 1 | u8::from(made) << 2 | u8::from(read) << 3
    });
    assert_eq!(said, Some(15), "a bit for each answer");
    // This process goes on.
    assert_eq!(waiting.item().unwrap(), 2_000_001.0 * 2_000_000.0);
    assert!(DeviceArray::from_slice(&[1.0f64, 2.0]).is_ok());
}

#[test]
fn a_copy_made_while_others_evaluate_does_not_wait_for_them() {
    let end = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for k in 0..3 {
            let end = &end;
            scope.spawn(move || {
                let x = DeviceArray::<f64>::arange_to(400_000.0);
                while !end.load(std::sync::atomic::Ordering::Relaxed) {
                    (&x + f64::from(k)).cumsum(0).sum(..).item().unwrap();
                }
            });
        }
        let x = DeviceArray::<f64>::ones([10]);
        lazuli::eval(&[&x]).unwrap();
        for _ in 0..20 {
            let said = in_a_copy(|| u8::from((&x + 1.0).to_vec().is_err()));
            if said != Some(1) {
                end.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            assert_eq!(said, Some(1));
        }
        end.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
