//! Finds the ends of a Redis server's replies, in RESP2 and RESP3
//! (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).

/// The longest line of a reply. Simple strings, errors and big numbers are always short.
const LINE_MOST_BYTES: usize = 64 * 1024;
/// The deepest nesting that is accepted. The deepest replies of Redis itself have 7 levels
/// (COMMAND DOCS).
const DEPTH_MOST: usize = 32;
/// The greatest number of elements or bytes that a head may announce.
const ANNOUNCED_MOST: u64 = 1 << 40;

/// The bytes are not a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAReply;

/// A complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer to a command.
    Good,
    /// The answer to a command that failed.
    Error,
    /// A message that the server sends without a request (RESP3).
    Push,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    elements_left: u64,
    /// This is an attribute: it precedes an element and is not itself an element.
    attribute: bool,
}

/// Finds the ends of replies in a server's stream, whatever the sizes of the pieces in
/// which the stream arrives.
#[derive(Debug, Default)]
pub struct Replies {
    line: Vec<u8>,
    bulk_left: Option<u64>,
    open: Vec<Open>,
    outermost: Option<Reply>,
}

impl Replies {
    /// Reads `bytes` up to the end of the first reply. Returns the number of bytes that
    /// were used and, if the end is among them, the reply.
    ///
    /// # Errors
    /// [`NotAReply`].
    pub fn next(&mut self, bytes: &[u8]) -> Result<(usize, Option<Reply>), NotAReply> {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let element = if let Some(left) = self.bulk_left {
                let taken = (rest.len() as u64).min(left);
                used += taken as usize;
                self.bulk_left = (left > taken).then_some(left - taken);
                self.bulk_left.is_none()
            } else {
                if self.line.is_empty() && !b"+-:_#,($!=*~>%|".contains(&rest[0]) {
                    return Err(NotAReply);
                }
                let newline = rest.iter().position(|byte| *byte == b'\n');
                let taken = newline.map_or(rest.len(), |place| place + 1);
                if self.line.len() + taken > LINE_MOST_BYTES {
                    return Err(NotAReply);
                }
                self.line.extend_from_slice(&rest[..taken]);
                used += taken;
                newline.is_some() && self.line_read()?
            };
            if element && self.close() {
                return Ok((used, self.outermost.take()));
            }
        }
        Ok((used, None))
    }

    /// Interprets a complete line. Returns whether it completes an element.
    fn line_read(&mut self) -> Result<bool, NotAReply> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_suffix(b"\r\n").ok_or(NotAReply)?;
        let (&mark, text) = text.split_first().ok_or(NotAReply)?;
        if mark != b'|' {
            self.outermost.get_or_insert(match mark {
                b'-' | b'!' => Reply::Error,
                b'>' => Reply::Push,
                _ => Reply::Good,
            });
        }
        if b"+-:_#,(".contains(&mark) {
            return Ok(true);
        }
        if text == b"-1" {
            return Ok(true); // RESP2's null
        }
        let announced = std::str::from_utf8(text)
            .ok()
            .and_then(|digits| digits.parse().ok());
        let announced: u64 = announced
            .filter(|announced| *announced <= ANNOUNCED_MOST)
            .ok_or(NotAReply)?;
        if b"$!=".contains(&mark) {
            self.bulk_left = Some(announced + 2);
            return Ok(false);
        }
        if announced == 0 {
            return Ok(mark != b'|');
        }
        if self.open.len() == DEPTH_MOST {
            return Err(NotAReply);
        }
        let pairs = b"%|".contains(&mark);
        self.open.push(Open {
            elements_left: if pairs { 2 * announced } else { announced },
            attribute: mark == b'|',
        });
        Ok(false)
    }

    /// Records that an element is complete. Returns whether the reply is complete.
    fn close(&mut self) -> bool {
        while let Some(innermost) = self.open.last_mut() {
            innermost.elements_left -= 1;
            if innermost.elements_left > 0 {
                return false;
            }
            let attribute = innermost.attribute;
            self.open.pop();
            if attribute {
                if self.open.is_empty() {
                    self.outermost = None; // the type of the attribute; the reply follows
                }
                return false;
            }
        }
        true
    }
}
