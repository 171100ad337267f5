//! The judge of one answer, which sees the body as it streams by.

use sha2::{Digest, Sha256};

use super::answer::{Answer, BodySink, ReplyKind, Status};
use super::expectation::{BodyRule, Expectation};
use super::json_body::JsonBody;
use super::reply_text::ReplyText;
use super::search::Search;
use crate::traffic::{Expected, ReplyRule};

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// As expected, as far as it was checked.
    Good,
    /// A good answer that says the key does not exist.
    Miss,
    /// The status code, or the kind of the reply, is not one expected.
    WrongStatus,
    /// The status is right and the body is not.
    WrongBody,
    /// A gRPC call that the server says has failed.
    FailedCall,
}

/// The part that the comparison of its body has in the judgement of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// None: the body has no rule, or the answer is not good whatever its body is.
    Needless,
    /// The body alone decides, and was not compared.
    LeftOut,
    /// The body alone decides, and was compared.
    Made,
}

/// Judges one answer after another. Each connection keeps one, so that its
/// buffers are used again.
///
/// The status is checked of every answer; the body of those begun with
/// `checked`, to whom the judge listens as a [`BodySink`].
#[derive(Debug, Default)]
pub struct Inspection {
    /// Whether the body matters for this answer.
    listening: bool,
    position: u64,
    digest: Option<Sha256>,
    /// The first `search_count` are of this answer; the others keep their room.
    searches: Vec<Search>,
    search_count: usize,
    json: JsonBody,
    text: ReplyText,
}

impl Inspection {
    /// Turns to the next answer. `checked` says whether its body is judged.
    #[inline]
    pub fn begin(&mut self, expected: Expected<'_>, checked: bool) {
        self.listening = checked && has_body_rules(&expected);
        self.json.leave();
        if self.listening {
            self.listen(expected);
        }
    }

    fn listen(&mut self, expected: Expected<'_>) {
        self.position = 0;
        self.search_count = 0;
        self.digest = None;
        self.text = ReplyText::Any;
        match expected {
            Expected::Http(expectation) => {
                for rule in &expectation.body {
                    match rule {
                        BodyRule::Sha256(_) => self.digest = Some(Sha256::new()),
                        BodyRule::Contains(needle) => self.search(needle),
                        BodyRule::Json(_) => self.json.begin(),
                    }
                }
            }
            Expected::Reply(rule) => self.text = ReplyText::wanted(rule),
        }
    }

    fn search(&mut self, needle: &[u8]) {
        if self.searches.len() == self.search_count {
            self.searches.push(Search::default());
        }
        if let Some(search) = self.searches.get_mut(self.search_count) {
            search.begin(needle);
            self.search_count += 1;
        }
    }

    /// The part that the body has in the judgement of the complete answer.
    #[inline]
    pub fn comparison(&self, expected: Expected<'_>, answer: &Answer) -> Comparison {
        match (
            has_body_rules(&expected) && body_decides(expected, answer),
            self.listening,
        ) {
            (false, _) => Comparison::Needless,
            (true, false) => Comparison::LeftOut,
            (true, true) => Comparison::Made,
        }
    }

    /// Judges the complete answer. `expected` is what it was begun with.
    #[inline]
    pub fn finish(&self, expected: Expected<'_>, answer: &Answer) -> Judgement {
        match (expected, answer.status) {
            (Expected::Http(expectation), Status::Http(code)) => {
                if !expectation.status.allows(code) {
                    Judgement::WrongStatus
                } else if self.listening && !self.body_is_good(expectation) {
                    Judgement::WrongBody
                } else {
                    Judgement::Good
                }
            }
            (Expected::Reply(rule), Status::Reply(kind)) => self.reply(rule, kind),
            // An answer of another protocol than the request's.
            (Expected::Http(_), Status::Reply(_)) | (Expected::Reply(_), Status::Http(_)) => {
                Judgement::WrongStatus
            }
        }
    }

