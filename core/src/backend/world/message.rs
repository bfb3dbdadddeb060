//! What processes tell each other, as it goes over their connections: lines of text.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// The longest message.
const LONGEST: usize = 1 << 20;

/// A step that all processes take, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Its number, from the beginning on.
    pub number: u64,
    /// What it is, as a number that is the same for the same step.
    pub hash: u64,
    /// What it is in words.
    pub what: String,
}

/// What is told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The rank and why it cannot go on.
    Failed(usize, String),
    /// The rank has ended its program.
    Ended(usize),
    /// The rank waits, behind these exchanges.
    Waits(usize, Vec<Step>),
    /// The rank does not wait any more.
    Goes(usize),
    /// The rank begins an evaluation.
    Begins(usize, Step),
}

fn steps_as_text(steps: &[Step]) -> String {
    let line = |step: &Step| format!("{} {} {}\n", step.number, step.hash, step.what);
    steps.iter().map(line).collect()
}

fn steps_of(text: &str) -> Option<Vec<Step>> {
    let step = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let (number, hash) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Step { number, hash, what: parts.next()?.to_owned() })
    };
    text.lines().map(step).collect()
}

impl Message {
    pub(super) fn as_text(&self) -> String {
        match self {
            Message::Failed(rank, why) => format!("failed {rank}\n{why}"),
            Message::Ended(rank) => format!("ended {rank}\n"),
            Message::Waits(rank, steps) => format!("waits {rank}\n{}", steps_as_text(steps)),
            Message::Goes(rank) => format!("goes {rank}\n"),
            Message::Begins(rank, step) => {
                format!("begins {rank}\n{}", steps_as_text(std::slice::from_ref(step)))
            }
        }
    }

    pub(super) fn of(text: &str) -> Option<Message> {
        let (head, rest) = text.split_once('\n')?;
        let (kind, rank) = head.split_once(' ')?;
        let rank = rank.parse().ok()?;
        Some(match kind {
            "failed" => Message::Failed(rank, rest.to_owned()),
            "ended" => Message::Ended(rank),
            "waits" => Message::Waits(rank, steps_of(rest)?),
            "goes" => Message::Goes(rank),
            "begins" => Message::Begins(rank, steps_of(rest)?.pop()?),
            _ => return None,
        })
    }
}

/// Sends bytes with their number in front.
pub(super) fn write(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut framed = Vec::with_capacity(bytes.len() + 4);
    framed.extend((bytes.len() as u32).to_le_bytes());
    framed.extend(bytes);
    stream.write_all(&framed)
}

/// Reads what was sent so.
pub(super) fn read(mut stream: &TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message of another program"));
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text that was sent so.
pub(super) fn read_text(stream: &TcpStream) -> io::Result<String> {
    String::from_utf8(read(stream)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a message of another program"))
}
