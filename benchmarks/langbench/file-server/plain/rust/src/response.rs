//! The response to a request.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::request::{number, Failure, Request, BEYOND_ANY_FILE};

const MOST_FILE_BYTES: u64 = 1 << 30;
const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]; // from 1970-01-01 on
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The counts of one connection, or the sum of several.
#[derive(Clone, Default)]
pub struct Counts {
    pub requests: u64,
    pub body_bytes: u64,
}

pub fn respond(folder: &Path, request: &Request, counts: &mut Counts) -> Vec<u8> {
    file_response(folder, request, counts)
        .unwrap_or_else(|failure| failure_response(&failure, connection_field(request)))
}

pub fn failure_response(failure: &Failure, connection: &str) -> Vec<u8> {
    head(failure.status, &format!("Content-Length: 0\r\n{}", failure.field), connection)
}

fn file_response(
    folder: &Path,
    request: &Request,
    counts: &mut Counts,
) -> Result<Vec<u8>, Failure> {
    if request.method != "GET" && request.method != "HEAD" {
        return Err(Failure { status: 405, field: "Allow: GET, HEAD\r\n".to_owned() });
    }
    let names = request.file_name()?;
    let file = open(folder, &names).ok_or(Failure::new(404))?;
    let status = file.metadata().map_err(|_| Failure::new(404))?;
    if !status.is_file() {
        return Err(Failure::new(404));
    }
    let size = status.len();
    if size > MOST_FILE_BYTES {
        return Err(Failure::new(500));
    }
    let part = requested_range(request, size)?;
    let (first, count) = part.unwrap_or((0, size));
    let mut fields = format!(
        "Last-Modified: {}\r\nContent-Type: {}\r\nContent-Length: {count}\r\n",
        date(status.mtime().max(0) as u64),
        content_type(names.last().map_or("", String::as_str)),
    );
    fields += "Accept-Ranges: bytes\r\n";
    if part.is_some() {
        fields += &format!("Content-Range: bytes {first}-{}/{size}\r\n", first + count - 1);
    }
    let mut response =
        head(if part.is_some() { 206 } else { 200 }, &fields, connection_field(request));
    if request.method == "HEAD" {
        return Ok(response);
    }
    let start = response.len();
    response.resize(start + count as usize, 0);
    file.read_exact_at(&mut response[start..], first).map_err(|_| Failure::new(500))?;
    counts.requests += 1; // tick
    counts.body_bytes += count; // tick
    Ok(response)
}

fn open(folder: &Path, names: &[String]) -> Option<File> {
    let (name, folders) = names.split_last()?;
    let mut path = folder.to_owned();
    for folder in folders {
        path.push(folder);
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_dir)?;
    }
    path.push(name);
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path).ok()
}

/// The first byte and the number of bytes, or none for the whole file.
fn requested_range(request: &Request, size: u64) -> Result<Option<(u64, u64)>, Failure> {
    let range = request.header("range").and_then(|range| range.strip_prefix(b"bytes="));
    let (Some(range), None, "GET", 1..) =
        (range, request.header("if-range"), request.method.as_str(), size)
    else {
        return Ok(None);
    };
    let ends: Vec<&[u8]> = range.split(|&byte| byte == b'-').collect();
    let (first, count) = match ends[..] {
        [b"", to] => match number(to) {
            Some(count) => (size - count.min(size), count.min(size)),
            None => return Ok(None),
        },
        [from, to] => {
            let last = if to.is_empty() { Some(BEYOND_ANY_FILE) } else { number(to) };
            match (number(from), last) {
                (Some(first), Some(last)) if first <= last => {
                    (first, last.min(size - 1).saturating_sub(first) + 1)
                }
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    if first >= size {
        return Err(Failure { status: 416, field: format!("Content-Range: bytes */{size}\r\n") });
    }
    Ok(Some((first, count)))
}

fn content_type(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "txt" | "log" => "text/plain; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn connection_field(request: &Request) -> &'static str {
    match (request.is_persistent(), request.minor) {
        (false, _) => "Connection: close\r\n",
        (true, 0) => "Connection: keep-alive\r\n",
        (true, _) => "",
    }
}

fn head(status: u16, fields: &str, connection: &str) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        206 => "Partial Content",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        431 => "Request Header Fields Too Large",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let date = date(now);
    format!("HTTP/1.1 {status} {reason}\r\nDate: {date}\r\n{fields}{connection}\r\n").into_bytes()
}

/// A time in seconds since 1970, as HTTP writes it.
fn date(seconds: u64) -> String {
    let day_name = DAYS[(seconds / 86_400 % 7) as usize];
    let (mut days, mut year) = (seconds / 86_400, 1970);
    while days >= year_days(year) {
        days -= year_days(year);
        year += 1;
    }
    let mut month = 0;
    while days >= month_days(year, month) {
        days -= month_days(year, month);
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let (day, month) = (days + 1, MONTHS[month]);
    format!("{day_name}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn year_days(year: u64) -> u64 {
    if is_leap(year) {
        366
    } else {
        365
    }
}

fn month_days(year: u64, month: usize) -> u64 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}
