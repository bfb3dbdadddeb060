//! The disk cache is plain files, so all of it is tested without a device.

use super::*;

/// A fresh folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lazuli-disk-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn cache(&self, limits: Limits) -> DiskCache {
        DiskCache::new(Some(self.0.clone()), limits)
    }

    fn file(&self, key: &DiskKey) -> PathBuf {
        self.0.join(key.file_name())
    }

    fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.ok().map(|entry| entry.file_name().to_string_lossy().into_owned())
        };
        fs::read_dir(&self.0).map(|files| files.filter_map(name).collect()).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(name: &str) -> DiskKey {
    DiskKey::of(&[name.as_bytes()])
}

fn set_age(path: &Path, age: Duration) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

#[test]
fn what_was_stored_is_loaded() {
    let folder = Folder::new("round-trip");
    let cache = folder.cache(Limits::default());
    assert_eq!(cache.load(&key("a")), None);
    cache.store(&key("a"), b"machine code");
    cache.store(&key("empty"), b"");
    assert_eq!(cache.load(&key("a")).as_deref(), Some(&b"machine code"[..]));
    assert_eq!(cache.load(&key("empty")).as_deref(), Some(&b""[..]));
    assert_eq!(cache.load(&key("b")), None);
    assert_eq!(folder.names().len(), 2, "no temporary file stays");
}

#[test]
fn keys_keep_their_parts_apart() {
    assert_ne!(DiskKey::of(&[b"ab", b"c"]), DiskKey::of(&[b"a", b"bc"]));
    assert_ne!(DiskKey::of(&[b"ab"]), DiskKey::of(&[b"ab", b""]));
    assert_eq!(DiskKey::of(&[b"ab", b"c"]), DiskKey::of(&[b"ab", b"c"]));
}

#[test]
fn a_corrupted_file_is_ignored_and_rewritten() {
    let folder = Folder::new("corrupt");
    let cache = folder.cache(Limits::default());
    let key = key("k");
    cache.store(&key, b"payload of some length");
    let sound = fs::read(folder.file(&key)).unwrap();

    let mut flipped = sound.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let mut wrong_magic = sound.clone();
    wrong_magic[0] ^= 1;
    let truncated = sound[..sound.len() - 1].to_vec();
    let mut renamed = sound.clone();
    renamed[MAGIC.len() + 8] ^= 1;
    let header_only = sound[..10].to_vec();
    let longer = [sound.clone(), vec![0]].concat();
    for bad in [flipped, wrong_magic, renamed, truncated, header_only, longer, Vec::new()] {
        fs::write(folder.file(&key), bad).unwrap();
        assert_eq!(cache.load(&key), None);
        cache.store(&key, b"payload of some length");
        assert_eq!(fs::read(folder.file(&key)).unwrap(), sound);
    }
}

#[test]
fn another_keys_file_under_the_right_name_is_refused() {
    let folder = Folder::new("planted");
    let cache = folder.cache(Limits::default());
    cache.store(&key("other"), b"other code");
    fs::copy(folder.file(&key("other")), folder.file(&key("wanted"))).unwrap();
    assert_eq!(cache.load(&key("wanted")), None);
    assert!(cache.load(&key("other")).is_some());
    cache.store(&key("wanted"), b"code");
    assert_eq!(cache.load(&key("wanted")).as_deref(), Some(&b"code"[..]));
}

#[test]
fn a_file_of_a_size_that_no_cache_has_is_not_read() {
    let folder = Folder::new("huge");
    let cache = folder.cache(Limits::default());
    cache.store(&key("a"), b"x");
    // The file has a hole: it takes no room on the disk.
    let file = File::options().write(true).open(folder.file(&key("a"))).unwrap();
    file.set_len(1 << 50).or_else(|_| file.set_len(1 << 40)).unwrap();
    assert_eq!(cache.load(&key("a")), None);
}

#[test]
fn no_folder_or_one_that_cannot_be_made_is_no_cache() {
    let off = DiskCache::new(None, Limits::default());
    off.store(&key("a"), b"x");
    off.sweep();
    assert_eq!(off.load(&key("a")), None);

    // A file stands where the folder should be: nothing can be made below it, whoever asks.
    let folder = Folder::new("blocked");
    fs::create_dir_all(&folder.0).unwrap();
    let blocked = folder.0.join("file");
    fs::write(&blocked, b"").unwrap();
    let cache = DiskCache::new(Some(blocked.join("below")), Limits::default());
    cache.store(&key("a"), b"x");
    assert_eq!(cache.load(&key("a")), None);
}

