/// Why a request is not answered with a file: the status, and a field that the head has besides.
#[derive(Debug, PartialEq)]
pub struct Failure {
    pub status: u16,
    pub field: Option<String>,
}

impl Failure {
    pub fn new(status: u16) -> Self {
        Self { status, field: None }
    }

    pub fn with(status: u16, field: String) -> Self {
        Self { status, field: Some(field) }
    }
}
