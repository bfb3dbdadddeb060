//! Several real processes: `mpiexec` starts this test's binary anew, once for each rank.
//!
//! The launcher is that which `LAZULI_MPIEXEC` names (`tools/fetch-mpich` fetches one); without it the
//! tests say that they skip.

use lazuli::{Mesh, prelude::*};
use ndarray::Array2;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The variable that tells a rank what to do.
const PART: &str = "LAZULI_TEST_PART";
/// The variable that names a file in the folder of temporary ones.
const FILE: &str = "LAZULI_TEST_FILE";

/// Runs a part in so many processes; none where there is no launcher.
fn run(part: &str, ranks: usize) -> Option<Output> {
    let Some(launcher) = std::env::var_os("LAZULI_MPIEXEC").filter(|path| !path.is_empty()) else {
        eprintln!("skipped: LAZULI_MPIEXEC names no mpiexec (tools/fetch-mpich fetches one)");
        return None;
    };
    let own = std::env::current_exe().expect("the path of this test");
    let output = Command::new(launcher)
        // Whoever is left goes on when a process has died, so that it can be seen what it says.
        .args(["-disable-auto-cleanup", "-n", &ranks.to_string()])
        .arg(own)
        .args(["world::a_rank", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PART, part)
        .env(FILE, file_of(part, ranks))
        .env("LAZULI_DEVICE", "cpu")
        .env("RAYON_NUM_THREADS", "1")
        .env("RUST_BACKTRACE", "0")
        .output()
        .expect("mpiexec starts");
    Some(output)
}

/// All that the processes said.
fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// What one rank does; the tests below start it.
#[test]
#[ignore = "it is started by the tests of several processes"]
fn a_rank() {
    let Ok(part) = std::env::var(PART) else { return };
    let mesh = Mesh::world().expect("the processes meet");
    match &part[..] {
        "agrees" => agrees(&mesh),
        "turns" => turns(&mesh),
        _ => fails(&mesh, &part),
    }
}

type Program = (&'static str, fn(&DeviceArray<f64>, &Mesh) -> DeviceArray<f64>);

/// Programs with every kind of move.
const PROGRAMS: [Program; 24] = [
    ("arithmetic", |a, _| a * 2.0 + a.sqrt()),
    ("halos", |a, _| a.roll(1, 0) + a.roll(-2, 0)),
    ("a slice", |a, _| a.slice(s![3..-1]) * a.slice(s![..-4])),
    ("reversed", |a, _| a.flip(0)),
    ("an assignment", |a, _| {
        let mut b = a.clone();
        b.assign(s![2..9, ..], a.slice(s![5..12, ..]) + 1.0);
        b
    }),
    ("a sum", |a, _| a.sum(0)),
    ("a total", |a, _| a / a.sum(..)),
    ("a mean", |a, _| a - a.mean(keep(0))),
    ("an extreme", |a, _| a.argmax(0).cast::<f64>() + a.max(..)),
    ("a scan", |a, _| a.cumsum(0)),
    ("a product of rows", |a, mesh| {
        let whole = a.t().to(mesh.replicate()).unwrap();
        a.matmul(&whole)
    }),
    ("an inner product", |a, _| a.t().matmul(a)),
    ("another axis", |a, mesh| a.to(mesh.shard(1)).unwrap().cumsum(0)),
    ("back from another axis", |a, mesh| {
        a.to(mesh.shard(1)).unwrap().sort(0).to(mesh.shard(0)).unwrap()
    }),
    ("rows elsewhere", |a, _| a.take(&[0, -1, 0], 0)),
    ("sorted", |a, _| a.sort(0)),
    ("a sorted line", |a, _| (a.flatten() * -3.5).sort(0)),
    ("the order of a line", |a, _| a.slice(s![.., 1]).argsort(0).cast::<f64>()),
    ("what a mask selects", |a, _| a.extract(&a.less(4.0)).unwrap() * 2.0),
    ("places of a column", |a, _| {
        a.slice(s![.., 2]).greater(5.0).flat_nonzero().unwrap().cast::<f64>()
    }),
    ("distinct elements", |a, _| {
        let (values, counts) = a.round().unique_counts().unwrap();
        values * counts.cast::<f64>()
    }),
    ("a product of blocks", |a, _| a.matmul(&a.t())),
    ("a transform", |a, _| lazuli::fft::fft2(a).abs()),
    ("counts", |a, _| {
        let places = a.sqrt().nan_to_num().clip(0.0, 6.0).cast::<i64>();
        places.flatten().bincount(7).unwrap().cast::<f64>()
    }),
];

/// A value for each place, with a NaN and an infinity.
fn values(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 5), |(i, j)| match (i * 7 + j * 3) % 31 {
        11 if n > 20 => f64::INFINITY,
        k => k as f64 * 0.37,
    })
}

