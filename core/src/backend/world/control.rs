//! What the processes of a run tell each other beside the data: who is there, what failed, who has
//! ended, and in what each waits.
//!
//! Rank 0 listens, and the others connect to it. A thread for each connection reads what comes; what
//! concerns all is passed on by rank 0. So a process that dies is noticed by its connection, and
//! processes whose programs differ by what they say of their exchanges: whoever waits for longer than
//! [`PATIENCE`] tells its last ones, and rank 0 compares.

use super::launch::Meeting;
use super::message::{Message, Step, read, read_text, write};
use crate::error::{Error, Result};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long processes wait for each other at the beginning.
const MEETING: Duration = Duration::from_secs(30);
/// How long an answer may take whose sender is known to be there.
const ANSWER: Duration = Duration::from_secs(2);
/// How long a process waits for data before it tells in what it waits.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// The ports that are tried, one after another.
const PORTS: u16 = 16;
/// The steps that a process tells of.
const LAST: usize = 8;
/// The evaluations of which rank 0 remembers what they are.
const STEPS: usize = 4096;
const MAGIC: &str = "lazuli 1";

/// Who a process says it is.
#[derive(Clone, Debug)]
pub(super) struct Hello {
    /// Its number.
    pub rank: usize,
    /// How many processes it was told of.
    pub size: usize,
    /// What kind of device it has.
    pub kind: &'static str,
}

/// The connections of a process, and what came over them.
pub(super) struct Control {
    rank: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// Of rank 0 the connection to each other rank, else that to rank 0.
    writers: Mutex<Vec<Option<TcpStream>>>,
}

#[derive(Default)]
struct State {
    /// Why the run cannot go on.
    failure: Option<String>,
    /// Who has ended its program.
    ended: Vec<bool>,
    /// The last exchanges of whoever waits.
    waits: Vec<Option<Vec<Step>>>,
    /// For an evaluation what the first to come to it said.
    steps: FxHashMap<u64, (usize, Step)>,
    order: VecDeque<u64>,
}

fn at_meeting(what: &str, error: &io::Error) -> Error {
    Error::device(format!("where the processes of a run meet, {what}: {error}"))
}

/// Who wants to meet: the processes of this run alone.
fn greeting(own: &Hello, token: u64) -> String {
    format!("{MAGIC}\n{token}\n{}\n{}\n{}", own.rank, own.size, own.kind)
}

/// The number of ranks that are not there, in words.
fn missing(there: &[Option<TcpStream>]) -> String {
    let missing: Vec<String> = (1..there.len())
        .filter(|&rank| there[rank].is_none())
        .map(|rank| rank.to_string())
        .collect();
    format!("rank {} did not come within {} s", missing.join(", "), MEETING.as_secs())
}

/// A listener at the first port that is free, and the port.
pub(super) fn listener(host: Option<&str>, port: u16) -> Result<(TcpListener, u16)> {
    let ip = match host {
        Some("127.0.0.1" | "localhost") => Ipv4Addr::LOCALHOST,
        _ => Ipv4Addr::UNSPECIFIED,
    };
    let ports = if port == 0 { 0..=0 } else { port..=port.saturating_add(PORTS - 1) };
    let mut last = None;
    for port in ports {
        match TcpListener::bind(SocketAddr::new(IpAddr::V4(ip), port)) {
            Ok(listener) => {
                let port = listener.local_addr().map_or(port, |address| address.port());
                return Ok((listener, port));
            }
            Err(error) => last = Some(error),
        }
    }
    let error = last.expect("a port was tried");
    Err(at_meeting(&format!("no port from {port} on is free"), &error))
}

impl Control {
    /// The meeting as rank 0, which hands something over to all others.
    ///
    /// # Errors
    /// Where somebody does not come, or believes something else of the run.
    pub(super) fn host(
        listener: &TcpListener,
        token: u64,
        own: &Hello,
        gift: &[u8],
    ) -> Result<Arc<Control>> {
        let mut there: Vec<Option<TcpStream>> = (0..own.size).map(|_| None).collect();
        let met = gather(listener, token, own, &mut there);
        let answer = match &met {
            Ok(()) => [&[1], gift].concat(),
            Err(why) => refusal(why),
        };
        for stream in there.iter().flatten() {
            write(stream, &answer).map_err(|error| at_meeting("a process went away", &error))?;
        }
        met?;
        Control::begin(own, there)
    }

