//! From a request to its answer.

use std::fs::{self, File, Metadata, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use runfair_harness::Counter;

use crate::byte_range::{requested_range, ByteRange};
use crate::date::date;
use crate::failure::Failure;
use crate::request::Request;
use crate::target::file_name;

/// The counters, by their places.
pub const COUNTERS: [&str; 2] = ["requests", "body_bytes"];
const REQUESTS: usize = 0;
const BODY_BYTES: usize = 1;

const MOST_FILE_BYTES: u64 = 1 << 30;

/// The whole answer to a request that could be read.
pub fn answer<const COUNT: bool>(
    folder: &Path,
    request: &Request,
    counter: &mut Counter<COUNT>,
) -> Vec<u8> {
    found(folder, request, counter).unwrap_or_else(|failure| failed(&failure, connection(request)))
}

/// The answer to what could not be read, behind which nothing can be.
pub fn refusal(failure: &Failure) -> Vec<u8> {
    failed(failure, "Connection: close\r\n")
}

fn found<const COUNT: bool>(
    folder: &Path,
    request: &Request,
    counter: &mut Counter<COUNT>,
) -> Result<Vec<u8>, Failure> {
    if request.method != "GET" && request.method != "HEAD" {
        return Err(Failure::with(405, "Allow: GET, HEAD".to_owned()));
    }
    let name = file_name(&request.target)?;
    let (file, status) = open(folder, &name).ok_or_else(|| Failure::new(404))?;
    content(&file, &status, &name[name.len() - 1], request, counter)
}

/// A regular file that no link leads to.
fn open(folder: &Path, name: &[String]) -> Option<(File, Metadata)> {
    let (last, folders) = name.split_last()?;
    let mut path = folder.to_owned();
    for segment in folders {
        path.push(segment);
        fs::symlink_metadata(&path).ok().filter(Metadata::is_dir)?;
    }
    path.push(last);
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path).ok()?;
    let status = file.metadata().ok().filter(Metadata::is_file)?;
    Some((file, status))
}

fn content<const COUNT: bool>(
    file: &File,
    status: &Metadata,
    name: &str,
    request: &Request,
    counter: &mut Counter<COUNT>,
) -> Result<Vec<u8>, Failure> {
    let size = status.len();
    if size > MOST_FILE_BYTES {
        return Err(Failure::new(500));
    }
    let ranged = request.method == "GET" && request.header("if-range").is_none();
    let part = requested_range(request.header("range").filter(|_| ranged), size)?;
    let ByteRange { first, count } = part.unwrap_or(ByteRange { first: 0, count: size });
    let mut fields = format!(
        "Last-Modified: {}\r\nContent-Type: {}\r\nContent-Length: {count}\r\nAccept-Ranges: bytes\r\n",
        date(status.modified().unwrap_or(UNIX_EPOCH)),
        content_type(name),
    );
    if part.is_some() {
        let last = first + count - 1;
        fields += &format!("Content-Range: bytes {first}-{last}/{size}\r\n");
    }
    let said = head(if part.is_some() { 206 } else { 200 }, &fields, connection(request));
    if request.method == "HEAD" {
        return Ok(said);
    }
    let mut whole = vec![0; said.len() + count as usize];
    whole[..said.len()].copy_from_slice(&said);
    let body = &mut whole[said.len()..];
    file.read_exact_at(body, first).map_err(|_| Failure::new(500))?;
    counter.tick(REQUESTS);
    counter.tick_bytes(BODY_BYTES, body);
    Ok(whole)
}

fn content_type(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("txt" | "log") => "text/plain; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn failed(failure: &Failure, last: &str) -> Vec<u8> {
    let mut fields = "Content-Length: 0\r\n".to_owned();
    if let Some(field) = &failure.field {
        fields += field;
        fields += "\r\n";
    }
    head(failure.status, &fields, last)
}

/// What the head says of the connection.
fn connection(request: &Request) -> &'static str {
    match (request.persistent(), request.minor) {
        (false, _) => "Connection: close\r\n",
        (true, 0) => "Connection: keep-alive\r\n",
        (true, _) => "",
    }
}

/// Its end is the empty line; `fields` and `last` are whole lines.
fn head(status: u16, fields: &str, last: &str) -> Vec<u8> {
    let (reason, now) = (reason(status), date(SystemTime::now()));
    format!("HTTP/1.1 {status} {reason}\r\nDate: {now}\r\n{fields}{last}\r\n").into_bytes()
}

fn reason(status: u16) -> &'static str {
    match status {
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
    }
}
