//! What nghttp2 calls while it reads and writes: fields and bytes of answers into their exchanges,
//! and how streams end.

use std::collections::VecDeque;
use std::ffi::{c_char, c_int, c_void};
use std::slice;

use libnghttp2_sys as ffi;

use super::exchange::Exchange;

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a whole answer.
    Answered,
    /// The peer reset it, with this code.
    Reset(u32),
    /// The peer said that it goes away and will not answer it.
    GoneAway,
    /// The peer broke the protocol.
    Malformed,
}

/// What the callbacks of the library see.
#[derive(Default)]
pub(super) struct Streams {
    pub exchanges: Vec<Exchange>,
    pub free: Vec<u32>,
    pub ended: VecDeque<(u32, End)>,
    /// The peer's SETTINGS have come.
    pub has_settings: bool,
    /// The code of its GOAWAY.
    pub go_away: Option<u32>,
    /// GOAWAYs and resets that nobody has counted yet.
    pub go_aways: Vec<u32>,
    pub complaint: Option<String>,
}

/// A slot as the library keeps it: null is of no stream of ours.
pub(super) fn user_data(slot: u32) -> *mut c_void {
    (slot as usize + 1) as *mut c_void
}

fn slot_of(data: *mut c_void) -> Option<u32> {
    (data as usize).checked_sub(1).map(|slot| slot as u32)
}

pub(super) unsafe fn set_callbacks(callbacks: *mut ffi::nghttp2_session_callbacks) {
    unsafe {
        ffi::nghttp2_session_callbacks_set_on_header_callback(callbacks, Some(on_header));
        ffi::nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Some(on_data));
        ffi::nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Some(on_frame));
        ffi::nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, Some(on_unsent));
        ffi::nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Some(on_close));
        ffi::nghttp2_session_callbacks_set_error_callback2(callbacks, Some(on_error));
    }
}

/// The slot of a stream, and what the callbacks write to.
unsafe fn find<'a>(
    session: *mut ffi::nghttp2_session,
    stream: i32,
    data: *mut c_void,
) -> Option<(u32, &'a mut Streams)> {
    let slot = unsafe { ffi::nghttp2_session_get_stream_user_data(session, stream) };
    Some((slot_of(slot)?, unsafe { &mut *data.cast::<Streams>() }))
}

unsafe fn bytes_of<'a>(bytes: *const u8, count: usize) -> &'a [u8] {
    if count == 0 {
        return &[];
    }
    unsafe { slice::from_raw_parts(bytes, count) }
}

unsafe extern "C" fn on_header(
    session: *mut ffi::nghttp2_session,
    frame: *const ffi::nghttp2_frame,
    name: *const u8,
    name_bytes: usize,
    value: *const u8,
    value_bytes: usize,
    _flags: u8,
    data: *mut c_void,
) -> c_int {
    // Of no other length is a field that matters: `:status`, `grpc-status`.
    if name_bytes != 7 && name_bytes != 11 {
        return 0;
    }
    unsafe {
        if let Some((slot, streams)) = find(session, (*frame).hd.stream_id, data) {
            let (name, value) = (bytes_of(name, name_bytes), bytes_of(value, value_bytes));
            streams.exchanges[slot as usize].field(name, value);
        }
    }
    0
}

unsafe extern "C" fn on_data(
    session: *mut ffi::nghttp2_session,
    _flags: u8,
    stream: i32,
    bytes: *const u8,
    count: usize,
    data: *mut c_void,
) -> c_int {
    unsafe {
        if let Some((slot, streams)) = find(session, stream, data) {
            let bytes = bytes_of(bytes, count);
            if !bytes.is_empty() {
                streams.exchanges[slot as usize].piece(bytes);
            }
        }
    }
    0
}