    fn reply(&self, rule: ReplyRule, kind: ReplyKind) -> Judgement {
        match (rule, kind) {
            (ReplyRule::Integer, ReplyKind::Integer) => Judgement::Good,
            (ReplyRule::Value(_), ReplyKind::Null) => Judgement::Miss,
            (ReplyRule::Preloaded(_), ReplyKind::Null) => Judgement::WrongBody,
            (ReplyRule::Ok | ReplyRule::Pong, ReplyKind::Simple)
            | (ReplyRule::Value(_) | ReplyRule::Preloaded(_), ReplyKind::Bulk) => {
                if self.listening && !self.text.is_good(self.position) {
                    Judgement::WrongBody
                } else {
                    Judgement::Good
                }
            }
            _ => Judgement::WrongStatus,
        }
    }

    fn body_is_good(&self, expectation: &Expectation) -> bool {
        let mut searches = self.searches.iter();
        expectation.body.iter().all(|rule| match rule {
            BodyRule::Sha256(wanted) => self
                .digest
                .as_ref()
                .is_some_and(|digest| digest.clone().finalize()[..] == wanted[..]),
            BodyRule::Contains(_) => searches.next().is_some_and(|search| search.has_found()),
            BodyRule::Json(wanted) => self.json.has(wanted),
        })
    }
}

impl BodySink for Inspection {
    #[inline]
    fn piece(&mut self, bytes: &[u8]) {
        if !self.listening {
            return;
        }
        if let Some(digest) = &mut self.digest {
            digest.update(bytes);
        }
        for search in self.searches.iter_mut().take(self.search_count) {
            search.piece(bytes);
        }
        self.json.piece(bytes);
        self.text.piece(self.position, bytes);
        self.position = self.position.saturating_add(bytes.len() as u64);
    }
}

/// Whether a rule for the body would decide: the status, or the kind of the reply, is as expected.
#[inline]
fn body_decides(expected: Expected<'_>, answer: &Answer) -> bool {
    match (expected, answer.status) {
        (Expected::Http(expectation), Status::Http(code)) => expectation.status.allows(code),
        (Expected::Reply(rule), Status::Reply(kind)) => matches!(
            (rule, kind),
            (ReplyRule::Ok | ReplyRule::Pong, ReplyKind::Simple)
                | (
                    ReplyRule::Value(_) | ReplyRule::Preloaded(_),
                    ReplyKind::Bulk
                )
        ),
        (Expected::Http(_), Status::Reply(_)) | (Expected::Reply(_), Status::Http(_)) => false,
    }
}

