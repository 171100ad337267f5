//! Where the commands of a Redis client end, and what they are called
//! (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).

/// Longest line that begins a command or an argument, and longest inline command: Redis's
/// own limit (`PROTO_INLINE_MAX_SIZE`).
const LINE_MOST_BYTES: usize = 64 * 1024;
/// Most arguments of a command: Redis's own limit (`processMultibulkBuffer`).
const ARGUMENTS_MOST: i64 = i32::MAX as i64;
/// Largest argument: Redis's own default limit (`proto-max-bulk-len`).
const ARGUMENT_MOST_BYTES: i64 = 512 * 1024 * 1024;
/// How much of a word is kept: more than the longest name that is looked for.
const WORD_BYTES: usize = 16;
/// Length of the head of an argument, `$` and digits, that is kept.
const HEAD_BYTES: usize = 32;

/// Bytes that are no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACommand;

/// The first two words of a command, in capitals, cut to 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words {
    words: [[u8; WORD_BYTES]; 2],
    lengths: [usize; 2],
}

impl Words {
    /// The word at a place, empty where there is none.
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
    /// The line that begins a command.
    #[default]
    Begin,
    /// The line that begins an argument.
    Head,
    /// So many bytes of an argument, and of the line end after it.
    Argument { left: u64, end: u64 },
}

/// Finds the ends of commands in a client's stream, in whatever pieces it arrives.
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
    /// Reads up to the end of the first command in `bytes`: how many were used, and its first
    /// words if its end is among them. Empty lines and empty arrays, which Redis passes over,
    /// are no commands.
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

    /// What a whole line means; whether it ends a command.
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
        // An inline command: words, as one types them.
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

    /// Passes over an argument's bytes; how many were used.
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
