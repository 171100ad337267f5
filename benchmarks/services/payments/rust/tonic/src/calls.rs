use payments_domain::{payable, Malformed, Payment, Payments, Routing};
use tonic::{Request, Response, Status};

use crate::generated::payments_server;
use crate::generated::{Choice, PayRequest, Receipt, RouteRequest};

/// The methods of `payments.v1.Payments`.
pub struct Calls {
    payments: Payments,
}

impl Calls {
    pub fn of(payments: Payments) -> Self {
        Self { payments }
    }
}

fn malformed(_: Malformed) -> Status {
    Status::invalid_argument("malformed request")
}

#[tonic::async_trait]
impl payments_server::Payments for Calls {
    async fn pay(&self, request: Request<PayRequest>) -> Result<Response<Receipt>, Status> {
        let PayRequest { amount, card, merchant, currency } = request.into_inner();
        let amount = payable(amount).map_err(malformed)?;
        let payment = Payment { card, merchant, currency };
        let receipt = payment.receipt(amount, &self.payments.records);
        Ok(Response::new(Receipt {
            status: receipt.status.to_owned(),
            amount: receipt.amount,
            reference: receipt.reference,
            record: receipt.record.to_owned(),
            currency: payment.currency,
            merchant: payment.merchant,
        }))
    }

    async fn route(&self, request: Request<RouteRequest>) -> Result<Response<Choice>, Status> {
        let RouteRequest { amount, country, card } = request.into_inner();
        let routing = Routing { amount, country, card }.checked().map_err(malformed)?;
        let choice = routing
            .choice(&self.payments.processors)
            .ok_or_else(|| Status::not_found("no processor"))?;
        Ok(Response::new(Choice {
            processor: choice.processor.to_owned(),
            score: choice.score,
            fee: choice.fee,
            eligible: choice.eligible as i32,
        }))
    }
}
