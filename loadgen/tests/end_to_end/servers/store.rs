//! A Redis that answers well: the commands that the generator sends, in RESP2.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::Server;

/// What it holds and has seen.
#[derive(Default)]
struct Shared {
    values: Mutex<HashMap<Vec<u8>, Vec<u8>>>,
    commands: Mutex<Vec<Vec<Vec<u8>>>>,
    spoils: bool,
    forgets: bool,
}

/// The store.
pub struct Store {
    /// The server as such.
    pub server: Server,
    shared: Arc<Shared>,
}

impl Store {
    /// On TCP.
    pub fn start() -> Self {
        Self::tcp(Shared::default())
    }

    /// On TCP; it spoils every value that it is given.
    pub fn spoiling() -> Self {
        Self::tcp(Shared {
            spoils: true,
            ..Shared::default()
        })
    }

    /// On TCP; it keeps no value that it is given.
    pub fn forgetting() -> Self {
        Self::tcp(Shared {
            forgets: true,
            ..Shared::default()
        })
    }

    fn tcp(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        let serving = Arc::clone(&shared);
        let server = Server::tcp(move |stream, _| serving.serve(stream.try_clone()?, stream));
        Self { server, shared }
    }

    /// On a unix socket.
    pub fn unix(path: &Path) -> Self {
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let server = Server::unix(path, move |stream, _| {
            serving.serve(stream.try_clone()?, stream)
        });
        Self { server, shared }
    }

    /// `redis://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("redis://{}", self.server.address())
    }

    /// The commands in the order in which they came, name first.
    pub fn commands(&self) -> Vec<Vec<Vec<u8>>> {
        self.shared.commands.lock().unwrap().clone()
    }

    /// How many commands of a name came.
    pub fn count(&self, name: &str) -> u64 {
        let named = |command: &&Vec<Vec<u8>>| command[0].eq_ignore_ascii_case(name.as_bytes());
        self.commands().iter().filter(named).count() as u64
    }

    /// How many keys have a value.
    pub fn keys(&self) -> usize {
        self.shared.values.lock().unwrap().len()
    }
}

impl Shared {
    fn serve(&self, input: impl Read, mut output: impl Write) -> io::Result<()> {
        let mut input = BufReader::new(input);
        while let Some(command) = read_command(&mut input)? {
            let reply = self.reply(&command);
            self.commands.lock().unwrap().push(command);
            output.write_all(&reply)?;
        }
        Ok(())
    }

    fn reply(&self, command: &[Vec<u8>]) -> Vec<u8> {
        let name = command[0].to_ascii_uppercase();
        let mut values = self.values.lock().unwrap();
        match (name.as_slice(), &command[1..]) {
            (b"PING", []) => b"+PONG\r\n".to_vec(),
            (b"SET", [key, value]) => {
                let mut value = value.clone();
                if let (true, Some(last)) = (self.spoils, value.last_mut()) {
                    *last ^= 1;
                }
                if !self.forgets {
                    values.insert(key.clone(), value);
                }
                b"+OK\r\n".to_vec()
            }
            (b"GET", [key]) => match values.get(key) {
                Some(value) => {
                    let mut bytes = format!("${}\r\n", value.len()).into_bytes();
                    bytes.extend_from_slice(value);
                    bytes.extend_from_slice(b"\r\n");
                    bytes
                }
                None => b"$-1\r\n".to_vec(),
            },
            (b"DEL", [key]) => integer(usize::from(values.remove(key).is_some())),
            (b"EXISTS", [key]) => integer(usize::from(values.contains_key(key))),
            (b"INCR", [key]) => {
                let value = values.entry(key.clone()).or_insert_with(|| b"0".to_vec());
                match String::from_utf8_lossy(value).parse::<usize>() {
                    Ok(number) => {
                        *value = (number + 1).to_string().into_bytes();
                        integer(number + 1)
                    }
                    Err(_) => b"-ERR value is not an integer\r\n".to_vec(),
                }
            }
            _ => b"-ERR unknown command\r\n".to_vec(),
        }
    }
}

fn integer(number: usize) -> Vec<u8> {
    format!(":{number}\r\n").into_bytes()
}

/// An array of bulk strings; `None` at the end of the stream.
fn read_command(input: &mut impl BufRead) -> io::Result<Option<Vec<Vec<u8>>>> {
    let Some(parts) = read_length(input, b'*')? else {
        return Ok(None);
    };
    let mut command = Vec::new();
    for _ in 0..parts {
        let length = read_length(input, b'$')?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut bytes = vec![0; length + 2];
        input.read_exact(&mut bytes)?;
        if bytes.split_off(length) != b"\r\n" {
            return Err(io::ErrorKind::InvalidData.into());
        }
        command.push(bytes);
    }
    if command.is_empty() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(Some(command))
}

fn read_length(input: &mut impl BufRead, sign: u8) -> io::Result<Option<usize>> {
    let mut line = Vec::new();
    if input.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let digits = line
        .strip_prefix(&[sign])
        .and_then(|rest| rest.strip_suffix(b"\r\n"))
        .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    digits
        .map(Some)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}
