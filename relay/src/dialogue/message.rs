//! Finds the ends of messages of PostgreSQL's protocol
//! (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).

/// The largest message that a PostgreSQL server sends, or accepts from a client
/// (`PQ_LARGE_MESSAGE_LIMIT`, `MaxAllocSize` − 1).
const LENGTH_MOST: u32 = 0x3fff_ffff;
/// The largest startup packet (`MAX_STARTUP_PACKET_LENGTH`).
pub const STARTUP_LENGTH_MOST: u32 = 10_000;
/// The number of bytes of a startup packet's length and code.
pub const STARTUP_HEAD_BYTES: usize = 8;
/// The number of bytes of a message's type and length.
const HEAD_BYTES: usize = 5;

/// The bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAMessage;

/// A complete message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The first message of a connection, with its code: a version or a special request.
    Startup(u32),
    /// Any other message, with its type.
    Typed(u8),
}

/// Finds the ends of messages in one stream, whatever the sizes of the pieces in which the
/// stream arrives.
#[derive(Debug)]
pub struct Messages {
    head: [u8; STARTUP_HEAD_BYTES],
    have: usize,
    body_left: Option<u32>,
    startup: bool,
    known: fn(u8) -> bool,
}

impl Messages {
    /// A reader for a client's stream, which begins with a startup packet.
    pub fn of_client() -> Self {
        Self::new(true, |kind| b"BCDEFHPQSXcdfp".contains(&kind))
    }

    /// A reader for a server's stream.
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

    /// Reads `bytes` up to the end of the first message. Returns the number of bytes that
    /// were used and, if the end is among them, the message.
    ///
    /// # Errors
    /// [`NotAMessage`] if the type does not exist or the length is impossible.
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
                // An unknown type is an error at once, because no more bytes may come.
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

    /// The number of bytes after the head, by the length in the head.
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
