use std::io;

use bytes::BufMut;
use may_minihttp::{HttpService, Request, Response};
use serde::Serialize;

const GREETING: &str = "Hello, World!";

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

pub struct Tests;

impl HttpService for Tests {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        match request.path() {
            "/plaintext" => {
                response.header("Content-Type: text/plain").body(GREETING);
            }
            "/json" => {
                response.header("Content-Type: application/json");
                let body = response.body_mut().writer();
                serde_json::to_writer(body, &Message { message: GREETING })?;
            }
            _ => {
                response.status_code(404, "Not Found");
            }
        }
        Ok(())
    }
}
