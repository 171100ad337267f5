package payments;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import payments.v1.Choice;
import payments.v1.PayRequest;
import payments.v1.PaymentsGrpc;
import payments.v1.Receipt;
import payments.v1.RouteRequest;

/** The methods of payments.v1.Payments. */
final class Calls extends PaymentsGrpc.PaymentsImplBase {

    private final Payments payments;

    Calls(Payments payments) {
        this.payments = payments;
    }

    @Override
    public void pay(PayRequest asked, StreamObserver<Receipt> answer) {
        if (!Payment.payable(asked.getAmount())) {
            answer.onError(malformed());
            return;
        }
        var payment = new Payment(asked.getCard(), asked.getMerchant(), asked.getCurrency());
        var receipt = payment.receipt(asked.getAmount(), payments.records());
        answer.onNext(Receipt.newBuilder()
                .setStatus(receipt.status())
                .setAmount(receipt.amount())
                .setCurrency(receipt.currency())
                .setMerchant(receipt.merchant())
                .setReference(receipt.reference())
                .setRecord(receipt.record())
                .build());
        answer.onCompleted();
    }

    @Override
    public void route(RouteRequest asked, StreamObserver<Choice> answer) {
        Routing routing;
        try {
            routing = new Routing(asked.getAmount(), asked.getCountry(), asked.getCard());
        } catch (BadRequest wrong) {
            answer.onError(malformed());
            return;
        }
        var choice = routing.choice(payments.processors());
        if (choice.isEmpty()) {
            var missing = Status.NOT_FOUND.withDescription("no processor");
            answer.onError(missing.asRuntimeException());
            return;
        }
        answer.onNext(Choice.newBuilder()
                .setProcessor(choice.get().processor())
                .setScore(choice.get().score())
                .setFee(choice.get().fee())
                .setEligible(choice.get().eligible())
                .build());
        answer.onCompleted();
    }

    private static RuntimeException malformed() {
        return Status.INVALID_ARGUMENT.withDescription("malformed request").asRuntimeException();
    }
}
