#![doc = include_str!("contents.md")]

#[cfg(doc)]
use crate::{DeviceArray, random::Generator};
