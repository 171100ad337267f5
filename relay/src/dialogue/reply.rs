//! Where the replies of a Redis server end: RESP2 and RESP3
//! (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).

/// Longest line of a reply: simple strings, errors and big numbers are short by nature.
const LINE_MOST_BYTES: usize = 64 * 1024;
/// Deepest nesting that is followed; Redis's own deepest replies are 7 deep (COMMAND DOCS).
const DEPTH_MOST: usize = 32;
/// Most elements and bytes that a head may announce.
const ANNOUNCED_MOST: u64 = 1 << 40;

/// Bytes that are no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAReply;

/// A reply that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer to a command.
    Good,
    /// The answer that a command failed.
    Error,
    /// What the server says without being asked (RESP3).
    Push,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    elements_left: u64,
    /// It stands before an element, and is none itself.
    attribute: bool,
}

/// Finds the ends of replies in a server's stream, in whatever pieces it arrives.
#[derive(Debug, Default)]
pub struct Replies {
    line: Vec<u8>,
    bulk_left: Option<u64>,
    open: Vec<Open>,
    outermost: Option<Reply>,
}

impl Replies {
    /// Reads up to the end of the first reply in `bytes`: how many were used, and the reply
    /// if its end is among them.
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

    /// What a whole line means; whether it completes an element.
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

    /// An element is complete; whether the reply is.
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
                    self.outermost = None; // of its elements; the reply itself follows
                }
                return false;
            }
        }
        true
    }
}
