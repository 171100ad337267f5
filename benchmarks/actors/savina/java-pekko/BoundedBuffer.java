package actors;

import java.util.ArrayDeque;
import org.apache.pekko.actor.ActorRef;

/** Producers and consumers, with a manager of the buffer between them. */
final class BoundedBuffer implements Savina.Benchmark {
    private static final int CAPACITY = 50;
    private static final int COST = 25;

    private record Start(ActorRef[] producers, ActorRef[] consumers) {}

    private enum Plain { PRODUCE, AVAILABLE, ENDED, STOP }

    private record Item(int x) {}

    private static final class Manager extends Member {
        private final int producers;
        private final int limit;
        private ActorRef[] consumers;
        private final ArrayDeque<Item> items = new ArrayDeque<>();
        private final ArrayDeque<ActorRef> waitingProducers = new ArrayDeque<>();
        private final ArrayDeque<ActorRef> waitingConsumers = new ArrayDeque<>();
        private int ended;

        Manager(Stage stage) {
            super(stage);
            producers = stage.actors();
            limit = Math.max(1, CAPACITY - producers);
        }

        @Override
        void receive(Object message) {
            if (message instanceof Item item) {
                if (waitingConsumers.isEmpty()) {
                    items.add(item);
                } else {
                    send(waitingConsumers.remove(), item);
                }
                if (items.size() >= limit) {
                    waitingProducers.add(getSender());
                } else {
                    reply(Plain.PRODUCE);
                }
            } else if (message == Plain.AVAILABLE) {
                if (items.isEmpty()) {
                    waitingConsumers.add(getSender());
                    endIfAllHave();
                } else {
                    reply(items.remove());
                    if (!waitingProducers.isEmpty()) {
                        send(waitingProducers.remove(), Plain.PRODUCE);
                    }
                }
            } else if (message == Plain.ENDED) {
                ended++;
                endIfAllHave();
            } else if (message instanceof Start start) {
                consumers = start.consumers;
                for (var consumer : consumers) {
                    waitingConsumers.add(consumer);
                }
                for (var producer : start.producers) {
                    send(producer, Plain.PRODUCE);
                }
            }
        }

        private void endIfAllHave() {
            if (ended == producers && waitingConsumers.size() == consumers.length) {
                for (var consumer : consumers) {
                    send(consumer, Plain.STOP);
                }
                end(0);
            }
        }
    }

    private static final class Producer extends Member {
        private int left;
        private int x;

        Producer(Stage stage, int seed) {
            super(stage);
            left = stage.amount();
            x = seed;
        }

        @Override
        void receive(Object message) {
            if (left == 0) {
                reply(Plain.ENDED);
                end(0);
            } else {
                left--;
                x = Stage.next(x, COST);
                reply(new Item(x));
            }
        }
    }

    private static final class Consumer extends Member {
        private long sum;

        Consumer(Stage stage) { super(stage); }

        @Override
        void receive(Object message) {
            if (message instanceof Item item) {
                sum += Stage.next(item.x + 1, COST);
                reply(Plain.AVAILABLE);
            } else {
                end(sum);
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var producers = stage.actors(stage.actors(), i -> new Producer(stage, stage.seed() + i));
        var consumers = stage.actors(stage.actors(), i -> new Consumer(stage));
        var manager = stage.actor(() -> new Manager(stage));
        manager.tell(new Start(producers, consumers), ActorRef.noSender());
        return 1 + 2 * stage.actors();
    }
}
