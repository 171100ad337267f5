package actors;

import org.apache.pekko.actor.ActorRef;

/** Each of many actors sends pings to others at random, and waits for each answer. */
final class Big implements Savina.Benchmark {
    private record Start(ActorRef[] all, ActorRef sink) {}

    private enum Plain { PING, STOP }

    private record Pong(int number) {}

    private record Done(long sum) {}

    private static final class Node extends Member {
        private final int number;
        private int random;
        private int left;
        private long sum;
        private ActorRef[] all;
        private ActorRef sink;

        Node(Stage stage, int number) {
            super(stage);
            this.number = number;
            random = stage.seed() + number;
            left = stage.amount();
        }

        @Override
        void receive(Object message) {
            if (message == Plain.PING) {
                reply(new Pong(number));
            } else if (message instanceof Pong pong) {
                sum += pong.number;
                left--;
                if (left > 0) {
                    ping();
                } else {
                    send(sink, new Done(sum));
                }
            } else if (message instanceof Start start) {
                all = start.all;
                sink = start.sink;
                ping();
            } else {
                end(0);
            }
        }

        private void ping() {
            random = Stage.next(random);
            send(all[random % all.length], Plain.PING);
        }
    }

    private static final class Sink extends Member {
        private final ActorRef[] all;
        private int done;
        private long sum;

        Sink(Stage stage, ActorRef[] all) {
            super(stage);
            this.all = all;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Done one) {
                sum += one.sum;
                done++;
                if (done == all.length) {
                    for (var node : all) {
                        send(node, Plain.STOP);
                    }
                    end(sum);
                }
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var all = stage.actors(stage.actors(), i -> new Node(stage, i));
        var sink = stage.actor(() -> new Sink(stage, all));
        for (var node : all) {
            node.tell(new Start(all, sink), ActorRef.noSender());
        }
        return all.length + 1;
    }
}
