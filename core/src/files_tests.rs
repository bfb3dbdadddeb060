//! Drafts in a folder of their own.

use super::*;
use std::io::Write;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lazuli-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut draft = Draft::of(path)?;
    draft.file().write_all(text.as_bytes())?;
    draft.finish(true)
}

#[test]
fn a_draft_takes_the_place_of_the_file_or_goes_away() {
    let folder = Folder::new("place");
    let path = folder.path("a");
    write(&path, "old").unwrap();
    let mut draft = Draft::of(&path).unwrap();
    draft.file().write_all(b"half").unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.files()), ("old", 2));
    drop(draft);
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.files()), ("old", 1));
    write(&path, "new").unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.files()), ("new", 1));
}

#[test]
fn what_is_no_place_for_a_file_is_refused() {
    let folder = Folder::new("refused");
    write(&folder.path("a"), "a file").unwrap();
    for path in [folder.0.clone(), folder.path("a/b"), folder.path("no/b"), PathBuf::new()] {
        assert!(Draft::of(&path).is_err(), "{}", path.display());
    }
    // It becomes known with the rename alone that a path says "folder".
    assert!(write(&folder.path("b/"), "text").is_err());
    assert_eq!(folder.files(), 1);
}

#[test]
fn names_of_drafts_differ() {
    let folder = Folder::new("names");
    let drafts: Vec<Draft> = (0..50).map(|_| Draft::of(&folder.path("a")).unwrap()).collect();
    assert_eq!(folder.files(), 50);
    drop(drafts);
    assert_eq!(folder.files(), 0);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn permissions_stay() {
        let folder = Folder::new("permissions");
        let path = folder.path("a");
        write(&path, "old").unwrap();
        for mode in [0o600, 0o640, 0o666, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write(&path, "new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        }
    }

    #[test]
    fn what_may_not_be_written_is_not_replaced() {
        // SAFETY: the call has no arguments and cannot fail.
        if unsafe { libc::geteuid() } == 0 {
            eprintln!("skipped: the superuser may write anything");
            return;
        }
        let folder = Folder::new("read-only");
        let path = folder.path("a");
        write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let error = write(&path, "new").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.files()), ("old", 1));
    }

    #[test]
    fn links_stay_and_lead_to_what_is_new() {
        let folder = Folder::new("links");
        fs::create_dir(folder.path("below")).unwrap();
        write(&folder.path("below/a"), "old").unwrap();
        symlink("below/a", folder.path("first")).unwrap();
        symlink("first", folder.path("second")).unwrap();
        symlink("below/b", folder.path("dangling")).unwrap();
        symlink("loop", folder.path("loop")).unwrap();
        write(&folder.path("second"), "new").unwrap();
        write(&folder.path("dangling"), "made").unwrap();
        assert_eq!(fs::read_to_string(folder.path("below/a")).unwrap(), "new");
        assert_eq!(fs::read_to_string(folder.path("below/b")).unwrap(), "made");
        assert!(fs::symlink_metadata(folder.path("second")).unwrap().is_symlink());
        assert!(write(&folder.path("loop"), "text").is_err());
        assert_eq!(fs::read_dir(folder.path("below")).unwrap().count(), 2);
    }

    #[test]
    fn devices_are_written_to_and_stay() {
        write(Path::new("/dev/null"), "text").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