#[test]
fn the_old_and_then_the_least_recently_used_are_evicted() {
    let folder = Folder::new("evict");
    let day = Duration::from_secs(24 * 60 * 60);
    let entry = (HEADER + 100) as u64;
    let limits = Limits { bytes: 2 * entry, age: 10 * day, stores_between_sweeps: 1000 };
    let cache = folder.cache(limits);
    for (name, age) in [("old", 11), ("third", 5), ("second", 2), ("first", 1)] {
        cache.store(&key(name), &[0; 100]);
        set_age(&folder.file(&key(name)), age * day);
    }
    fs::write(folder.0.join("not-ours.txt"), [0; 1000]).unwrap();
    cache.sweep();
    assert_eq!(cache.load(&key("old")), None, "too old");
    assert_eq!(cache.load(&key("third")), None, "too much");
    assert!(cache.load(&key("second")).is_some());
    assert!(cache.load(&key("first")).is_some());
    assert!(folder.names().contains(&"not-ours.txt".to_string()));
}

#[test]
fn a_hit_renews_an_entry() {
    let folder = Folder::new("renew");
    let day = Duration::from_secs(24 * 60 * 60);
    let cache = folder.cache(Limits { age: 10 * day, ..Limits::default() });
    cache.store(&key("a"), b"x");
    set_age(&folder.file(&key("a")), 11 * day);
    assert!(cache.load(&key("a")).is_some());
    cache.sweep();
    assert!(cache.load(&key("a")).is_some(), "it was used a moment ago");
}

#[test]
fn left_over_temporary_files_are_removed_when_old() {
    let folder = Folder::new("temporary");
    let cache = folder.cache(Limits::default());
    cache.store(&key("a"), b"x");
    let draft = |digit: &str| folder.0.join(format!(".{}{DRAFT}", digit.repeat(32)));
    let (fresh, stale, other) = (draft("1"), draft("a"), folder.0.join("other.kernel"));
    for path in [&fresh, &stale, &other] {
        fs::write(path, b"").unwrap();
    }
    let old = Duration::from_secs(1000 * 24 * 60 * 60);
    set_age(&stale, old);
    set_age(&other, old);
    cache.sweep();
    assert!(fresh.exists() && !stale.exists());
    assert!(other.exists(), "its name is none that the cache gives");
}

#[test]
fn stores_from_many_threads_leave_whole_entries() {
    let folder = Folder::new("threads");
    let cache = folder.cache(Limits::default());
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let cache = &cache;
            scope.spawn(move || {
                for _ in 0..20 {
                    cache.store(&key("shared"), &vec![thread; 10_000]);
                    let loaded = cache.load(&key("shared")).expect("a rename is atomic");
                    assert!(loaded.iter().all(|&byte| byte == loaded[0]));
                }
            });
        }
    });
}

