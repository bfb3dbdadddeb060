//! A short run of the example `hunt`: the same programs every time, on every device. The example
//! is built as a program, because it watches a process of its own for crashes.

use crate::support::{on_each_device, place};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The example as a program, built if it is not there or not of these sources.
fn program() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    // With the whole workspace the features are those of `cargo test --workspace`.
    build.args(["build", "--workspace", "--example", "hunt"]).current_dir(place("."));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let built = build.output().expect("cargo");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let own = std::env::current_exe().expect("a path");
    let folder = own.ancestors().nth(2).expect("target, profile, deps");
    folder.join("examples").join("hunt").with_extension(std::env::consts::EXE_EXTENSION)
}

fn run(program: &Path, args: &str) -> (bool, String) {
    let output = Command::new(program).args(args.split_whitespace()).output().expect("it runs");
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
    (output.status.success(), text.concat())
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    let program = program();
    on_each_device(|device| {
        // Every program compiles kernels of its own on a GPU, which takes time.
        let programs = if device.is_cuda() { 60 } else { 2500 };
        let (fine, text) = run(&program, &format!("--device {device} --programs {programs}"));
        assert!(fine && text.contains("0 findings"), "{text}");
    });
}

#[test]
fn random_programs_agree_on_one_thread() {
    let (fine, text) =
        run(&program(), "--device cpu --threads 1 --seed 500000 --programs 1000 --steps 24");
    assert!(fine && text.contains("0 findings"), "{text}");
}

#[test]
fn strict_arithmetic_gives_the_same_bits_however_and_wherever_programs_run() {
    let program = program();
    let bits = |args: &str| {
        let (fine, text) = run(&program, &format!("--strict --seed 700000 {args}"));
        assert!(fine && text.contains("0 findings"), "{text}");
        text.lines().last().expect("the bits").to_owned()
    };
    let alone = bits("--device cpu --threads 1 --programs 600");
    assert_eq!(alone, bits("--device cpu --threads 3 --programs 600"));
    let few = bits("--device cpu --programs 40");
    assert_ne!(few, alone);
    on_each_device(|device| assert_eq!(few, bits(&format!("--device {device} --programs 40"))));
}

#[test]
fn the_command_line_refuses_what_it_does_not_know() {
    let program = program();
    for (args, why) in [
        ("--kinds f32,f33", "f33 is no element type"),
        ("--seconds soon", "soon is no number"),
        ("--steps 0", "at least a step"),
        ("--loud", "--loud is no option"),
        ("--device toaster --programs 1", "toaster"),
    ] {
        let (fine, text) = run(&program, args);
        assert!(!fine && text.contains(why), "{args}: {text}");
    }
    let (fine, text) = run(&program, "--show --seed 7 --programs 1");
    assert!(fine && text.contains("let v0 = "), "{text}");
}
