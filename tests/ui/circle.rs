use lazuli::prelude::*;

#[device]
fn even(n: u32) -> bool { //~ cycle detected when
    if n == 0 { true } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> bool { //~ DEVICE_CODE_HAS_NO_RECURSION
    if n == 0 { false } else { even(n - 1) }
}
