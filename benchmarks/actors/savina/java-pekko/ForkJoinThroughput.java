package actors;

import org.apache.pekko.actor.ActorRef;

/** Many actors get many messages each, in turn; each message is a little work. */
final class ForkJoinThroughput implements Savina.Benchmark {
    private enum Plain { WORK }

    private static final class Worker extends Member {
        private int left;
        private int x;

        Worker(Stage stage, int seed) {
            super(stage);
            left = stage.amount();
            x = seed;
        }

        @Override
        void receive(Object message) {
            x = Stage.next(x);
            left--;
            if (left == 0) {
                end(x);
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var workers = stage.actors(stage.actors(), i -> new Worker(stage, stage.seed() + i));
        for (int i = 0; i < stage.amount(); i++) {
            for (var worker : workers) {
                worker.tell(Plain.WORK, ActorRef.noSender());
            }
        }
        return workers.length;
    }
}
