use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::{header, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::database::{Database, Fortune, World};
use crate::failure::Failure;

const GREETING: &str = "Hello, World!";
const ADDED: &str = "Additional fortune added at request time.";
const MOST_QUERIES: usize = 500;

type Shared = State<Arc<Database>>;

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

#[derive(Deserialize)]
struct Wanted {
    queries: Option<String>,
}

#[derive(Template)]
#[template(
    ext = "html",
    source = "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>\
<tr><th>id</th><th>message</th></tr>\
{% for fortune in fortunes %}\
<tr><td>{{ fortune.id }}</td><td>{{ fortune.message }}</td></tr>\
{% endfor %}\
</table></body></html>"
)]
struct Page {
    fortunes: Vec<Fortune>,
}

pub fn application(database: Option<Database>) -> Router {
    let router = Router::new().route("/plaintext", get(plaintext)).route("/json", get(json));
    let router = match database {
        None => router,
        Some(database) => router.merge(
            Router::new()
                .route("/db", get(random))
                .route("/queries", get(rows))
                .route("/updates", get(update))
                .route("/fortunes", get(fortunes))
                .with_state(Arc::new(database)),
        ),
    };
    let server = HeaderValue::from_static("axum");
    router.layer(SetResponseHeaderLayer::overriding(header::SERVER, server))
}

async fn plaintext() -> Response {
    ([(header::CONTENT_TYPE, "text/plain")], GREETING).into_response()
}

async fn json() -> Json<Message> {
    Json(Message { message: GREETING })
}

async fn random(State(database): Shared) -> Result<Json<World>, Failure> {
    Ok(Json(database.random().await?))
}

async fn rows(
    State(database): Shared,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Vec<World>>, Failure> {
    Ok(Json(database.rows(wanted.count()).await?))
}

async fn update(
    State(database): Shared,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Vec<World>>, Failure> {
    Ok(Json(database.update(wanted.count()).await?))
}

async fn fortunes(State(database): Shared) -> Result<Response, Failure> {
    let mut fortunes = database.fortunes().await?;
    fortunes.push(Fortune { id: 0, message: ADDED.to_owned() });
    fortunes.sort_by(|a, b| a.message.cmp(&b.message));
    Ok(match (Page { fortunes }).render() {
        Ok(page) => Html(page).into_response(),
        Err(error) => {
            eprintln!("{error}");
            axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    })
}

impl Wanted {
    /// What the text means as a number of queries.
    fn count(&self) -> usize {
        let Some(text) = &self.queries else { return 1 };
        match text.parse::<i64>() {
            Ok(number) => number.clamp(1, MOST_QUERIES as i64) as usize,
            Err(error) => match error.kind() {
                std::num::IntErrorKind::PosOverflow => MOST_QUERIES,
                _ => 1,
            },
        }
    }
}
