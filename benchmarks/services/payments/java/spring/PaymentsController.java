package payments;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** From a request to its answer. */
@RestController
class PaymentsController {
    private final Payments payments;
    private final Orders orders;

    PaymentsController(Payments payments, Orders orders) {
        this.payments = payments;
        this.orders = orders;
    }

    @PostMapping("/pay/{amount}")
    Payment.Receipt pay(@PathVariable String amount, @RequestBody Payment payment) {
        return payment.receipt(Payment.amount(amount), payments.records());
    }

    @PostMapping("/route")
    ResponseEntity<?> route(@RequestBody Routing routing) {
        var choice = routing.choice(payments.processors());
        return choice.isPresent()
                ? ResponseEntity.ok(choice.get())
                : ResponseEntity.status(404).body(new Failure("no processor"));
    }

    @GetMapping("/order/{id}")
    ResponseEntity<?> order(@PathVariable String id) {
        var order = orders.find(Order.id(id));
        return order.isPresent()
                ? ResponseEntity.ok(order.get())
                : ResponseEntity.status(404).body(new Failure("no order"));
    }
}