/// Processes compute the same bits as as many shares of one process.
fn agrees(mesh: &Mesh) {
    let shares = Mesh::of(&vec![mesh.devices()[mesh.rank()]; mesh.len()]).unwrap();
    assert_eq!((mesh.len(), mesh.devices().len()), (shares.len(), shares.len()));
    for n in [1, 3, 16, 37, 200] {
        let host = values(n);
        let bits = |a: &DeviceArray<f64>| -> Vec<u64> {
            a.to_vec().unwrap().iter().map(|x| x.to_bits()).collect()
        };
        for (name, program) in PROGRAMS {
            if n < 16 && matches!(name, "a slice" | "an assignment") {
                continue;
            }
            for turn in 0..4 {
                let a = DeviceArray::from_ndarray(&host).unwrap() + f64::from(turn);
                let over = |mesh: &Mesh| program(&a.to(mesh.shard(0)).unwrap(), mesh);
                let (own, expected) = (over(mesh), over(&shares));
                assert_eq!(own.shape(), expected.shape(), "{name} of {n} rows");
                assert_eq!(bits(&own), bits(&expected), "{name} of {n} rows, turn {turn}");
            }
        }
        let a = DeviceArray::from_ndarray(&host).unwrap();
        let cut = mesh.shard(0).scope(|| DeviceArray::from_ndarray(&host)).unwrap();
        let rows = mesh.blocks(n)[mesh.rank()].clone();
        let own = cut.local().unwrap();
        assert_eq!(own.to_vec().unwrap(), a.slice(s![rows, ..]).to_vec().unwrap());
        let whole = cut.gather().unwrap();
        assert_eq!((whole.sharding(), whole.to_vec().unwrap()), (None, a.to_vec().unwrap()));
    }
    let draws = lazuli::random::Generator::new(7).standard_normal::<f64>([50, 3]);
    let sum = (draws.to(mesh.shard(0)).unwrap() * 1.0).sum(0);
    let difference = sum.gather().unwrap() - draws.sum(0);
    assert!(difference.abs().max(..).item().unwrap() < 1e-12);
    let plan = explain(&[&(DeviceArray::<f64>::ones_on(mesh.shard(0), [64, 4]).roll(1, 0) * 2.0)]);
    assert!(plan.error().is_none(), "{plan}");
    in_pieces(mesh, &shares);
    files(mesh);
    println!("rank {} agrees", mesh.rank());
}

/// Large blocks, whose inner rows are computed while their borders are on their way.
fn in_pieces(mesh: &Mesh, shares: &Mesh) {
    let x = DeviceArray::from_ndarray(&values(2112 * mesh.len())).unwrap().nan_to_num();
    let x = x.tile([1, 205]).clip(-5.0, 5.0);
    let [mut own, mut expected] = [mesh, shares].map(|mesh| x.to(mesh.shard(0)).unwrap());
    for turn in 0..6 {
        let step = |u: &DeviceArray<f64>| u.roll(1, 0) - u.roll(-2, 0) * f64::from(turn);
        (own, expected) = (step(&own), step(&expected));
        lazuli::eval(&[&own, &expected]).unwrap();
    }
    assert!((&own - &expected_on(&expected, mesh)).abs().max(..).item().unwrap() == 0.0);
}

/// An array of this process's shares over all processes.
fn expected_on(a: &DeviceArray<f64>, mesh: &Mesh) -> DeviceArray<f64> {
    a.gather().unwrap().to(mesh.shard(0)).unwrap()
}

