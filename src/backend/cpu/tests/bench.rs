//! Timings of kernels written by hand; run with `--ignored` and in release.
