package actors;

import java.util.ArrayDeque;
import org.apache.pekko.actor.ActorRef;

/** Customers wait in a room for a barber, who sleeps when it is empty. */
final class SleepingBarber implements Savina.Benchmark {
    private static final int COST = 100;

    private record Start(ActorRef[] customers, ActorRef room, ActorRef barber) {}

    private record Enter(ActorRef customer) {}

    private record Cut(ActorRef customer) {}

    private record Cutting(ActorRef home) {}

    private record Finished(int x) {}

    private enum Plain { NEXT, HOME, STOP }

    private static final class Room extends Member {
        private final ActorRef barber;
        private final ArrayDeque<ActorRef> waiting = new ArrayDeque<>();
        private boolean barberSleeps = true;

        Room(Stage stage, ActorRef barber) {
            super(stage);
            this.barber = barber;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Enter enter) {
                waiting.add(enter.customer);
                if (barberSleeps) {
                    serve();
                }
            } else if (message == Plain.NEXT) {
                serve();
            } else {
                end(0);
            }
        }

        private void serve() {
            barberSleeps = waiting.isEmpty();
            if (!barberSleeps) {
                send(barber, new Cut(waiting.remove()));
            }
        }
    }

    private static final class Barber extends Member {
        private final ActorRef home;
        private int x;

        Barber(Stage stage, ActorRef home) {
            super(stage);
            this.home = home;
            x = stage.seed();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Cut cut) {
                send(cut.customer, new Cutting(home));
                x = Stage.next(x, COST);
                reply(Plain.NEXT); // before Finished, so the room receives it before STOP
                send(cut.customer, new Finished(x));
            } else {
                end(x);
            }
        }
    }

    private static final class Customer extends Member {
        private ActorRef home;

        Customer(Stage stage) { super(stage); }

        @Override
        void receive(Object message) {
            if (message instanceof Cutting cutting) {
                home = cutting.home;
            } else if (message instanceof Finished finished) {
                send(home, Plain.HOME);
                end(finished.x);
            }
        }
    }

    /** Sends the customers, and knows when all are back. */
    private static final class Factory extends Member {
        private int left;
        private ActorRef room;
        private ActorRef barber;

        Factory(Stage stage) {
            super(stage);
            left = stage.amount();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                room = start.room;
                barber = start.barber;
                for (var customer : start.customers) {
                    send(room, new Enter(customer));
                }
            } else {
                left--;
                if (left == 0) {
                    send(room, Plain.STOP);
                    send(barber, Plain.STOP);
                    end(0);
                }
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var factory = stage.actor(() -> new Factory(stage));
        var barber = stage.actor(() -> new Barber(stage, factory));
        var room = stage.actor(() -> new Room(stage, barber));
        var customers = stage.actors(stage.amount(), i -> new Customer(stage));
        factory.tell(new Start(customers, room, barber), ActorRef.noSender());
        return 3 + stage.amount();
    }
}
