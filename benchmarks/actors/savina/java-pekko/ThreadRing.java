package actors;

import org.apache.pekko.actor.ActorRef;

/** A token goes around a ring of actors. */
final class ThreadRing implements Savina.Benchmark {
    private record Next(ActorRef next) {}

    private record Token(int left, int x) {}

    private record Stop(int left) {}

    private static final class Node extends Member {
        private final int number;
        private final int size;
        private ActorRef next;

        Node(Stage stage, int number) {
            super(stage);
            this.number = number;
            size = stage.actors();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Token token) {
                int x = (Stage.next(token.x) + number) & 65535;
                if (token.left > 0) {
                    send(next, new Token(token.left - 1, x));
                } else {
                    send(next, new Stop(size - 1));
                    end(x);
                }
            } else if (message instanceof Stop stop) {
                if (stop.left > 1) {
                    send(next, new Stop(stop.left - 1));
                }
                end(0);
            } else if (message instanceof Next link) {
                next = link.next;
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var ring = stage.actors(stage.actors(), i -> new Node(stage, i));
        for (int i = 0; i < ring.length; i++) {
            ring[i].tell(new Next(ring[(i + 1) % ring.length]), ActorRef.noSender());
        }
        ring[0].tell(new Token(stage.amount(), stage.seed()), ActorRef.noSender());
        return ring.length;
    }
}
