//! ZIP archives, as far as `.npz` files need them: members as they are or deflated, and sizes beyond
//! 4 GiB.
//!
//! What an archive says of itself is not believed: nothing is allocated for a number before that
//! many bytes have been read, a member ends where it says, and its sum is checked.

use super::header::{damaged, fill};
use crc32fast::Hasher;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{self, Read, Seek, SeekFrom, Write};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// The extra field that holds what has no room in 32 bits.
const EXTRA_64: u16 = 1;
/// What stands in place of a number that has no room.
const ELSEWHERE: u64 = 0xffff_ffff;
/// The end's bytes, and with the longest comment.
const END_BYTES: u64 = 22;
const END_MOST: u64 = END_BYTES + 0xffff;
/// The most that deflated bytes unpack to.
const DEFLATE_MOST: u64 = 1032;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;
const UTF_8: u16 = 1 << 11;
/// 1 January 1980, the first day that there is.
const DAY: u16 = 1 << 5 | 1;

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// What the list at the end of an archive says of a member.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: String,
    /// The bytes of the member itself.
    pub(super) bytes: u64,
    packed: u64,
    sum: u32,
    method: u16,
    flags: u16,
    at: u64,
}

/// An archive that is open for reading.
pub(super) struct Archive<R> {
    file: R,
    members: Vec<Member>,
    /// Where the members end and their list begins.
    end: u64,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the list of the members.
    #[track_caller]
    pub(super) fn open(mut file: R) -> io::Result<Self> {
        let (mut list, shift, end) = find_list(&mut file)?;
        let mut members = Vec::new();
        while list > 0 {
            let (member, bytes) = read_member(&mut file, shift)?;
            list = list.checked_sub(bytes).ok_or_else(|| damaged("the list's length is wrong"))?;
            members.try_reserve(1).map_err(|_| full(members.len() * size_of::<Member>()))?;
            members.push(member);
        }
        Ok(Archive { file, members, end })
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The reader of a member. Beyond the end it checks the sum.
    pub(super) fn read<'a>(&'a mut self, member: &Member) -> io::Result<impl Read + use<'a, R>> {
        if member.flags & ENCRYPTED != 0 {
            return Err(damaged("the member is encrypted"));
        }
        let mut header = [0; 30];
        self.file.seek(SeekFrom::Start(member.at))?;
        fill(&mut self.file, &mut header)?;
        let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let begin = member.at.saturating_add(30 + names);
        let end = begin.checked_add(member.packed).filter(|end| *end <= self.end);
        if u32_at(&header, 0) != LOCAL || end.is_none() {
            return Err(damaged("the member is not where the archive says"));
        }
        self.file.seek(SeekFrom::Start(begin))?;
        let packed = (&mut self.file).take(member.packed);
        let most = match member.method {
            STORED => member.packed,
            DEFLATED => member.packed.saturating_mul(DEFLATE_MOST),
            other => return Err(damaged(&format!("compression {other} is unknown"))),
        };
        if member.bytes > most || (member.method == STORED && member.bytes != most) {
            let (bytes, packed) = (member.bytes, member.packed);
            return Err(damaged(&format!("{packed} bytes cannot be {bytes}")));
        }
        let packed: Box<dyn Read> = match member.method {
            STORED => Box::new(packed),
            _ => Box::new(DeflateDecoder::new(packed)),
        };
        Ok(Checked { packed, left: member.bytes, sum: Some((Hasher::new(), member.sum)) })
    }
}

/// The error where there is no memory for so many bytes.
#[cold]
fn full(bytes: usize) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, format!("cannot allocate {bytes} bytes"))
}

