//! What the attributes write has names that nobody else has: the same programs beside constants,
//! statics and functions of every short name, and beside a kernel called `k`.
#![allow(clippy::mut_range_bound, reason = "a range keeps the bound that it began with, here too")]

use crate::support::on_each_device;

/// Items of one kind for each name.
macro_rules! items {
    ($how:ident) => {
        items! { $how:
            a b c d e f g h i j k l m n o p q r s t u v w x y z
            A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
            a0 a1 a2 args at axes axis arrays block body bytes by call code column count course data
            device dim end from grid_dim how id identity idx index info input item items len lz mask
            name node of op out output param part place rank rare record result rows shape size
            start state step sum tid tmp to turn ty value values view
        }
    };
    ($how:ident: $($name:ident)*) => { $(items! { @$how $name })* };
    (@constant $name:ident) => {
        pub const $name: u8 = 7;
    };
    (@global $name:ident) => {
        pub static $name: u8 = 7;
    };
    (@function $name:ident) => {
        pub fn $name() -> u8 {
            7
        }
    };
}

#[allow(non_upper_case_globals, dead_code)]
mod constants {
    items! { constant }
}
#[allow(non_upper_case_globals, dead_code)]
mod globals {
    items! { global }
}
#[allow(non_snake_case, dead_code)]
mod functions {
    items! { function }
}

mod beside_constants {
    #[allow(unused_imports)]
    use super::constants::*;
    include!("hygiene/programs.rs");
}
mod beside_globals {
    #[allow(unused_imports)]
    use super::globals::*;
    include!("hygiene/programs.rs");
}
mod beside_functions {
    #[allow(unused_imports)]
    use super::functions::*;
    include!("hygiene/programs.rs");
}
mod beside_a_kernel {
    #[allow(dead_code)]
    #[lazuli::kernel]
    fn k(number: i32) {
        let _ = number;
    }
    include!("hygiene/programs.rs");
}

#[test]
fn no_short_name_breaks_what_attributes_write() {
    on_each_device(|_| {
        beside_constants::run();
        beside_globals::run();
        beside_functions::run();
        beside_a_kernel::run();
    });
}
