use lazuli::gpu::*;
use lazuli::prelude::*;
use std::cell::Cell;
use std::sync::mpsc::{Sender, channel};

thread_local! {
    static KEPT: Cell<Option<Shared<'static, [f32; 4]>>> = const { Cell::new(None) };
    static SENDER: Sender<Shared<'static, [f32]>> = channel().0;
}

#[kernel]
fn in_a_thread_local(x: ArrayMut<f32, 1>) {
    let tile = shared::<[f32; 4]>();
    debug_assert!(KEPT.with(|kept| kept.replace(Some(tile)).is_none())); //~ borrowed data escapes outside of
    x[0] = tile[0];
}

#[kernel]
fn in_a_channel(x: ArrayMut<f32, 1>) {
    let tile = dynamic_shared::<f32>();
    debug_assert!(SENDER.with(|kept| kept.send(tile).is_ok())); //~ borrowed data escapes outside of
    x[0] = tile[0];
}
