#![doc = include_str!("contents.md")]
//! # Functions made of others
#![doc = include_str!("../special/formulas.md")]

#[cfg(doc)]
use crate::{DeviceArray, random::Generator};
