package actors;

import java.util.HashMap;
import org.apache.pekko.actor.ActorRef;

/** Many actors read and write a dictionary, which is an actor too. */
final class ConcurrentDictionary implements Savina.Benchmark {
    private record Write(int key, int value) {}

    private record Read(int key) {}

    private record Result(int value) {}

    private enum Ended { ENDED }

    private static final class Dictionary extends Member {
        private final HashMap<Integer, Integer> values = new HashMap<>();
        private int left;

        Dictionary(Stage stage) {
            super(stage);
            left = stage.actors();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Write write) {
                values.put(write.key, write.value);
                reply(new Result(write.value));
            } else if (message instanceof Read read) {
                reply(new Result(values.getOrDefault(read.key, 0)));
            } else {
                left--;
                if (left == 0) {
                    long sum = 0;
                    for (int value : values.values()) {
                        sum += 1 + value;
                    }
                    end(sum);
                }
            }
        }
    }

    private static final class Worker extends Requester {
        Worker(Stage stage, int number, ActorRef dictionary) { super(stage, number, dictionary); }

        @Override
        Object request(int kind, int key) {
            return kind < 10 ? new Write(key, Stage.next(key)) : new Read(key);
        }

        @Override
        Object ended() { return Ended.ENDED; }
    }

    @Override
    public int start(Stage stage) {
        var dictionary = stage.actor(() -> new Dictionary(stage));
        var workers = stage.actors(stage.actors(), i -> new Worker(stage, i, dictionary));
        for (var worker : workers) {
            worker.tell(Requester.Start.START, ActorRef.noSender());
        }
        return 1 + workers.length;
    }
}