/// Files, of which each process writes and reads its rows.
fn files(mesh: &Mesh) {
    let path = std::env::temp_dir().join(std::env::var(FILE).expect("a file's name"));
    for (shape, axis) in [(vec![37, 5], 0), (vec![3, 40, 2], 1), (vec![1], 0), (vec![0, 4], 0)] {
        let a = DeviceArray::<i64>::arange_to(shape.iter().product::<usize>() as i64)
            .reshape(&shape[..])
            * 3;
        let cut = a.to(mesh.shard(axis)).unwrap();
        cut.write_npy(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let back = mesh.shard(0).scope(|| DeviceArray::<i64>::read_npy(&path)).unwrap();
        assert_eq!(back.sharding().unwrap().axis(), Some(0));
        assert_eq!(back.gather().unwrap().to_vec().unwrap(), a.to_vec().unwrap());
        let mut expected = Vec::new();
        ndarray_npy::WriteNpyExt::write_npy(&a.copy_to_host().unwrap(), &mut expected).unwrap();
        let values = 8 * a.len();
        assert_eq!(bytes[bytes.len() - values..], expected[expected.len() - values..]);
        // The next file is not begun while somebody still reads this one.
        back.sum(..).item().unwrap();
        a.to(mesh.replicate()).unwrap().write_npy(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        cut.sum(..).item().unwrap();
    }
    let nowhere = path.join("no folder");
    let a = DeviceArray::<f64>::ones_on(mesh.shard(0), [64]);
    let why = a.write_npy(&nowhere).unwrap_err().to_string();
    assert!(why.contains("write_npy"), "{why}");
    a.sum(..).item().unwrap();
}

/// Many turns of a loop with halos, in which processes are late by chance.
fn turns(mesh: &Mesh) {
    const TURNS: usize = 10_000;
    let (n, mut seed) = (64, mesh.rank() as u64 + 1);
    let start: Vec<i64> = (0..n).collect();
    let mut a = DeviceArray::from_slice(&start).unwrap().to(mesh.shard(0)).unwrap();
    for _ in 0..TURNS {
        // Marsaglia's xorshift.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        if seed.is_multiple_of(100) {
            std::thread::sleep(Duration::from_micros(seed % 300));
        }
        a = a.roll(1, 0) + a.roll(-1, 0) - &a;
        a.eval().unwrap();
    }
    let mut expected = start;
    for _ in 0..TURNS {
        let at = |k: i64| expected[k.rem_euclid(n) as usize];
        let turn = |k: i64| at(k - 1).wrapping_add(at(k + 1)).wrapping_sub(at(k));
        expected = (0..n).map(turn).collect();
    }
    assert_eq!(a.to_vec().unwrap(), expected);
    println!("rank {} turned", mesh.rank());
}

/// Rank 2, or the last of fewer, does not do what the others do.
fn fails(mesh: &Mesh, part: &str) {
    // The launcher ends the others when it sees that one has died, and this test wants to hear them.
    #[cfg(unix)]
    // SAFETY: a signal that is ignored runs no code.
    let _ = unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
    let bad = (mesh.len() - 1).min(2);
    let a = DeviceArray::<f64>::ones_on(mesh.shard(0), [64, 3]);
    a.eval().unwrap();
    let mut by = vec![1i64; 64];
    by[mesh.blocks(64)[bad].start] = 0;
    let by = DeviceArray::from_vec([64, 1], by).unwrap().to(mesh.shard(0)).unwrap();
    let begun = Instant::now();
    let mut failure = None;
    for turn in 0..20 {
        if turn == 10 && part == "panics" {
            // A number by which the rows of one process alone cannot be divided.
            let own = quotient::call(a.cast::<i64>(), &by);
            let own = own.local().and_then(|block| block.to_vec());
            assert_eq!(own.is_err(), mesh.rank() == bad);
            if own.is_err() {
                return;
            }
        } else if turn == 10 && mesh.rank() == bad {
            match part {
                "dies" => std::process::abort(),
                "ends" => return,
                "differs" => drop(a.sum(..).item()),
                _ => unreachable!("{part} is no part"),
            }
        }
        match (a.roll(1, 0) + &a).sum(..).item() {
            Ok(_) => {}
            Err(why) => {
                failure = Some(why);
                break;
            }
        }
    }
    if mesh.rank() == bad {
        return;
    }
    let failure = failure.expect("somebody failed");
    assert!(failure.is_device(), "{failure}");
    let again = (&a * 2.0).eval().expect_err("the run cannot go on");
    assert!(again.to_string().contains("cannot go on"), "{again}");
    // What was there before is as it was; of a GPU nothing is read after an exchange was aborted.
    if !a.device().is_cuda() {
        assert_eq!(a.local().unwrap().to_vec().unwrap(), vec![1.0; a.local().unwrap().len()]);
    }
    let line = format!("rank {} was told in {:?}: {failure}", mesh.rank(), begun.elapsed());
    // The launcher may be gone once one has died, and with it what takes lines: a file stays.
    std::fs::write(said_by(&std::env::var(FILE).expect("a file's name"), mesh.rank()), line)
        .unwrap();
}

#[vectorize]
fn quotient(x: i64, by: i64) -> i64 {
    x / by
}

/// The file in which a rank says what it was told.
fn said_by(file: &str, rank: usize) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("{file}.{rank}"))
}

