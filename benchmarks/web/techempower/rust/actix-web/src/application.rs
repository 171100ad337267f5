use actix_web::web::{Data, Html, Json, Query, ServiceConfig};
use actix_web::{get, http::header::ContentType, HttpResponse, Responder};
use techempower_domain::{Database, Message, Wanted, World, GREETING};

use crate::failure::Failure;

#[get("/plaintext")]
pub async fn plaintext() -> impl Responder {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body(GREETING)
}

#[get("/json")]
pub async fn json() -> Json<Message> {
    Json(Message::greeting())
}

pub fn database_tests(tests: &mut ServiceConfig) {
    tests.service(random).service(rows).service(update).service(fortunes);
}

#[get("/db")]
async fn random(database: Data<Database>) -> Result<Json<World>, Failure> {
    Ok(Json(database.random().await?))
}

#[get("/queries")]
async fn rows(
    database: Data<Database>,
    wanted: Query<Wanted>,
) -> Result<Json<Vec<World>>, Failure> {
    Ok(Json(database.rows(wanted.count()).await?))
}

#[get("/updates")]
async fn update(
    database: Data<Database>,
    wanted: Query<Wanted>,
) -> Result<Json<Vec<World>>, Failure> {
    Ok(Json(database.update(wanted.count()).await?))
}

#[get("/fortunes")]
async fn fortunes(database: Data<Database>) -> Result<Html, Failure> {
    Ok(Html::new(database.fortunes().await?))
}
