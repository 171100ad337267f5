//! What must hold for any bytes. Each function panics where it does not; the
//! fuzzer looks for such bytes, and `tests/corpus.rs` of the load generator
//! replays those kept in `corpus/`.

mod answers;
mod http2;
mod traffic;

pub use answers::{http_answer, resp_answer};
pub use http2::{grpc_answer, http2_answer};
pub use traffic::traffic_file;
