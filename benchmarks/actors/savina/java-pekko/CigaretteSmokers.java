package actors;

import org.apache.pekko.actor.ActorRef;

/** An arbiter lets one smoker after the other begin to smoke. */
final class CigaretteSmokers implements Savina.Benchmark {
    private static final int COST = 50;

    private record Start(ActorRef[] smokers) {}

    private record Smoke(int period) {}

    private enum Plain { STARTED, STOP }

    private static final class Arbiter extends Member {
        private int random;
        private int left;
        private ActorRef[] smokers;

        Arbiter(Stage stage) {
            super(stage);
            random = stage.seed();
            left = stage.amount();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                smokers = start.smokers;
                choose();
            } else {
                left--;
                if (left > 0) {
                    choose();
                } else {
                    for (var smoker : smokers) {
                        send(smoker, Plain.STOP);
                    }
                    end(0);
                }
            }
        }

        private void choose() {
            random = Stage.next(random);
            send(smokers[random % smokers.length], new Smoke(random));
        }
    }

    private static final class Smoker extends Member {
        private int x;

        Smoker(Stage stage, int seed) {
            super(stage);
            x = seed;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Smoke smoke) {
                reply(Plain.STARTED);
                x = Stage.next(x + smoke.period, COST);
            } else {
                end(x);
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var smokers = stage.actors(stage.actors(), i -> new Smoker(stage, stage.seed() + i));
        var arbiter = stage.actor(() -> new Arbiter(stage));
        arbiter.tell(new Start(smokers), ActorRef.noSender());
        return 1 + smokers.length;
    }
}
