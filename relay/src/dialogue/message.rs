//! Where the messages of PostgreSQL's protocol end
//! (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).

/// Largest message: what a PostgreSQL server accepts of a client (`PQ_LARGE_MESSAGE_LIMIT`,
/// `MaxAllocSize` − 1), and sends.
const LENGTH_MOST: u32 = 0x3fff_ffff;
/// Largest startup packet (`MAX_STARTUP_PACKET_LENGTH`).
pub const STARTUP_LENGTH_MOST: u32 = 10_000;
/// Bytes of a startup packet's length and code.
pub const STARTUP_HEAD_BYTES: usize = 8;
/// Bytes of a message's type and length.
const HEAD_BYTES: usize = 5;

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAMessage;

/// A message that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The first of a connection, with its code: a version or a special request.
    Startup(u32),
    /// Any other, with its type.
    Typed(u8),
}

/// Finds the ends of messages in one stream, in whatever pieces it arrives.
#[derive(Debug)]
pub struct Messages {
    head: [u8; STARTUP_HEAD_BYTES],
    have: usize,
    body_left: Option<u32>,
    startup: bool,
    known: fn(u8) -> bool,
}

impl Messages {
    /// Of a client: a startup packet first.
    pub fn of_client() -> Self {
        Self::new(true, |kind| b"BCDEFHPQSXcdfp".contains(&kind))
    }

    /// Of a server.
    pub fn of_server() -> Self {
        Self::new(false, |kind| b"123ACDEGHIKNRSTVWZcdnstv".contains(&kind))
    }

    fn new(startup: bool, known: fn(u8) -> bool) -> Self {
        Self {
            head: [0; STARTUP_HEAD_BYTES],
            have: 0,
            body_left: None,
            startup,
            known,
        }
    }

    /// Reads up to the end of the first message in `bytes`: how many were used, and the
    /// message if its end is among them.
    ///
    /// # Errors
    /// [`NotAMessage`]: a type that does not exist, or a length that cannot be.
    pub fn next(&mut self, bytes: &[u8]) -> Result<(usize, Option<Message>), NotAMessage> {
        let mut used = 0;
        let left = match self.body_left {
            Some(left) => left,
            None => {
                let head_bytes = if self.startup {
                    STARTUP_HEAD_BYTES
                } else {
                    HEAD_BYTES
                };
                let taken = (head_bytes - self.have).min(bytes.len());
                self.head[self.have..self.have + taken].copy_from_slice(&bytes[..taken]);
                self.have += taken;
                used = taken;
                // A type that does not exist is not waited for: nothing more may come.
                if !self.startup && self.have > 0 && !(self.known)(self.head[0]) {
                    return Err(NotAMessage);
                }
                if self.have < head_bytes {
                    return Ok((used, None));
                }
                self.body_bytes()?
            }
        };
        let taken = (left as usize).min(bytes.len() - used);
        let left = left - taken as u32;
        if left > 0 {
            self.body_left = Some(left);
            return Ok((used + taken, None));
        }
        self.body_left = None;
        self.have = 0;
        let message = if self.startup {
            self.startup = false;
            Message::Startup(self.word(4))
        } else {
            Message::Typed(self.head[0])
        };
        Ok((used + taken, Some(message)))
    }

    /// How many bytes follow the head, by the length in it.
    fn body_bytes(&self) -> Result<u32, NotAMessage> {
        let (length, least, most) = if self.startup {
            (self.word(0), STARTUP_HEAD_BYTES as u32, STARTUP_LENGTH_MOST)
        } else {
            (self.word(1), 4, LENGTH_MOST)
        };
        if length < least || length > most {
            return Err(NotAMessage);
        }
        Ok(length - least)
    }

    fn word(&self, at: usize) -> u32 {
        self.head[at..at + 4]
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte))
    }
}
