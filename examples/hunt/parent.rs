//! Watches the process that runs programs: what it finds, that it goes on, and how it ends.

use super::args::Args;
use super::engine::draw::draw;
use super::engine::source::source;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a child may be silent; a first kernel on a GPU takes a while.
const SILENCE: Duration = Duration::from_secs(120);

#[derive(Default)]
struct Tally {
    programs: u64,
    nodes: u64,
    findings: usize,
    /// The bits of all values, in short.
    bits: u64,
}

/// How a child ended.
enum End {
    Done,
    Enough,
    Crashed(String),
    Refused,
}

fn start(args: &Args, from: u64, left: u64, time: Duration) -> std::io::Result<Child> {
    let own: Vec<String> = std::env::args().skip(1).collect();
    let mut command = Command::new(std::env::current_exe()?);
    command.args(own).args([
        "--child",
        "--seed",
        &from.to_string(),
        "--programs",
        &left.to_string(),
    ]);
    // What is left of no limit is no limit.
    if args.time < Duration::MAX {
        command.args(["--seconds", &time.as_secs_f64().to_string()]);
    }
    if let Some(n) = args.threads {
        command.env("RAYON_NUM_THREADS", n.to_string());
    }
    command.stdout(Stdio::piped()).spawn()
}

fn lines(child: &mut Child) -> Receiver<String> {
    let (send, receive) = channel();
    let out = child.stdout.take().expect("the output is a pipe");
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

/// Follows a child until it ends.
fn follow(child: &mut Child, args: &Args, tally: &mut Tally, seed: &mut Option<u64>) -> End {
    let lines = lines(child);
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => match line.split_at_checked(2) {
                Some(("> ", number)) => {
                    *seed = number.parse().ok();
                    tally.programs += 1;
                }
                Some(("= ", counts)) => {
                    let nodes = counts.split(' ').next().and_then(|n| n.parse().ok());
                    tally.nodes += nodes.unwrap_or(0u64);
                    if tally.findings >= args.findings {
                        return End::Enough;
                    }
                }
                Some(("# ", digest)) => {
                    let digest = digest.parse().unwrap_or(0u64);
                    tally.bits = tally.bits.rotate_left(7).wrapping_add(digest);
                }
                Some(("! ", what)) => {
                    tally.findings += 1;
                    println!("\nfinding {}: {what}", tally.findings);
                }
                Some(("| ", text)) => println!("    {text}"),
                _ => return End::Done,
            },
            Err(RecvTimeoutError::Timeout) => {
                return End::Crashed(format!("does not end within {} s", SILENCE.as_secs()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                return match seed {
                    Some(_) => End::Crashed(format!("ended the process: {status}")),
                    None => End::Refused,
                };
            }
        }
    }
}

/// Runs children until time or number is up, and says what was found.
pub fn watch(args: &Args) -> ExitCode {
    let begun = Instant::now();
    let mut tally = Tally::default();
    let mut next = args.seed;
    loop {
        let left = args.programs.saturating_sub(next - args.seed);
        let time = args.time.saturating_sub(begun.elapsed());
        if left == 0 || time.is_zero() || tally.findings >= args.findings {
            break;
        }
        let mut child = match start(args, next, left, time) {
            Ok(child) => child,
            Err(e) => {
                eprintln!("no process for programs: {e}");
                return 2.into();
            }
        };
        let mut seed = None;
        let end = follow(&mut child, args, &mut tally, &mut seed);
        let _ = child.kill();
        let _ = child.wait();
        match end {
            End::Done | End::Enough => break,
            End::Refused => return 2.into(),
            End::Crashed(how) => {
                let at = seed.expect("a program had begun");
                tally.findings += 1;
                println!("\nfinding {}: seed {at}: {how}", tally.findings);
                print!("{}", source(&draw(at, &args.taste), None));
                next = at + 1;
            }
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{} programs of {} nodes from seed {} on {}, in {seconds:.0} s: {} findings",
        tally.programs, tally.nodes, args.seed, args.device, tally.findings
    );
    if args.strict {
        println!("bits {:016x}", tally.bits);
    }
    if tally.findings == 0 { 0.into() } else { 1.into() }
}
