//! One HTTP/2 connection by nghttp2, which keeps flow control, header compression and the
//! states of streams. A thin binding: requests in, ends of streams out.

use std::ptr::{self, NonNull};
use std::slice;

use libnghttp2_sys as ffi;

use super::callbacks::{read_body, set_callbacks, user_data, End, Streams};
use super::exchange::Exchange;
use crate::traffic::{Expected, Message};

/// How many bytes of one answer may be under way, and of all answers of a connection together:
/// as much as Go's client allows, so that our windows hold up no server on an ordinary network.
const STREAM_WINDOW_BYTES: u32 = 4 << 20;
const CONNECTION_WINDOW_BYTES: i32 = 1 << 30;

/// A client's side of one connection.
pub struct Session {
    library: NonNull<ffi::nghttp2_session>,
    /// Owned; a raw pointer, since the library's callbacks write to it too.
    streams: NonNull<Streams>,
    fields: Vec<ffi::nghttp2_nv>,
    /// How many bytes of the peer have come.
    received_bytes: usize,
}

// The pointers are to memory that this session alone owns.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        unsafe {
            ffi::nghttp2_session_del(self.library.as_ptr());
            drop(Box::from_raw(self.streams.as_ptr()));
        }
    }
}

impl Session {
    /// A session whose preface and SETTINGS wait to be sent; `None` without memory.
    pub fn new() -> Option<Self> {
        let streams = NonNull::from(Box::leak(Box::<Streams>::default()));
        let mut library = ptr::null_mut();
        // A failure leaves the pointer null.
        unsafe {
            let mut callbacks = ptr::null_mut();
            if ffi::nghttp2_session_callbacks_new(&mut callbacks) == 0 {
                set_callbacks(callbacks);
                ffi::nghttp2_session_client_new2(
                    &mut library,
                    callbacks,
                    streams.as_ptr().cast(),
                    ptr::null(),
                );
                ffi::nghttp2_session_callbacks_del(callbacks);
            }
        }
        let Some(library) = NonNull::new(library) else {
            drop(unsafe { Box::from_raw(streams.as_ptr()) });
            return None;
        };
        let session = Self {
            library,
            streams,
            fields: Vec::new(),
            received_bytes: 0,
        };
        let settings = [
            (ffi::NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            (
                ffi::NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                STREAM_WINDOW_BYTES,
            ),
        ]
        .map(|(id, value)| ffi::nghttp2_settings_entry {
            settings_id: id as i32,
            value,
        });
        let library = session.library.as_ptr();
        let refused = unsafe {
            ffi::nghttp2_submit_settings(library, 0, settings.as_ptr(), settings.len())
                | ffi::nghttp2_session_set_local_window_size(library, 0, 0, CONNECTION_WINDOW_BYTES)
        };
        (refused == 0).then_some(session)
    }

    fn streams(&self) -> &Streams {
        unsafe { self.streams.as_ref() }
    }

    fn streams_mut(&mut self) -> &mut Streams {
        unsafe { self.streams.as_mut() }
    }

    /// Whether the peer has said how many streams it takes.
    pub fn is_ready(&self) -> bool {
        self.streams().has_settings
    }

    /// How many streams the peer takes at once; none after its GOAWAY.
    pub fn streams_allowed(&self) -> usize {
        if self.streams().go_away.is_some() {
            return 0;
        }
        let id = ffi::NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS;
        let allowed =
            unsafe { ffi::nghttp2_session_get_remote_settings(self.library.as_ptr(), id) };
        allowed as usize
    }

    /// Whether the peer has said that it goes away.
    pub fn is_going_away(&self) -> bool {
        self.streams().go_away.is_some()
    }

    /// Takes the codes of GOAWAY frames that came.
    pub fn take_go_aways(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.streams_mut().go_aways)
    }

    /// Begins a request; its body is taken from the message. Whether the library took it.
    pub fn request(
        &mut self,
        index: u64,
        message: &mut Message,
        expected: Expected<'_>,
        checked: bool,
    ) -> bool {
        let streams = self.streams_mut();
        let slot = streams.free.pop().unwrap_or_else(|| {
            streams.exchanges.push(Exchange::default());
            (streams.exchanges.len() - 1) as u32
        });
        let exchange = &mut streams.exchanges[slot as usize];
        exchange.begin(index, expected, checked);
        exchange.take_body(&mut message.body, message.is_call);
        let has_body = exchange.has_body();
        self.fields.clear();
        for (name, value) in message.fields() {
            self.fields.push(ffi::nghttp2_nv {
                // The library copies both.
                name: name.as_ptr().cast_mut(),
                value: value.as_ptr().cast_mut(),
                namelen: name.len(),
                valuelen: value.len(),
                flags: 0,
            });
        }
        let provider = ffi::nghttp2_data_provider2 {
            source: ffi::nghttp2_data_source {
                ptr: user_data(slot),
            },
            read_callback: Some(read_body),
        };
        let stream = unsafe {
            ffi::nghttp2_submit_request2(
                self.library.as_ptr(),
                ptr::null(),
                self.fields.as_ptr(),
                self.fields.len(),
                if has_body { &provider } else { ptr::null() },
                user_data(slot),
            )
        };
        self.fields.clear();
        let streams = self.streams_mut();
        streams.exchanges[slot as usize].stream = stream;
        if stream < 0 {
            streams.ended.push_back((slot, End::GoneAway));
        }
        stream >= 0
    }