/// Goes to the list of the members, and gives its bytes, how much further back the members are than
/// they say, and where the list begins.
fn find_list(file: &mut (impl Read + Seek)) -> io::Result<(u64, u64, u64)> {
    let none = || damaged("this is no .npz file");
    let length = file.seek(SeekFrom::End(0))?;
    let begin = length.saturating_sub(END_MOST);
    let mut tail = vec![0; (length - begin) as usize];
    file.seek(SeekFrom::Start(begin))?;
    fill(file, &mut tail)?;
    let ends = |at: &usize| {
        let end = &tail[*at..];
        u32_at(end, 0) == END && end.len() == END_BYTES as usize + usize::from(u16_at(end, 20))
    };
    let last = tail.len().checked_sub(END_BYTES as usize).ok_or_else(none)?;
    let at = (0..=last).rev().find(ends).ok_or_else(none)?;
    let end = &tail[at..];
    let (mut bytes, mut offset) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
    let mut list_end = begin + at as u64;
    // Larger archives have another end before this one, and before this one where that is.
    let mut larger = [0; 76];
    if let Some(before) = list_end.checked_sub(76) {
        file.seek(SeekFrom::Start(before))?;
        fill(file, &mut larger)?;
        if u32_at(&larger, 56) == LOCATOR_64 && u32_at(&larger, 0) == END_64 {
            (bytes, offset) = (u64_at(&larger, 40), u64_at(&larger, 48));
            list_end = before;
        }
    }
    let wrong = || damaged("the list of the members is not where the archive says");
    let list = list_end.checked_sub(bytes).ok_or_else(wrong)?;
    // An archive may have something before it.
    let shift = list.checked_sub(offset).ok_or_else(wrong)?;
    file.seek(SeekFrom::Start(list))?;
    Ok((bytes, shift, list))
}

/// Reads a line of the list, and gives its bytes too.
fn read_member(file: &mut impl Read, shift: u64) -> io::Result<(Member, u64)> {
    let mut line = [0; 46];
    fill(file, &mut line)?;
    if u32_at(&line, 0) != CENTRAL {
        return Err(damaged("the list of the members is damaged"));
    }
    let lengths = [28, 30, 32].map(|at| usize::from(u16_at(&line, at)));
    let mut text = |length| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| full(length))?;
        bytes.resize(length, 0);
        fill(file, &mut bytes).map(|()| bytes)
    };
    let (name, extra) = (text(lengths[0])?, text(lengths[1])?);
    text(lengths[2])?;
    let [mut bytes, mut packed, mut at] = [24, 20, 42].map(|at| u64::from(u32_at(&line, at)));
    // The numbers that stand elsewhere do so in this order.
    let mut larger = extra_64(&extra);
    for number in [&mut bytes, &mut packed, &mut at] {
        if *number == ELSEWHERE
            && let Some((first, rest)) = larger.split_at_checked(8)
        {
            *number = u64_at(first, 0);
            larger = rest;
        }
    }
    let member = Member {
        name: String::from_utf8(name)
            .unwrap_or_else(|e| e.into_bytes().iter().map(|byte| char::from(*byte)).collect()),
        bytes,
        packed,
        sum: u32_at(&line, 16),
        method: u16_at(&line, 10),
        flags: u16_at(&line, 8),
        at: at.saturating_add(shift),
    };
    Ok((member, 46 + lengths.iter().sum::<usize>() as u64))
}

/// The extra field of large numbers, empty where there is none.
fn extra_64(mut extra: &[u8]) -> &[u8] {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let length = usize::from(u16_at(head, 2));
        let Some((field, rest)) = rest.split_at_checked(length) else { break };
        if u16_at(head, 0) == EXTRA_64 {
            return field;
        }
        extra = rest;
    }
    &[]
}

/// Gives as many bytes as a member has, and then checks their sum and that no more follow.
struct Checked<R> {
    packed: R,
    left: u64,
    sum: Option<(Hasher, u32)>,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.left.min(into.len() as u64) as usize;
        if most == 0 {
            let sum = if self.left == 0 { self.sum.take() } else { None };
            if let Some((hasher, sum)) = sum {
                if self.packed.read(&mut [0])? != 0 {
                    return Err(damaged("the member is longer than the archive says"));
                }
                if hasher.finalize() != sum {
                    return Err(damaged("the member's checksum is wrong"));
                }
            }
            return Ok(0);
        }
        let read = self.packed.read(&mut into[..most])?;
        if read == 0 {
            return Err(damaged("the member ends too early"));
        }
        if let Some((hasher, _)) = &mut self.sum {
            hasher.update(&into[..read]);
        }
        self.left -= read as u64;
        Ok(read)
    }
}

/// How members are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As they are.
    Stored,
    /// Deflated, where that makes them shorter.
    Deflated,
}

/// An archive in the making. It is written from the beginning to the end, with no way back.
pub(super) struct Writer<W> {
    file: W,
    packing: Packing,
    at: u64,
    members: Vec<Member>,
    /// What has no room in 32 bits; less in tests.
    most: u64,
}

impl<W: Write> Writer<W> {
    #[track_caller]
    pub(super) fn new(file: W, packing: Packing) -> Self {
        Writer { file, packing, at: 0, members: Vec::new(), most: ELSEWHERE }
    }

