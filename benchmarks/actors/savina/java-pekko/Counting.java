package actors;

import org.apache.pekko.actor.ActorRef;

/** An actor sends many messages at once to another, which counts them. */
final class Counting implements Savina.Benchmark {
    private record Start(ActorRef counter) {}

    private enum Plain { INCREMENT, RETRIEVE }

    private record Total(int value) {}

    private static final class Producer extends Member {
        private final int amount;

        Producer(Stage stage) {
            super(stage);
            amount = stage.amount();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                for (int i = 0; i < amount; i++) {
                    send(start.counter, Plain.INCREMENT);
                }
                send(start.counter, Plain.RETRIEVE);
            } else if (message instanceof Total total) {
                end(total.value);
            }
        }
    }

    private static final class Counter extends Member {
        private int count;

        Counter(Stage stage) { super(stage); }

        @Override
        void receive(Object message) {
            if (message == Plain.INCREMENT) {
                count++;
            } else {
                reply(new Total(count));
                end(0);
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var counter = stage.actor(() -> new Counter(stage));
        var producer = stage.actor(() -> new Producer(stage));
        producer.tell(new Start(counter), ActorRef.noSender());
        return 2;
    }
}
