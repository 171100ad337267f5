use std::sync::Arc;

use axum::extract::{FromRequest, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use payments_domain::{amount, order_id, Order, Payment, Payments, Routing};

use crate::failure::Failure;
use crate::orders::Orders;

/// What every request sees.
struct Service {
    payments: Payments,
    orders: Option<Orders>,
}

type Shared = State<Arc<Service>>;

/// A body of JSON, whose rejection is a failure of ours.
#[derive(FromRequest)]
#[from_request(via(Json), rejection(Failure))]
struct Body<T>(T);

pub fn application(payments: Payments, orders: Option<Orders>) -> Router {
    Router::new()
        .route("/pay/{amount}", post(pay))
        .route("/route", post(route))
        .route("/order/{id}", get(order))
        .fallback(async || Failure::NoPath)
        .method_not_allowed_fallback(async || Failure::NoPath)
        .with_state(Arc::new(Service { payments, orders }))
}

async fn pay(
    State(service): Shared,
    Path(text): Path<String>,
    Body(payment): Body<Payment>,
) -> Result<Response, Failure> {
    let amount = amount(&text)?;
    Ok(Json(payment.receipt(amount, &service.payments.records)).into_response())
}

async fn route(State(service): Shared, Body(routing): Body<Routing>) -> Result<Response, Failure> {
    let routing = routing.checked()?;
    let choice = routing.choice(&service.payments.processors).ok_or(Failure::NoProcessor)?;
    Ok(Json(choice).into_response())
}

async fn order(State(service): Shared, Path(text): Path<String>) -> Result<Json<Order>, Failure> {
    let id = order_id(&text)?;
    let orders = service.orders.as_ref().ok_or(Failure::NoDatabase)?;
    Ok(Json(orders.find(id).await?.ok_or(Failure::NoOrder)?))
}