unsafe extern "C" fn on_frame(
    session: *mut ffi::nghttp2_session,
    frame: *const ffi::nghttp2_frame,
    data: *mut c_void,
) -> c_int {
    let head = unsafe { (*frame).hd };
    match u32::from(head.type_) {
        ffi::NGHTTP2_DATA | ffi::NGHTTP2_HEADERS => {
            if u32::from(head.flags) & ffi::NGHTTP2_FLAG_END_STREAM == 0 {
                return 0;
            }
            let Some((slot, streams)) = (unsafe { find(session, head.stream_id, data) }) else {
                return 0;
            };
            let exchange = &mut streams.exchanges[slot as usize];
            exchange.marks.complete = true;
            if exchange.is_sending() {
                // RFC 9113, section 8.1: the server has answered without the rest of the body.
                unsafe {
                    ffi::nghttp2_submit_rst_stream(
                        session,
                        0,
                        head.stream_id,
                        ffi::NGHTTP2_NO_ERROR,
                    );
                }
            }
        }
        ffi::NGHTTP2_RST_STREAM => unsafe {
            if let Some((slot, streams)) = find(session, head.stream_id, data) {
                let code = (*frame).rst_stream.error_code;
                streams.exchanges[slot as usize].marks.reset = Some(code);
            }
        },
        ffi::NGHTTP2_SETTINGS => unsafe { (*data.cast::<Streams>()).has_settings = true },
        ffi::NGHTTP2_GOAWAY => unsafe {
            let streams = &mut *data.cast::<Streams>();
            let code = (*frame).goaway.error_code;
            streams.go_away = Some(code);
            streams.go_aways.push(code);
        },
        _ => {}
    }
    0
}

/// A request that was never sent: the peer had gone away.
unsafe extern "C" fn on_unsent(
    _session: *mut ffi::nghttp2_session,
    frame: *const ffi::nghttp2_frame,
    _error: c_int,
    data: *mut c_void,
) -> c_int {
    unsafe {
        let head = (*frame).hd;
        if u32::from(head.type_) != ffi::NGHTTP2_HEADERS {
            return 0;
        }
        let streams = &mut *data.cast::<Streams>();
        let slot = streams
            .exchanges
            .iter()
            .position(|one| one.stream == head.stream_id);
        if let Some(slot) = slot {
            streams.exchanges[slot].stream = 0;
            streams.ended.push_back((slot as u32, End::GoneAway));
        }
    }
    0
}

unsafe extern "C" fn on_close(
    session: *mut ffi::nghttp2_session,
    stream: i32,
    _code: u32,
    data: *mut c_void,
) -> c_int {
    let Some((slot, streams)) = (unsafe { find(session, stream, data) }) else {
        return 0;
    };
    let exchange = &mut streams.exchanges[slot as usize];
    if exchange.stream != stream {
        return 0; // told of already
    }
    exchange.stream = 0;
    let marks = exchange.marks;
    if marks.abandoned {
        streams.free.push(slot);
        return 0;
    }
    let end = match marks.reset {
        _ if marks.complete => End::Answered,
        Some(code) => End::Reset(code),
        None if streams.go_away.is_some() => End::GoneAway,
        None => End::Malformed,
    };
    streams.ended.push_back((slot, end));
    0
}

unsafe extern "C" fn on_error(
    _session: *mut ffi::nghttp2_session,
    _error: c_int,
    message: *const c_char,
    count: usize,
    data: *mut c_void,
) -> c_int {
    unsafe {
        let text = String::from_utf8_lossy(bytes_of(message.cast(), count)).into_owned();
        (*data.cast::<Streams>()).complaint.get_or_insert(text);
    }
    0
}

pub(super) unsafe extern "C" fn read_body(
    _session: *mut ffi::nghttp2_session,
    _stream: i32,
    into: *mut u8,
    room: usize,
    flags: *mut u32,
    source: *mut ffi::nghttp2_data_source,
    data: *mut c_void,
) -> ffi::nghttp2_ssize {
    unsafe {
        let Some(slot) = slot_of((*source).ptr) else {
            return ffi::NGHTTP2_ERR_CALLBACK_FAILURE as ffi::nghttp2_ssize;
        };
        let streams = &mut *data.cast::<Streams>();
        let into = slice::from_raw_parts_mut(into, room);
        let (count, last) = streams.exchanges[slot as usize].read_body(into);
        if last {
            *flags |= ffi::NGHTTP2_DATA_FLAG_EOF;
        }
        count as ffi::nghttp2_ssize
    }
}
