use serde::Serialize;

/// The body of `plaintext`, and the message of `json`.
pub const GREETING: &str = "Hello, World!";

/// The body of `json`.
#[derive(Serialize)]
pub struct Message {
    message: &'static str,
}

impl Message {
    pub fn greeting() -> Self {
        Self { message: GREETING }
    }
}
