use lazuli::prelude::*;

#[device] //~ cycle detected when
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[device] //~ DEVICE_CODE_HAS_NO_RECURSION
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}