    /// Gives up the request of this number: its stream is reset.
    pub fn abandon(&mut self, index: u64) {
        let found = self.streams_mut().exchanges.iter_mut().find(|exchange| {
            exchange.index == index && exchange.stream > 0 && !exchange.marks.abandoned
        });
        let Some(exchange) = found else {
            return;
        };
        exchange.marks.abandoned = true;
        let stream = exchange.stream;
        // A failure is one of memory: the stream stays until its connection goes.
        unsafe {
            ffi::nghttp2_submit_rst_stream(self.library.as_ptr(), 0, stream, ffi::NGHTTP2_CANCEL);
        }
    }

    /// Takes bytes of the peer.
    ///
    /// # Errors
    /// In words, why the connection is of no more use.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), String> {
        // RFC 9113, section 3.4: a server begins with SETTINGS, whose type is a frame's 4th byte.
        let first_type = 3_usize
            .checked_sub(self.received_bytes)
            .and_then(|at| bytes.get(at));
        self.received_bytes = self.received_bytes.saturating_add(bytes.len());
        if first_type.is_some_and(|kind| u32::from(*kind) != ffi::NGHTTP2_SETTINGS) {
            return Err(
                "the server does not speak HTTP/2 at this address, and perhaps speaks only \
                 HTTP/1.1; leave --http2 out, or let the server accept HTTP/2 without TLS (h2c, \
                 prior knowledge)"
                    .to_owned(),
            );
        }
        let taken = unsafe {
            ffi::nghttp2_session_mem_recv2(self.library.as_ptr(), bytes.as_ptr(), bytes.len())
        };
        if taken >= 0 {
            return Ok(());
        }
        let complaint = self.streams_mut().complaint.take();
        Err(format!(
            "HTTP/2: {}",
            complaint.unwrap_or_else(|| "the connection cannot continue".to_owned())
        ))
    }

    /// Appends the bytes that wait for the peer.
    ///
    /// # Errors
    /// In words, why the connection is of no more use; what is appended had best be sent.
    #[inline]
    pub fn take_outgoing(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let library = self.library.as_ptr();
        loop {
            let mut bytes = ptr::null();
            let count = unsafe { ffi::nghttp2_session_mem_send2(library, &mut bytes) };
            match usize::try_from(count) {
                Ok(0) => break,
                Ok(count) => out.extend_from_slice(unsafe { slice::from_raw_parts(bytes, count) }),
                Err(_) => return Err("HTTP/2: the connection cannot continue".to_owned()),
            }
        }
        // Not so after the peer's GOAWAY: then what is under way is read to its end.
        let is_over = unsafe { ffi::nghttp2_session_want_read(library) } == 0;
        if is_over && !self.is_going_away() {
            let complaint = self.streams_mut().complaint.take();
            let why = complaint.unwrap_or_else(|| "the server broke the protocol".to_owned());
            return Err(format!("HTTP/2: {why}"));
        }
        Ok(())
    }

    /// The next stream that has ended, with its exchange, which is then to be given back.
    #[inline]
    pub fn next_ended(&mut self) -> Option<(u32, End)> {
        self.streams_mut().ended.pop_front()
    }

    /// The exchange of a stream.
    #[inline]
    pub fn exchange(&self, slot: u32) -> &Exchange {
        &self.streams().exchanges[slot as usize]
    }

    /// Gives an exchange back for further requests.
    #[inline]
    pub fn give_back(&mut self, slot: u32) {
        self.streams_mut().free.push(slot);
    }

    /// Whether a part of an answer has come.
    pub fn has_begun_answer(&self) -> bool {
        let streams = self.streams();
        let under_way = |slot: u32| !streams.free.contains(&slot);
        let begun = |(slot, one): (usize, &Exchange)| one.has_begun() && under_way(slot as u32);
        streams.exchanges.iter().enumerate().any(begun)
    }

    /// What was wrong with the last answer that broke the protocol, in words.
    pub fn take_complaint(&mut self) -> Option<String> {
        self.streams_mut().complaint.take()
    }
}
