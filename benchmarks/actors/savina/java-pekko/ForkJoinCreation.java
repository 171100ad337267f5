package actors;

import org.apache.pekko.actor.ActorRef;

/** Many actors are made for one message each. */
final class ForkJoinCreation implements Savina.Benchmark {
    private enum Plain { WORK }

    private static final class Worker extends Member {
        private final int seed;

        Worker(Stage stage, int seed) {
            super(stage);
            this.seed = seed;
        }

        @Override
        void receive(Object message) { end(Stage.next(seed)); }
    }

    @Override
    public int start(Stage stage) {
        for (int i = 0; i < stage.actors(); i++) {
            int seed = stage.seed() + i;
            stage.actor(() -> new Worker(stage, seed)).tell(Plain.WORK, ActorRef.noSender());
        }
        return stage.actors();
    }
}
