use runfair_harness::{read, Options, UserError};
use serde::Deserialize;

use crate::processor::Processor;

/// What is kept in memory: the input of the service.
#[derive(Deserialize)]
pub struct Payments {
    pub records: Vec<String>,
    pub processors: Vec<Processor>,
}

impl Payments {
    pub fn read(options: &Options) -> Result<Self, UserError> {
        let path = options.text("input")?;
        (serde_json::from_slice(&read(path)?).ok())
            .filter(|payments: &Self| !payments.records.is_empty())
            .ok_or_else(|| {
                UserError(format!("input {path:?} is not the payments.json of the generator"))
            })
    }
}