#[test]
fn the_folder_follows_the_environment() {
    let of = |set: &[(&str, &str)]| {
        platform_folder(|name| {
            set.iter().find(|(set, _)| *set == name).map(|(_, value)| PathBuf::from(value))
        })
    };
    let home = ("HOME", "/home/me");
    assert_eq!(of(&[home]), Some("/home/me/.cache/lazuli".into()));
    assert_eq!(of(&[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/lazuli".into()));
    assert_eq!(of(&[home, ("XDG_CACHE_HOME", "")]), Some("/home/me/.cache/lazuli".into()));
    assert_eq!(of(&[]), None);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn is_superuser() -> bool {
        // SAFETY: the call has no arguments and cannot fail.
        unsafe { libc::geteuid() == 0 }
    }

    #[test]
    fn folders_and_files_are_for_their_owner_alone() {
        let folder = Folder::new("modes");
        let cache = DiskCache::new(Some(folder.0.join("a/b")), Limits::default());
        cache.store(&key("a"), b"x");
        let file = folder.0.join("a/b").join(key("a").file_name());
        assert_eq!((mode(&folder.0.join("a")), mode(&folder.0.join("a/b"))), (0o700, 0o700));
        assert_eq!(mode(&file), 0o600);
    }

    #[test]
    fn a_folder_that_others_may_write_is_not_used() {
        let folder = Folder::new("writable");
        let cache = folder.cache(Limits::default());
        cache.store(&key("a"), b"x");
        for wrong in [0o777, 0o770, 0o702, 0o1777] {
            set_mode(&folder.0, wrong);
            let why = trust::folder_is_foreign(&folder.0).unwrap().unwrap();
            assert!(why.contains(&format!("mode {wrong:o}")), "{why}");
            assert_eq!(cache.load(&key("a")), None, "{wrong:o}");
            cache.store(&key("b"), b"y");
            assert_eq!(folder.names().len(), 1, "{wrong:o}");
        }
        set_mode(&folder.0, 0o755);
        assert!(cache.load(&key("a")).is_some());
    }

    #[test]
    fn a_file_that_others_may_write_is_not_used() {
        let folder = Folder::new("file-modes");
        let cache = folder.cache(Limits::default());
        cache.store(&key("a"), b"x");
        for wrong in [0o666, 0o620, 0o602] {
            set_mode(&folder.file(&key("a")), wrong);
            assert_eq!(cache.load(&key("a")), None, "{wrong:o}");
        }
        cache.store(&key("a"), b"x");
        assert_eq!(mode(&folder.file(&key("a"))), 0o600);
        assert!(cache.load(&key("a")).is_some());
    }

    #[test]
    fn what_belongs_to_another_user_is_not_used() {
        let folder = Folder::new("owner");
        if !is_superuser() {
            // Every system has a folder of the superuser's.
            assert!(trust::folder_is_foreign(Path::new("/")).unwrap().is_some());
            eprintln!("skipped in part: only the superuser gives files away");
            return;
        }
        let cache = folder.cache(Limits::default());
        for name in ["a", "b"] {
            cache.store(&key(name), b"x");
        }
        if chown(folder.file(&key("a")), Some(12_345), None).is_err() {
            eprintln!("skipped: the system lets nobody give files away");
            return;
        }
        assert_eq!(cache.load(&key("a")), None);
        assert!(cache.load(&key("b")).is_some());
        chown(&folder.0, Some(12_345), None).unwrap();
        assert_eq!(cache.load(&key("b")), None);
        cache.store(&key("c"), b"x");
        assert_eq!(folder.names().len(), 2);
        let why = trust::folder_is_foreign(&folder.0).unwrap().unwrap();
        assert!(why.contains("user 12345"), "{why}");
        chown(&folder.0, Some(0), None).unwrap();
    }

    #[test]
    fn planted_links_are_not_followed() {
        let folder = Folder::new("links");
        let cache = folder.cache(Limits::default());
        cache.store(&key("a"), b"x");
        let (file, aside) = (folder.file(&key("a")), folder.0.join("aside"));
        fs::rename(&file, &aside).unwrap();
        symlink(&aside, &file).unwrap();
        assert_eq!(cache.load(&key("a")), None);
        // The link is replaced, and what it led to stays.
        let before = fs::read(&aside).unwrap();
        cache.store(&key("a"), b"new");
        assert!(fs::symlink_metadata(&file).unwrap().is_file());
        assert_eq!(cache.load(&key("a")).as_deref(), Some(&b"new"[..]));
        assert_eq!(fs::read(&aside).unwrap(), before);
    }

    #[test]
    fn planted_pipes_and_folders_are_not_read() {
        let folder = Folder::new("pipes");
        let cache = folder.cache(Limits::default());
        cache.store(&key("a"), b"x");
        let file = folder.file(&key("a"));
        fs::remove_file(&file).unwrap();
        let name = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
        // SAFETY: the name is a text with a NUL at its end.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert_eq!(cache.load(&key("a")), None);
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(cache.load(&key("a")), None);
        cache.store(&key("a"), b"x");
        assert_eq!(folder.names().len(), 1, "no draft stays");
    }

    #[test]
    fn a_link_of_ones_own_leads_to_the_folder() {
        let folder = Folder::new("folder-link");
        fs::create_dir_all(&folder.0).unwrap();
        let (link, real) = (folder.0.join("link"), folder.0.join("real"));
        trust::make_folder(&real).unwrap();
        symlink(&real, &link).unwrap();
        let cache = DiskCache::new(Some(link.clone()), Limits::default());
        cache.store(&key("a"), b"x");
        assert!(cache.load(&key("a")).is_some());
        set_mode(&real, 0o777);
        assert_eq!(cache.load(&key("a")), None);
    }

    #[test]
    fn a_read_only_folder_still_serves_what_it_has() {
        let folder = Folder::new("read-only");
        let cache = folder.cache(Limits::default());
        cache.store(&key("a"), b"x");
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
        // The superuser may write all the same; then the store works, which is as good.
        cache.store(&key("b"), b"y");
        assert_eq!(cache.load(&key("a")).as_deref(), Some(&b"x"[..]));
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
