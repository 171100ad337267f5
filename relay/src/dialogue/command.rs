//! Finds the ends and the names of a Redis client's commands
//! (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).

/// The longest line that begins a command or an argument, and the longest inline command:
/// Redis's own limit (`PROTO_INLINE_MAX_SIZE`).
const LINE_MOST_BYTES: usize = 64 * 1024;
/// The greatest number of arguments of a command: Redis's own limit
/// (`processMultibulkBuffer`).
const ARGUMENTS_MOST: i64 = i32::MAX as i64;
/// The largest argument: Redis's own default limit (`proto-max-bulk-len`).
const ARGUMENT_MOST_BYTES: i64 = 512 * 1024 * 1024;
/// The number of bytes of a word that are kept. It is more than the longest name that must
/// be recognised.
const WORD_BYTES: usize = 16;
/// The length of an argument's head (`$` and digits) that is kept.
const HEAD_BYTES: usize = 32;

/// The bytes are not a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACommand;

/// The first two words of a command, in capitals, cut to 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words {
    words: [[u8; WORD_BYTES]; 2],
    lengths: [usize; 2],
}

impl Words {
    /// The word with this index; empty if there is no such word.
    pub fn get(&self, place: usize) -> &[u8] {
        &self.words[place][..self.lengths[place]]
    }

    fn add(&mut self, place: u64, bytes: &[u8]) {
        let Ok(place @ 0..=1) = usize::try_from(place) else {
            return;
        };
        for byte in bytes.iter().take(WORD_BYTES - self.lengths[place]) {
            self.words[place][self.lengths[place]] = byte.to_ascii_uppercase();
            self.lengths[place] += 1;
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// The parser is in the line that begins a command.
    #[default]
    Begin,
    /// The parser is in the line that begins an argument.
    Head,
    /// This many bytes of an argument and of the line end after it are still to come.
    Argument { left: u64, end: u64 },
}

/// Finds the ends of commands in a client's stream, whatever the sizes of the pieces in
/// which the stream arrives.
#[derive(Debug, Default)]
pub struct Commands {
    part: Part,
    line: Vec<u8>,
    line_bytes: usize,
    place: u64,
    arguments_left: u64,
    words: Words,
}

impl Commands {
    /// Reads `bytes` up to the end of the first command. Returns the number of bytes that
    /// were used and, if the end is among them, the command's first words. Empty lines and
    /// empty arrays are skipped, as in Redis.
    ///
    /// # Errors
    /// [`NotACommand`].
    pub fn next(&mut self, bytes: &[u8]) -> Result<(usize, Option<Words>), NotACommand> {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let whole = match self.part {
                Part::Argument { left, end } => {
                    used += self.argument(rest, left, end);
                    self.part == Part::Head && self.arguments_left == 0
                }
                Part::Begin | Part::Head => {
                    let newline = rest.iter().position(|byte| *byte == b'\n');
                    let taken = newline.map_or(rest.len(), |place| place + 1);
                    self.keep(&rest[..taken])?;
                    used += taken;
                    newline.is_some() && self.line_read()?
                }
            };
            if whole {
                self.part = Part::Begin;
                self.place = 0;
                return Ok((used, Some(std::mem::take(&mut self.words))));
            }
        }
        Ok((used, None))
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), NotACommand> {
        self.line_bytes += piece.len();
        let most = match self.part {
            Part::Head => HEAD_BYTES,
            _ => LINE_MOST_BYTES,
        };
        if self.line_bytes > most {
            return Err(NotACommand);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    /// Interprets a complete line. Returns whether it ends a command.
    fn line_read(&mut self) -> Result<bool, NotACommand> {
        self.line_bytes = 0;
        let line = std::mem::take(&mut self.line);
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if self.part == Part::Head {
            let length = number(text, b'$', ARGUMENT_MOST_BYTES).filter(|length| *length >= 0);
            let left = length.ok_or(NotACommand)? as u64;
            self.part = Part::Argument { left, end: 2 };
            return Ok(false);
        }
        if text.first() == Some(&b'*') {
            let count = number(text, b'*', ARGUMENTS_MOST).ok_or(NotACommand)?;
            if count > 0 {
                self.part = Part::Head;
                self.arguments_left = count as u64;
            }
            return Ok(false);
        }
        // An inline command: words, as a person types them.
        if text
            .iter()
            .any(|byte| !(0x20..0x7f).contains(byte) && *byte != b'\t')
        {
            return Err(NotACommand);
        }
        let words = text.split(u8::is_ascii_whitespace);
        for (place, word) in words.filter(|word| !word.is_empty()).enumerate() {
            self.words.add(place as u64, word);
        }
        Ok(!self.words.get(0).is_empty())
    }

    /// Skips the bytes of an argument. Returns the number of bytes that were used.
    fn argument(&mut self, rest: &[u8], left: u64, end: u64) -> usize {
        let of_it = (rest.len() as u64).min(left);
        self.words.add(self.place, &rest[..of_it as usize]);
        let of_end = (rest.len() as u64 - of_it).min(end);
        self.part = Part::Argument {
            left: left - of_it,
            end: end - of_end,
        };
        if left == of_it && end == of_end {
            self.part = Part::Head;
            self.arguments_left -= 1;
            self.place += 1;
        }
        (of_it + of_end) as usize
    }
}

fn number(text: &[u8], mark: u8, most: i64) -> Option<i64> {
    let digits = std::str::from_utf8(text.strip_prefix(&[mark])?).ok()?;
    digits.parse().ok().filter(|number| *number <= most)
}
