//! What a program is given, options and files, and what it says if something is wrong with them.

use std::{error, fmt, fs};

pub type Failure = Box<dyn error::Error + Send + Sync>;

/// What the user did wrong and how to put it right, in one line; exit status 2.
#[derive(Debug)]
pub struct UserError(pub String);

impl error::Error for UserError {}

impl fmt::Display for UserError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The options, which the lab has checked, and whose they are.
pub struct Options(pub &'static str, pub Vec<String>);

impl Options {
    pub fn has(&self, name: &str) -> bool {
        self.text(name).is_ok()
    }
    pub fn text<'a>(&'a self, name: &str) -> Result<&'a str, UserError> {
        let value = |option: &'a String| option.strip_prefix(name)?.strip_prefix('=');
        self.1.iter().find_map(value).ok_or_else(|| {
            let advice = format!("./runfair exec {} --print shows a whole command", self.0);
            UserError(format!("option {name}=VALUE is missing; {advice}"))
        })
    }
    pub fn number(&self, name: &str) -> Result<u64, Failure> {
        Ok(self.text(name)?.parse()?)
    }
}

/// The bytes of a file of the input.
pub fn read(path: &str) -> Result<Vec<u8>, UserError> {
    fs::read(path).map_err(|error| UserError(format!("input {path:?} cannot be read: {error}")))
}
