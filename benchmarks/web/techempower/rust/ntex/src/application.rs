use ntex::web::types::{Json, Query, State};
use ntex::web::{get, HttpResponse, ServiceConfig};
use techempower_domain::{Database, Message, Wanted, World, GREETING};

use crate::failure::Failure;

#[get("/plaintext")]
pub async fn plaintext() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain").body(GREETING)
}

#[get("/json")]
pub async fn json() -> Json<Message> {
    Json(Message::greeting())
}

pub fn database_tests(tests: &mut ServiceConfig) {
    tests.service((random, rows, update, fortunes));
}

#[get("/db")]
async fn random(database: State<Database>) -> Result<Json<World>, Failure> {
    Ok(Json(database.random().await?))
}

#[get("/queries")]
async fn rows(
    database: State<Database>,
    wanted: Query<Wanted>,
) -> Result<Json<Vec<World>>, Failure> {
    Ok(Json(database.rows(wanted.count()).await?))
}

#[get("/updates")]
async fn update(
    database: State<Database>,
    wanted: Query<Wanted>,
) -> Result<Json<Vec<World>>, Failure> {
    Ok(Json(database.update(wanted.count()).await?))
}

#[get("/fortunes")]
async fn fortunes(database: State<Database>) -> Result<HttpResponse, Failure> {
    let page = database.fortunes().await?;
    Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(page))
}