/// The name of a run's file.
fn file_of(part: &str, ranks: usize) -> String {
    format!("lazuli-world-{}-{part}-{ranks}.npy", std::process::id())
}

/// What ranks that were told said, and what came over the launcher; none where there is no launcher.
fn heard(part: &str) -> Option<(Vec<String>, String)> {
    let output = run(part, 4)?;
    let until = Instant::now() + Duration::from_secs(5);
    let mut lines = Vec::new();
    while lines.is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
        let ranks = (0..4).map(|rank| said_by(&file_of(part, 4), rank));
        lines = ranks.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        lines.retain(|line: &String| !line.is_empty());
    }
    (0..4).for_each(|rank| drop(std::fs::remove_file(said_by(&file_of(part, 4), rank))));
    Some((lines, said(&output)))
}

/// Checks what ranks were told. The launcher, whose own processes fail where one dies, may end all of
/// them before they can say anything: then they are started again.
fn told(part: &str, why: &[&str]) {
    for _ in 0..5 {
        let Some((lines, text)) = heard(part) else { return };
        for line in &lines {
            assert!(why.iter().all(|why| line.contains(why)), "{part}: {line}");
        }
        if !lines.is_empty() {
            return;
        }
        eprintln!("{part}: the launcher ended all processes: {text}");
        assert_eq!(part, "dies", "nobody was told");
    }
}

#[test]
fn processes_compute_what_shares_of_one_do() {
    for ranks in [1, 2, 3, 4, 5] {
        let Some(output) = run("agrees", ranks) else { return };
        let _ = std::fs::remove_file(std::env::temp_dir().join(file_of("agrees", ranks)));
        let text = said(&output);
        assert!(output.status.success(), "{text}");
        assert_eq!(text.matches(" agrees").count(), ranks, "{text}");
    }
}

#[test]
fn many_turns_with_delays_stay_in_step() {
    let Some(output) = run("turns", 4) else { return };
    let text = said(&output);
    assert!(output.status.success() && text.matches(" turned").count() == 4, "{text}");
}

#[test]
fn a_process_that_dies_is_named() {
    told("dies", &["rank 2 is gone"]);
}

#[test]
fn a_process_that_ends_is_named() {
    told("ends", &["and rank 2 has ended its program"]);
}

#[test]
fn a_process_that_fails_is_named_with_the_cause() {
    told("panics", &["rank 2 failed: ", "quotient"]);
}

#[test]
fn programs_that_differ_are_named() {
    told("differs", &["must evaluate the same in the same order"]);
}

#[test]
fn a_launcher_of_another_library_is_named() {
    // The variables of a launcher, of which the library knows nothing.
    let Some(_) = std::env::var_os("LAZULI_MPIEXEC") else { return };
    let own = std::env::current_exe().expect("the path of this test");
    let launcher = std::env::var("LAZULI_MPIEXEC").unwrap();
    let library = std::path::Path::new(&launcher).parent().unwrap().parent().unwrap().join("lib");
    let output = Command::new(own)
        .args(["world::a_rank", "--exact", "--ignored", "--nocapture"])
        .env(PART, "agrees")
        .env("LAZULI_DEVICE", "cpu")
        .env("LAZULI_MPI", library)
        .envs([("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4")])
        .output()
        .expect("the test starts");
    let text = said(&output);
    assert!(text.contains("Open MPI started 4 processes, of which this is rank 1"), "{text}");
}
