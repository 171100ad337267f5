//! A request's target, as the name of a file.

use crate::failure::Failure;

const SCHEME: &str = "http://";

/// The names of folders on the way, and the file's own. The target is ASCII.
pub fn file_name(target: &str) -> Result<Vec<String>, Failure> {
    let mut path = target;
    if path.get(..SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case(SCHEME)) {
        path = &path[SCHEME.len()..];
        let end = path.find(['/', '?']).unwrap_or(path.len());
        if end == 0 {
            return Err(Failure::new(400));
        }
        path = &path[end..];
        if !path.starts_with('/') {
            path = "/";
        }
    }
    let path = path.strip_prefix('/').ok_or_else(|| Failure::new(400))?;
    let path = path.split_once('?').map_or(path, |(path, _query)| path);
    let segments: Vec<String> = path.split('/').map(unescaped).collect::<Result<_, _>>()?;
    if segments.iter().all(|segment| is_name(segment)) {
        Ok(segments)
    } else {
        Err(Failure::new(404))
    }
}

/// Every %XX becomes the character that stands for its byte.
fn unescaped(segment: &str) -> Result<String, Failure> {
    let mut parts = segment.split('%');
    let mut characters = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let byte = part
            .get(..2)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .ok_or_else(|| Failure::new(400))?;
        characters.push(char::from(byte));
        characters.push_str(&part[2..]);
    }
    Ok(characters)
}

/// Whether a segment cannot leave its folder, whatever it is taken for.
fn is_name(segment: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'/' && byte != b'\\';
    !matches!(segment, "" | "." | "..") && segment.bytes().all(fits)
}