    /// The meeting as another rank; gives what rank 0 hands over.
    ///
    /// # Errors
    /// As [`Control::host`].
    pub(super) fn join(meeting: &Meeting, own: &Hello) -> Result<(Arc<Control>, Vec<u8>)> {
        let started = Instant::now();
        let stream = loop {
            match knock(meeting, own) {
                Some(stream) => break stream,
                None if started.elapsed() > MEETING => {
                    return Err(Error::device(format!(
                        "rank {} did not find rank 0 at {} within {} s (ports {} to {})",
                        own.rank,
                        meeting.host,
                        MEETING.as_secs(),
                        meeting.port,
                        meeting.port.saturating_add(PORTS - 1)
                    )));
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let _ = stream.set_read_timeout(Some(MEETING + ANSWER));
        let answer = read(&stream).map_err(|error| at_meeting("rank 0 went away", &error))?;
        match answer.split_first() {
            Some((1, gift)) => Ok((Control::begin(own, vec![Some(stream)])?, gift.to_vec())),
            Some((_, why)) => Err(Error::device(String::from_utf8_lossy(why))),
            None => Err(Error::device("rank 0 said nothing where the processes of a run meet")),
        }
    }

    /// Begins to read what comes.
    fn begin(own: &Hello, streams: Vec<Option<TcpStream>>) -> Result<Arc<Control>> {
        let mut readers = Vec::new();
        for (rank, stream) in streams.iter().enumerate() {
            let Some(stream) = stream else { continue };
            let failed = |error| at_meeting("a connection cannot be used", &error);
            stream.set_read_timeout(None).map_err(failed)?;
            let _ = stream.set_nodelay(true);
            let _ = stream.set_write_timeout(Some(ANSWER));
            readers.push((rank, stream.try_clone().map_err(failed)?));
        }
        let state =
            State { ended: vec![false; own.size], waits: vec![None; own.size], ..State::default() };
        let control = Arc::new(Control {
            rank: own.rank,
            state: Mutex::new(state),
            changed: Condvar::new(),
            writers: Mutex::new(streams),
        });
        for (rank, stream) in readers {
            let control = control.clone();
            let run = move || control.read_all(rank, &stream);
            std::thread::Builder::new()
                .name(format!("lazuli-rank-{rank}"))
                .spawn(run)
                .map_err(|error| at_meeting("a thread cannot be started", &error))?;
        }
        Ok(control)
    }

    /// Reads what one process sends until it is gone.
    fn read_all(&self, rank: usize, stream: &TcpStream) {
        while let Ok(text) = read_text(stream) {
            if let Some(message) = Message::of(&text) {
                self.take(message, rank);
            }
        }
        let has_ended = self.state.lock().ended[rank];
        if !has_ended {
            self.take(Message::Failed(rank, format!("rank {rank} is gone")), rank);
        }
        self.changed.notify_all();
    }

    /// What somebody told; rank 0 passes on what concerns all.
    fn take(&self, message: Message, from: usize) {
        // Passed on first: whoever learns of it here may end the process at once.
        if self.rank == 0 && matches!(message, Message::Failed(..) | Message::Ended(_)) {
            self.send(&message, Some(from));
        }
        let found = {
            let mut state = self.state.lock();
            match &message {
                Message::Failed(_, why) => {
                    state.failure.get_or_insert_with(|| why.clone());
                    None
                }
                Message::Ended(rank) => {
                    state.ended[*rank] = true;
                    None
                }
                Message::Waits(rank, steps) => {
                    state.waits[*rank] = Some(steps.clone());
                    None
                }
                Message::Goes(rank) => {
                    state.waits[*rank] = None;
                    None
                }
                Message::Begins(rank, step) => state.begins(*rank, step),
            }
            .or_else(|| if self.rank == 0 { state.is_stuck() } else { None })
        };
        self.changed.notify_all();
        if let Some(why) = found {
            self.fail(&why);
        }
    }

    /// Sends a message to all who are connected but one.
    fn send(&self, message: &Message, but: Option<usize>) {
        let text = message.as_text();
        for (rank, stream) in self.writers.lock().iter().enumerate() {
            if let Some(stream) = stream.as_ref().filter(|_| self.rank != 0 || Some(rank) != but) {
                // Whoever is gone is noticed where it is read from.
                let _ = write(stream, text.as_bytes());
            }
        }
    }

    /// Why the run cannot go on, if it cannot.
    pub(super) fn failure(&self) -> Option<String> {
        self.state.lock().failure.clone()
    }

    /// Waits for so long for a failure: whoever sees an engine fail is told the cause by others.
    pub(super) fn failure_within(&self, time: Duration) -> Option<String> {
        let until = Instant::now() + time;
        let mut state = self.state.lock();
        while state.failure.is_none() {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        state.failure.clone()
    }

    /// Ends the run: everybody is told why.
    pub(super) fn fail(&self, why: &str) {
        // Whoever learns of it here may end the process at once, so the others are told before.
        self.send(&Message::Failed(self.rank, why.to_owned()), None);
        self.state.lock().failure.get_or_insert_with(|| why.to_owned());
        self.changed.notify_all();
    }

    /// Says that this process waits, and behind which exchanges.
    pub(super) fn waits(&self, last: &VecDeque<Step>) {
        self.tell(Message::Waits(self.rank, last.iter().cloned().collect()));
    }

    /// Says that this process waits no more.
    pub(super) fn goes(&self) {
        self.tell(Message::Goes(self.rank));
    }

    /// Says that this process begins an evaluation.
    pub(super) fn begins(&self, step: Step) {
        self.tell(Message::Begins(self.rank, step));
    }

    fn tell(&self, message: Message) {
        match self.rank {
            0 => self.take(message, 0),
            _ => self.send(&message, None),
        }
    }

    /// Says that this process has ended its program, and waits until all have, or one has failed.
    /// Says whether all is well.
    pub(super) fn end(&self) -> bool {
        let message = Message::Ended(self.rank);
        self.state.lock().ended[self.rank] = true;
        self.send(&message, None);
        let stuck = if self.rank == 0 { self.state.lock().is_stuck() } else { None };
        if let Some(why) = stuck {
            self.fail(&why);
        }
        let mut state = self.state.lock();
        while state.failure.is_none() && !state.ended.iter().all(|&ended| ended) {
            self.changed.wait(&mut state);
        }
        state.failure.is_none()
    }
}

impl State {
    /// Compares an evaluation with what others said of theirs with the same number.
    fn begins(&mut self, rank: usize, step: &Step) -> Option<String> {
        // Who was told of a failure goes on otherwise than who was not yet.
        if self.failure.is_some() {
            return None;
        }
        match self.steps.get(&step.number) {
            Some((first, known)) if known.hash != step.hash => {
                Some(programs_differ((*first, known), (rank, step)))
            }
            Some(_) => None,
            None => {
                if self.order.len() == STEPS
                    && let Some(oldest) = self.order.pop_front()
                {
                    self.steps.remove(&oldest);
                }
                self.order.push_back(step.number);
                self.steps.insert(step.number, (rank, step.clone()));
                None
            }
        }
    }

    /// Why those who wait will wait for ever, if that is so.
    fn is_stuck(&self) -> Option<String> {
        if self.failure.is_some() {
            return None;
        }
        let waiting = || self.waits.iter().enumerate().filter_map(|(k, w)| Some((k, w.as_ref()?)));
        let (rank, own) = waiting().next()?;
        for (other, steps) in waiting().skip(1) {
            for step in steps {
                let same = own.iter().find(|known| known.number == step.number);
                if let Some(known) = same.filter(|known| known.hash != step.hash) {
                    return Some(programs_differ((rank, known), (other, step)));
                }
            }
        }
        let ended = self.ended.iter().position(|&ended| ended)?;
        let what = own.last().map_or("data", |step| &step.what);
        Some(format!("rank {rank} waits in {what}, and rank {ended} has ended its program"))
    }
}

fn programs_differ((rank, step): (usize, &Step), (other, its): (usize, &Step)) -> String {
    format!(
        "the processes of a run must evaluate the same in the same order: rank {rank} came to {} \
         where rank {other} came to {}",
        step.what, its.what
    )
}

/// Lets the others in.
fn gather(
    listener: &TcpListener,
    token: u64,
    own: &Hello,
    there: &mut [Option<TcpStream>],
) -> Result<()> {
    listener.set_nonblocking(true).map_err(|error| at_meeting("listening fails", &error))?;
    let started = Instant::now();
    loop {
        // Whoever got no answer in time has gone, and comes again.
        for place in there.iter_mut() {
            *place = place.take().filter(is_open);
        }
        if there.iter().skip(1).all(Option::is_some) {
            return Ok(());
        }
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(_) if started.elapsed() > MEETING => return Err(Error::device(missing(there))),
            Err(_) => {
                std::thread::sleep(Duration::from_millis(2));
                continue;
            }
        };
        let Some((rank, size, kind)) = greeted(&stream, token) else { continue };
        let why = if size != own.size {
            format!("rank {rank} was told of {size} processes, and rank 0 of {}", own.size)
        } else if kind != own.kind {
            let own = own.kind;
            format!("rank {rank} has {kind} and rank 0 has {own}: `LAZULI_DEVICE` chooses for all")
        } else if rank == 0 || rank >= size || there[rank].is_some() {
            format!("two processes of a run are rank {rank}")
        } else {
            there[rank] = Some(stream);
            continue;
        };
        let error = Error::device(why);
        // Whoever is refused is told as well; should it be gone, that changes nothing.
        let _ = write(&stream, &refusal(&error));
        return Err(error);
    }
}

/// What is told to whoever is not let in.
fn refusal(why: &Error) -> Vec<u8> {
    [&[0], why.to_string().as_bytes()].concat()
}

/// Whether the other side has not closed a connection, over which it says nothing yet.
fn is_open(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let came = stream.peek(&mut [0]);
    let _ = stream.set_nonblocking(false);
    came.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

/// Who somebody says he is, if he belongs to this run; he is told so.
fn greeted(stream: &TcpStream, token: u64) -> Option<(usize, usize, String)> {
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(ANSWER)).ok()?;
    let text = read_text(stream).ok()?;
    let mut lines = text.lines();
    let is_ours = lines.next() == Some(MAGIC) && lines.next()?.parse() == Ok(token);
    let rank = lines.next()?.parse().ok()?;
    let size = lines.next()?.parse().ok()?;
    let kind = lines.next()?.to_owned();
    write(stream, if is_ours { b"here" } else { b"not here" }).ok()?;
    is_ours.then_some((rank, size, kind))
}

/// Looks for rank 0 behind each port.
fn knock(meeting: &Meeting, own: &Hello) -> Option<TcpStream> {
    for port in meeting.port..=meeting.port.saturating_add(PORTS - 1) {
        let addresses = (&meeting.host[..], port).to_socket_addrs().ok()?;
        for address in addresses {
            let Ok(stream) = TcpStream::connect_timeout(&address, ANSWER) else { continue };
            let _ = stream.set_read_timeout(Some(ANSWER));
            let greets = write(&stream, greeting(own, meeting.token).as_bytes());
            if greets.is_ok() && read(&stream).is_ok_and(|answer| answer == b"here") {
                return Some(stream);
            }
        }
    }
    None
}

/// The last steps, with a new one.
pub(super) fn remember(last: &mut VecDeque<Step>, step: Step) {
    if last.len() == LAST {
        last.pop_front();
    }
    last.push_back(step);
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
