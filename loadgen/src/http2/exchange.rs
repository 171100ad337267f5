//! One stream: a request's body on its way out, and how far its answer is.

use crate::protocol::grpc::CallAnswer;
use crate::protocol::{Answer, BodySink, Inspection, Status};
use crate::traffic::Expected;

/// How an exchange stands beyond its answer's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The answer is there to its end.
    pub complete: bool,
    /// The peer has reset the stream, with this code.
    pub reset: Option<u32>,
    /// Nobody waits for the answer any more.
    pub abandoned: bool,
}

/// One request and its answer. A session keeps used ones, so that their buffers are used again.
#[derive(Debug, Default)]
pub struct Exchange {
    /// The request's number in the schedule.
    pub index: u64,
    /// Judges the answer.
    pub inspection: Inspection,
    pub(super) stream: i32,
    pub(super) marks: Marks,
    body: Vec<u8>,
    body_from: usize,
    status: u16,
    answer_bytes: u64,
    call: Option<CallAnswer>,
}

impl Exchange {
    /// Turns to the next request; its body's bytes are taken, a used buffer is given back.
    pub(super) fn begin(&mut self, index: u64, expected: Expected<'_>, checked: bool) {
        self.index = index;
        self.inspection.begin(expected, checked);
        self.stream = 0;
        self.marks = Marks::default();
        self.body_from = 0;
        self.status = 0;
        self.answer_bytes = 0;
    }

    /// Takes the request's body, and says whether it is a gRPC call.
    pub(super) fn take_body(&mut self, body: &mut Vec<u8>, is_call: bool) {
        std::mem::swap(&mut self.body, body);
        self.call = is_call.then(CallAnswer::default);
    }

    /// Copies the next bytes of the body; whether those are the last ones too.
    pub(super) fn read_body(&mut self, into: &mut [u8]) -> (usize, bool) {
        let left = &self.body[self.body_from..];
        let count = left.len().min(into.len());
        into[..count].copy_from_slice(&left[..count]);
        self.body_from += count;
        (count, !self.is_sending())
    }

    /// Whether bytes of the request's body are still to be sent.
    pub(super) fn is_sending(&self) -> bool {
        self.body_from < self.body.len()
    }

    pub(super) fn has_body(&self) -> bool {
        !self.body.is_empty()
    }

    /// A field of the answer's header or trailer.
    #[inline]
    pub(super) fn field(&mut self, name: &[u8], value: &[u8]) {
        if name == b":status" {
            // A final status follows an interim one (1xx) and takes its place.
            let digits = std::str::from_utf8(value).ok();
            self.status = digits.and_then(|text| text.parse().ok()).unwrap_or(0);
        } else if let (b"grpc-status", Some(call)) = (name, &mut self.call) {
            call.note_status(value);
        }
    }

    /// A piece of the answer's body.
    #[inline]
    pub(super) fn piece(&mut self, bytes: &[u8]) {
        self.answer_bytes += bytes.len() as u64;
        match &mut self.call {
            None => self.inspection.piece(bytes),
            Some(call) => call.piece(bytes, &mut self.inspection),
        }
    }

    /// Whether anything of an answer has come.
    pub fn has_begun(&self) -> bool {
        self.status > 0
    }

    /// The complete answer.
    pub fn answer(&self) -> Answer {
        Answer {
            status: Status::Http(self.status),
            body_bytes: self.answer_bytes,
            reusable: true,
        }
    }

    /// What the answer says beyond its HTTP status, of a gRPC call.
    pub fn call(&self) -> Option<&CallAnswer> {
        self.call.as_ref()
    }
}
