package actors;

import org.apache.pekko.actor.ActorRef;

/** A number goes to and fro between two actors. */
final class PingPong implements Savina.Benchmark {
    private record Start(ActorRef pong) {}

    private record Number(int x) {}

    private enum Stop { STOP }

    private static final class Ping extends Member {
        private final int seed;
        private int left;
        private ActorRef pong;

        Ping(Stage stage) {
            super(stage);
            seed = stage.seed();
            left = stage.amount();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                pong = start.pong;
                send(pong, new Number(seed));
            } else if (message instanceof Number number) {
                left--;
                if (left > 0) {
                    send(pong, number);
                } else {
                    send(pong, Stop.STOP);
                    end(number.x);
                }
            }
        }
    }

    private static final class Pong extends Member {
        Pong(Stage stage) { super(stage); }

        @Override
        void receive(Object message) {
            if (message instanceof Number number) {
                reply(new Number(Stage.next(number.x)));
            } else {
                end(0);
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var pong = stage.actor(() -> new Pong(stage));
        var ping = stage.actor(() -> new Ping(stage));
        ping.tell(new Start(pong), ActorRef.noSender());
        return 2;
    }
}
