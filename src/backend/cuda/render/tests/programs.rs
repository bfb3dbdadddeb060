//! Random kernels against the interpreter.