#[inline]
fn has_body_rules(expected: &Expected<'_>) -> bool {
    match expected {
        Expected::Http(expectation) => !expectation.body.is_empty(),
        Expected::Reply(rule) => !matches!(rule, ReplyRule::Integer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::StatusRule;
    use crate::traffic::Value;
    use serde_json::json;

    fn judge(
        inspection: &mut Inspection,
        expected: Expected<'_>,
        checked: bool,
        status: Status,
        pieces: &[&[u8]],
    ) -> Judgement {
        inspection.begin(expected, checked);
        for piece in pieces {
            inspection.piece(piece);
        }
        let answer = Answer {
            status,
            body_bytes: pieces.iter().map(|piece| piece.len() as u64).sum(),
            reusable: true,
        };
        inspection.finish(expected, &answer)
    }

    fn body(rules: Vec<BodyRule>) -> Expectation {
        Expectation {
            status: StatusRule::Success,
            body: rules,
        }
    }

    #[test]
    fn the_status_is_checked_of_every_answer() {
        let expectation = body(vec![BodyRule::Contains(b"x".to_vec())]);
        let expected = Expected::Http(&expectation);
        let mut inspection = Inspection::default();
        let mut judged = |code, checked, piece: &[u8]| {
            judge(
                &mut inspection,
                expected,
                checked,
                Status::Http(code),
                &[piece],
            )
        };
        assert_eq!(judged(500, false, b"x"), Judgement::WrongStatus);
        assert_eq!(judged(500, true, b"y"), Judgement::WrongStatus);
        assert_eq!(judged(200, false, b"y"), Judgement::Good);
        assert_eq!(judged(200, true, b"y"), Judgement::WrongBody);
        assert_eq!(judged(200, true, b"x"), Judgement::Good);
    }

    #[test]
    fn a_digest_is_of_the_whole_body_in_any_pieces() {
        // FIPS 180-2, appendix B.1: the digest of "abc".
        let abc = [
            0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae,
            0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61,
            0xf2, 0x00, 0x15, 0xad,
        ];
        let expectation = body(vec![BodyRule::Sha256(abc)]);
        let expected = Expected::Http(&expectation);
        let mut inspection = Inspection::default();
        let mut judged =
            |pieces: &[&[u8]]| judge(&mut inspection, expected, true, Status::Http(200), pieces);
        assert_eq!(judged(&[b"abc"]), Judgement::Good);
        assert_eq!(judged(&[b"a", b"bc"]), Judgement::Good);
        assert_eq!(judged(&[b"abcd"]), Judgement::WrongBody);
        assert_eq!(judged(&[]), Judgement::WrongBody);
    }

    #[test]
    fn all_rules_have_to_hold() {
        let contains = |text: &str| BodyRule::Contains(text.as_bytes().to_vec());
        let three = body(vec![
            contains("\"a\""),
            BodyRule::Json(vec![("/a".to_owned(), json!(1))]),
            contains("1}"),
        ]);
        let mut inspection = Inspection::default();
        let mut judged = |expectation: &Expectation, text: &[u8]| {
            let expected = Expected::Http(expectation);
            judge(&mut inspection, expected, true, Status::Http(200), &[text])
        };
        assert_eq!(judged(&three, b"{\"a\":1}"), Judgement::Good);
        assert_eq!(judged(&three, b"{\"a\":1 }"), Judgement::WrongBody);
        assert_eq!(judged(&three, b"{\"a\":11}"), Judgement::WrongBody);
        // The rules of the last answer are forgotten, whichever they were.
        assert_eq!(judged(&body(vec![contains("z")]), b"z"), Judgement::Good);
        assert_eq!(
            judged(&body(vec![contains("z")]), b"1}"),
            Judgement::WrongBody
        );
        assert_eq!(judged(&body(Vec::new()), b"q"), Judgement::Good);
        assert_eq!(judged(&three, b"{\"a\":1}"), Judgement::Good);
    }

    #[test]
    fn replies_are_judged_by_kind_and_text() {
        let value = Value { key: 7, bytes: 20 };
        let mut stored = Vec::new();
        value.append_to(&mut stored);
        let (first, second) = stored.split_at(9);
        let cut: &[&[u8]] = &[first, second];
        let half: &[&[u8]] = &[first];
        let wanted = ReplyRule::Value(value);
        use Judgement::{Good, Miss, WrongBody, WrongStatus};
        let cases: [(ReplyRule, ReplyKind, &[&[u8]], Judgement); 15] = [
            (ReplyRule::Ok, ReplyKind::Simple, &[b"OK"], Good),
            (ReplyRule::Ok, ReplyKind::Simple, &[b"QUEUED"], WrongBody),
            (ReplyRule::Ok, ReplyKind::Simple, &[b"O"], WrongBody),
            (ReplyRule::Ok, ReplyKind::Simple, &[b"OK", b"!"], WrongBody),
            (ReplyRule::Ok, ReplyKind::Error, &[], WrongStatus),
            (ReplyRule::Ok, ReplyKind::Null, &[], WrongStatus),
            (ReplyRule::Pong, ReplyKind::Simple, &[b"PONG"], Good),
            (ReplyRule::Pong, ReplyKind::Simple, &[b"OK"], WrongBody),
            (ReplyRule::Integer, ReplyKind::Integer, &[], Good),
            (ReplyRule::Integer, ReplyKind::Bulk, &[b"1"], WrongStatus),
            (wanted, ReplyKind::Bulk, cut, Good),
            (wanted, ReplyKind::Bulk, half, WrongBody),
            (wanted, ReplyKind::Null, &[], Miss),
            (wanted, ReplyKind::Error, &[], WrongStatus),
            (wanted, ReplyKind::Simple, cut, WrongStatus),
        ];
        let mut inspection = Inspection::default();
        for (rule, kind, pieces, judgement) in cases {
            let expected = Expected::Reply(rule);
            let status = Status::Reply(kind);
            let judged = judge(&mut inspection, expected, true, status, pieces);
            assert_eq!(judged, judgement, "{rule:?} {kind:?}");
            let unchecked = judge(&mut inspection, expected, false, status, pieces);
            let lenient = if judgement == WrongBody {
                Good
            } else {
                judgement
            };
            assert_eq!(unchecked, lenient, "{rule:?} {kind:?} unchecked");
        }
    }

    #[test]
    fn a_preloaded_key_has_its_value_whether_its_body_is_checked_or_not() {
        let value = Value { key: 7, bytes: 20 };
        let mut stored = Vec::new();
        value.append_to(&mut stored);
        let expected = Expected::Reply(ReplyRule::Preloaded(value));
        let mut inspection = Inspection::default();
        for checked in [true, false] {
            let mut judged = |kind, pieces: &[&[u8]]| {
                judge(
                    &mut inspection,
                    expected,
                    checked,
                    Status::Reply(kind),
                    pieces,
                )
            };
            assert_eq!(judged(ReplyKind::Null, &[]), Judgement::WrongBody);
            assert_eq!(judged(ReplyKind::Bulk, &[&stored]), Judgement::Good);
            assert_eq!(judged(ReplyKind::Error, &[]), Judgement::WrongStatus);
        }
    }

    #[test]
    fn a_body_is_compared_if_it_alone_decides() {
        use Comparison::{LeftOut, Made, Needless};
        let value = Value { key: 7, bytes: 20 };
        let (ruled, bare) = (body(vec![BodyRule::Contains(b"x".to_vec())]), body(vec![]));
        let wanted = Expected::Reply(ReplyRule::Preloaded(value));
        let cases = [
            (Expected::Http(&ruled), Status::Http(200), Made),
            (Expected::Http(&ruled), Status::Http(500), Needless),
            (Expected::Http(&bare), Status::Http(200), Needless),
            (wanted, Status::Reply(ReplyKind::Bulk), Made),
            (wanted, Status::Reply(ReplyKind::Null), Needless),
            (wanted, Status::Reply(ReplyKind::Error), Needless),
        ];
        let mut inspection = Inspection::default();
        for (expected, status, comparison) in cases {
            let answer = Answer {
                status,
                body_bytes: 0,
                reusable: true,
            };
            inspection.begin(expected, true);
            assert_eq!(inspection.comparison(expected, &answer), comparison);
            inspection.begin(expected, false);
            let unchecked = if comparison == Made {
                LeftOut
            } else {
                Needless
            };
            assert_eq!(inspection.comparison(expected, &answer), unchecked);
        }
    }

    #[test]
    fn an_answer_of_another_protocol_is_wrong() {
        let expectation = body(Vec::new());
        let mut inspection = Inspection::default();
        let status = Status::Reply(ReplyKind::Simple);
        let judged = judge(
            &mut inspection,
            Expected::Http(&expectation),
            true,
            status,
            &[],
        );
        assert_eq!(judged, Judgement::WrongStatus);
        let expected = Expected::Reply(ReplyRule::Integer);
        let judged = judge(&mut inspection, expected, true, Status::Http(200), &[]);
        assert_eq!(judged, Judgement::WrongStatus);
    }
}
