use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{header, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use techempower_domain::{Database, Message, Wanted, World, GREETING};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::failure::Failure;

type Shared = State<Arc<Database>>;

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
    Json(Message::greeting())
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

async fn fortunes(State(database): Shared) -> Result<Html<String>, Failure> {
    Ok(Html(database.fortunes().await?))
}