    /// Adds a member, the parts of which lie one behind the other.
    pub(super) fn add(&mut self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        if name.len() > 0xffff {
            return refused("the name is too long");
        }
        if self.members.iter().any(|member| member.name == name) {
            return refused("the name is there twice");
        }
        let mut hasher = Hasher::new();
        parts.iter().for_each(|part| hasher.update(part));
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        // In memory, since the header in front says how long it is.
        let deflated = match self.packing {
            Packing::Stored => None,
            Packing::Deflated => Some(deflate(parts)?).filter(|short| (short.len() as u64) < bytes),
        };
        let packed = deflated.as_ref().map_or(bytes, |short| short.len() as u64);
        let member = Member {
            name: name.to_owned(),
            bytes,
            packed,
            sum: hasher.finalize(),
            method: if deflated.is_some() { DEFLATED } else { STORED },
            flags: if name.is_ascii() { 0 } else { UTF_8 },
            at: self.at,
        };
        let large = if bytes >= self.most { vec![bytes, packed] } else { Vec::new() };
        let mut header = LOCAL.to_le_bytes().to_vec();
        self.put_member(&mut header, &member, &large);
        header.extend(name.as_bytes());
        put_64(&mut header, &large);
        self.put(&header)?;
        self.members.push(member);
        match deflated {
            Some(short) => self.put(&short),
            None => parts.iter().try_for_each(|part| self.put(part)),
        }
    }

    /// Writes the list of the members.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let begin = self.at;
        for member in std::mem::take(&mut self.members) {
            self.put_line(&member)?;
            self.members.push(member);
        }
        let (count, bytes) = (self.members.len() as u64, self.at - begin);
        let mut end = Vec::new();
        if count >= 0xffff || bytes >= self.most || begin >= self.most {
            end.extend(END_64.to_le_bytes());
            end.extend(44u64.to_le_bytes());
            end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            [count, count, bytes, begin].iter().for_each(|n| end.extend(n.to_le_bytes()));
            end.extend(LOCATOR_64.to_le_bytes());
            end.extend(0u32.to_le_bytes());
            end.extend(self.at.to_le_bytes());
            end.extend(1u32.to_le_bytes());
        }
        end.extend(END.to_le_bytes());
        end.extend([0; 4]);
        (0..2).for_each(|_| end.extend((count.min(0xffff) as u16).to_le_bytes()));
        [bytes, begin].iter().for_each(|n| end.extend(self.in_32(*n).to_le_bytes()));
        end.extend([0; 2]);
        self.put(&end)?;
        Ok(self.file)
    }

    fn put_line(&mut self, member: &Member) -> io::Result<()> {
        let numbers = [member.bytes, member.packed, member.at];
        let large: Vec<u64> = numbers.into_iter().filter(|n| *n >= self.most).collect();
        let mut line = CENTRAL.to_le_bytes().to_vec();
        line.extend([45, 0]);
        self.put_member(&mut line, member, &large);
        // No comment, the first disk, no attributes.
        line.extend([0; 10]);
        line.extend(self.in_32(member.at).to_le_bytes());
        line.extend(member.name.as_bytes());
        put_64(&mut line, &large);
        self.put(&line)
    }

    /// What a member's header and its line in the list share.
    fn put_member(&self, to: &mut Vec<u8>, member: &Member, large: &[u64]) {
        let version = if large.is_empty() { 20 } else { 45 };
        let extra = if large.is_empty() { 0 } else { 4 + 8 * large.len() };
        [version, member.flags, member.method, 0, DAY]
            .iter()
            .for_each(|n| to.extend(n.to_le_bytes()));
        let numbers = [member.sum, self.in_32(member.packed), self.in_32(member.bytes)];
        numbers.iter().for_each(|n| to.extend(n.to_le_bytes()));
        [member.name.len(), extra].iter().for_each(|n| to.extend((*n as u16).to_le_bytes()));
    }

    fn in_32(&self, number: u64) -> u32 {
        if number >= self.most { ELSEWHERE as u32 } else { number as u32 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

/// The parts one behind the other, deflated.
fn deflate(parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    parts.iter().try_for_each(|part| packed.write_all(part))?;
    packed.finish()
}

fn put_64(to: &mut Vec<u8>, numbers: &[u64]) {
    if !numbers.is_empty() {
        to.extend(EXTRA_64.to_le_bytes());
        to.extend((8 * numbers.len() as u16).to_le_bytes());
        numbers.iter().for_each(|n| to.extend(n.to_le_bytes()));
    }
}

#[cfg(test)]
#[path = "zip_tests.rs"]
mod tests;
