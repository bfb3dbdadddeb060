//! Meetings of threads that play processes.

use super::*;
use std::thread;

fn hello(rank: usize, size: usize) -> Hello {
    Hello { rank, size, kind: "the processor" }
}

/// What each of the processes has of the meeting.
fn meet(hellos: Vec<Hello>) -> Vec<Result<(Arc<Control>, Vec<u8>)>> {
    let (listener, port) = listener(Some("127.0.0.1"), 0).unwrap();
    let meeting = Meeting { host: "127.0.0.1".to_owned(), port, token: 7 };
    let others: Vec<_> = hellos[1..]
        .iter()
        .map(|own| {
            let (meeting, own) = (meeting.clone(), own.clone());
            thread::spawn(move || Control::join(&meeting, &own))
        })
        .collect();
    let host = Control::host(&listener, 7, &hellos[0], b"gift").map(|c| (c, b"gift".to_vec()));
    let others = others.into_iter().map(|other| other.join().unwrap());
    std::iter::once(host).chain(others).collect()
}

fn three() -> Vec<Arc<Control>> {
    let met = meet((0..3).map(|rank| hello(rank, 3)).collect());
    let gift = |met: Result<(Arc<Control>, Vec<u8>)>| {
        let (control, gift) = met.unwrap();
        assert_eq!(gift, b"gift");
        control
    };
    met.into_iter().map(gift).collect()
}

fn step(number: u64, hash: u64, what: &str) -> Step {
    Step { number, hash, what: what.to_owned() }
}

fn told(control: &Control) -> String {
    control.failure_within(Duration::from_secs(5)).expect("somebody told of a failure")
}

#[test]
fn messages_are_read_as_they_were_written() {
    let steps = vec![step(1, 2, "a sum (a b.rs:3)"), step(4, u64::MAX, "x")];
    for message in [
        Message::Failed(3, "two\nlines".to_owned()),
        Message::Ended(1),
        Message::Waits(2, steps.clone()),
        Message::Waits(2, Vec::new()),
        Message::Goes(0),
        Message::Begins(1, steps[0].clone()),
    ] {
        assert_eq!(Message::of(&message.as_text()), Some(message));
    }
    assert_eq!(Message::of("other 1\n"), None);
}

#[test]
fn a_failure_of_one_is_told_to_all() {
    let all = three();
    all[2].fail("rank 2: no memory");
    for control in &all {
        assert_eq!(told(control), "rank 2: no memory");
    }
    assert!(!all[0].end(), "a failed run does not end well");
}

#[test]
fn who_is_gone_is_named() {
    let all = three();
    all[1].writers.lock()[0].as_ref().unwrap().shutdown(std::net::Shutdown::Both).unwrap();
    assert_eq!(told(&all[0]), "rank 1 is gone");
    assert_eq!(told(&all[2]), "rank 1 is gone");
}

#[test]
fn programs_that_differ_are_named() {
    let all = three();
    let mut last = VecDeque::new();
    remember(&mut last, step(5, 1, "a sum"));
    all[1].waits(&last);
    remember(&mut last, step(6, 2, "a roll"));
    all[2].waits(&last);
    assert_eq!(all[0].failure_within(Duration::from_millis(100)), None, "the common step agrees");
    let mut other = VecDeque::new();
    remember(&mut other, step(6, 9, "a product"));
    all[0].waits(&other);
    for control in &all {
        let why = told(control);
        assert!(why.contains("rank 0 came to a product where rank 2 came to a roll"), "{why}");
    }
}

#[test]
fn evaluations_that_differ_are_named() {
    let all = three();
    all[1].begins(step(1, 1, "a sum"));
    all[2].begins(step(1, 1, "a sum"));
    all[0].begins(step(1, 2, "a roll"));
    let why = told(&all[2]);
    assert!(why.contains("a sum") && why.contains("a roll"), "{why}");
}

#[test]
fn who_waits_for_one_that_has_ended_is_told() {
    let all = three();
    let ends = all[2].clone();
    let ends = thread::spawn(move || ends.end());
    let mut last = VecDeque::new();
    remember(&mut last, step(1, 1, "a sum"));
    all[0].waits(&last);
    assert_eq!(told(&all[1]), "rank 0 waits in a sum, and rank 2 has ended its program");
    assert!(!ends.join().unwrap());
}

#[test]
fn all_end_together() {
    let all = three();
    let ends: Vec<_> = all.into_iter().map(|c| thread::spawn(move || c.end())).collect();
    assert!(ends.into_iter().all(|end| end.join().unwrap()));
}

#[test]
fn a_run_that_is_not_one_is_refused() {
    let says = |met: &Result<(Arc<Control>, Vec<u8>)>| met.as_ref().err().unwrap().to_string();
    for met in &meet(vec![hello(0, 2), hello(1, 4)]) {
        assert!(says(met).contains("rank 1 was told of 4 processes, and rank 0 of 2"));
    }
    for met in &meet(vec![hello(0, 3), hello(1, 3), hello(1, 3)]) {
        assert!(says(met).contains("two processes of a run are rank 1"), "{}", says(met));
    }
    let gpu = Hello { kind: "a GPU", ..hello(1, 2) };
    for met in &meet(vec![hello(0, 2), gpu]) {
        assert!(says(met).contains("rank 1 has a GPU and rank 0 has the processor"));
    }
}

#[test]
fn who_got_no_answer_in_time_comes_again() {
    let (listener, port) = listener(Some("127.0.0.1"), 0).unwrap();
    let meeting = Meeting { host: "127.0.0.1".to_owned(), port, token: 7 };
    // A process that gave up before rank 0 had time for it.
    let gone = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write(&gone, greeting(&hello(1, 2), 7).as_bytes()).unwrap();
    drop(gone);
    let other = thread::spawn(move || Control::join(&meeting, &hello(1, 2)));
    let host = Control::host(&listener, 7, &hello(0, 2), b"gift").unwrap();
    assert_eq!(other.join().unwrap().unwrap().1, b"gift");
    assert_eq!(host.failure(), None);
}
