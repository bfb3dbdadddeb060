//! Archives in memory, against another implementation.

use super::*;
use std::io::Cursor;

fn written(members: &[(&str, &[u8])], most: u64, packing: Packing) -> Vec<u8> {
    let mut writer = Writer { most, ..Writer::new(Vec::new(), packing) };
    members.iter().for_each(|(name, bytes)| writer.add(name, &[bytes, b"."]).unwrap());
    writer.finish().unwrap()
}

fn read(archive: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut archive = Archive::open(Cursor::new(archive))?;
    let mut all = Vec::new();
    for member in archive.members().to_vec() {
        let mut bytes = Vec::new();
        archive.read(&member)?.read_to_end(&mut bytes)?;
        all.push((member.name, bytes));
    }
    Ok(all)
}

const MEMBERS: [(&str, &[u8]); 3] = [("a", b"some bytes"), ("größe", b""), ("c/d.npy", &[7; 3000])];

#[test]
fn what_is_written_is_read_here_and_elsewhere() {
    // The smaller bounds put numbers where those of large archives stand.
    let packings = [Packing::Stored, Packing::Deflated];
    for (most, packing) in
        [ELSEWHERE, 2000, 40, 1].into_iter().flat_map(|n| packings.map(|p| (n, p)))
    {
        let bytes = written(&MEMBERS, most, packing);
        // The long member has one byte many times.
        assert_eq!(bytes.len() < 1000, packing == Packing::Deflated);
        let mut other = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
        let own = read(&bytes).unwrap();
        assert_eq!((own.len(), other.len()), (3, 3));
        for (k, (name, content)) in MEMBERS.iter().enumerate() {
            let content = [content, &b"."[..]].concat();
            assert_eq!(own[k], (name.to_string(), content.clone()));
            let mut member = other.by_name(name).unwrap();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, content, "{name} with {most}");
        }
    }
    assert!(read(&written(&[], ELSEWHERE, Packing::Stored)).unwrap().is_empty());
    let mut writer = Writer::new(Vec::new(), Packing::Stored);
    writer.add("a", &[]).unwrap();
    writer.members = vec![writer.members[0].clone(); 70_000];
    let bytes = writer.finish().unwrap();
    assert_eq!(read(&bytes).unwrap().len(), 70_000);
}

#[test]
fn what_others_write_is_read() {
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (large, method) in [(false, CompressionMethod::Deflated), (true, CompressionMethod::Stored)]
    {
        let options = SimpleFileOptions::default().large_file(large).compression_method(method);
        writer.start_file(format!("large {large}"), options).unwrap();
        writer.write_all(&[5; 10_000]).unwrap();
    }
    writer.set_comment("a comment");
    let bytes = writer.finish().unwrap().into_inner();
    let moved = [&b"and more "[..], &bytes].concat();
    for bytes in [bytes, moved] {
        let found = read(&bytes).unwrap();
        let wanted = [
            ("large false".to_owned(), vec![5; 10_000]),
            ("large true".to_owned(), vec![5; 10_000]),
        ];
        assert_eq!(found, wanted);
    }
}

#[test]
fn what_is_wrong_is_found() {
    let good = written(&MEMBERS, ELSEWHERE, Packing::Stored);
    (0..good.len()).for_each(|n| assert!(read(&good[..n]).is_err(), "{n} bytes"));
    let at = good.windows(4).position(|w| w == CENTRAL.to_le_bytes()).unwrap();
    // Each field of the list's first line that says what a member is: method, sum, sizes, place.
    for field in [10, 16, 20, 24, 42] {
        for wrong in [1, 0x40, 0xff] {
            let mut bytes = good.clone();
            bytes[at + field] ^= wrong;
            assert!(read(&bytes).is_err(), "{field} {wrong}");
        }
    }
    let mut encrypted = good.clone();
    encrypted[at + 8] |= 1;
    assert!(read(&encrypted).is_err());
    let mut content = good.clone();
    content[40] ^= 1;
    assert!(read(&content).err().unwrap().to_string().contains("checksum"));
}

#[test]
fn names_are_refused_where_they_cannot_be() {
    let mut writer = Writer::new(Vec::new(), Packing::Stored);
    writer.add("a", &[]).unwrap();
    assert!(writer.add("a", &[]).is_err());
    assert!(writer.add(&"a".repeat(70_000), &[]).is_err());
}
