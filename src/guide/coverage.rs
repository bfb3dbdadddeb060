#![doc = include_str!("coverage.md")]
