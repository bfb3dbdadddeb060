use lazuli::gpu::*;
use lazuli::prelude::*;
use std::cell::Cell;
use std::sync::Mutex;

thread_local! {
    static READ: Cell<Option<Array<'static, f32, 1>>> = const { Cell::new(None) };
    static WRITTEN: Cell<Option<ArrayMut<'static, f32, 1>>> = const { Cell::new(None) };
}
static LIST: Mutex<Vec<ArrayMut<'static, f32, 1>>> = Mutex::new(Vec::new());

#[kernel]
fn in_a_cell(x: Array<f32, 1>) {
    debug_assert!(READ.with(|kept| kept.replace(Some(x)).is_none())); //~ borrowed data escapes outside of
}

#[kernel]
fn in_a_thread_local(x: ArrayMut<f32, 1>) {
    debug_assert!(WRITTEN.with(|kept| kept.replace(Some(x)).is_none())); //~ borrowed data escapes outside of
}

#[kernel]
fn in_a_static(x: ArrayMut<f32, 1>) {
    println!("{:?}", LIST.lock().unwrap().push(x)); //~ borrowed data escapes outside of
}

#[kernel]
fn in_a_thread(x: ArrayMut<f32, 1>) {
    println!("{:?}", std::thread::spawn(move || x.set(0, 1.0))); //~ borrowed data escapes outside of
}
