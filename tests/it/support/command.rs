//! What tests of the examples' command lines share.

use std::path::PathBuf;

/// A fresh folder, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A folder of this process, with a name that no other test takes.
    pub fn new(name: &str) -> Folder {
        let name = name.replace(':', "-");
        let folder = std::env::temp_dir().join(format!("lazuli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Its path, for a command line.
    pub fn text(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs an example's command line in this process.
macro_rules! command {
    ($example:ident $text:expr) => {
        $example::PROGRAM
            .command($text.split_whitespace().map(str::to_owned), $example::run)
            .map_err(|failure| failure.to_string())
    };
}
pub(crate) use command;
