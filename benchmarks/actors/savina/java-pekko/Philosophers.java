package actors;

import org.apache.pekko.actor.ActorRef;

/** Philosophers eat with two forks each, which an arbiter gives them. */
final class Philosophers implements Savina.Benchmark {
    private record Start(ActorRef arbiter) {}

    private record Hungry(int number) {}

    private record Done(int number) {}

    private enum Plain { EAT, LEAVE }

    private static final class Arbiter extends Member {
        private final int size;
        private final boolean[] taken;
        private final ActorRef[] waiting;
        private long meals;
        private int gone;

        Arbiter(Stage stage) {
            super(stage);
            size = stage.actors();
            taken = new boolean[size];
            waiting = new ActorRef[size];
        }

        @Override
        void receive(Object message) {
            if (message instanceof Hungry hungry) {
                waiting[hungry.number] = getSender();
                serve(hungry.number);
            } else if (message instanceof Done done) {
                taken[done.number] = false;
                taken[(done.number + 1) % size] = false;
                serve((done.number + size - 1) % size);
                serve((done.number + 1) % size);
            } else {
                gone++;
                if (gone == size) {
                    end(meals);
                }
            }
        }

        /** Gives a philosopher who waits both forks, if they are there. */
        private void serve(int number) {
            int right = (number + 1) % size;
            if (waiting[number] != null && !taken[number] && !taken[right]) {
                taken[number] = true;
                taken[right] = true;
                meals++;
                send(waiting[number], Plain.EAT);
                waiting[number] = null;
            }
        }
    }

    private static final class Philosopher extends Member {
        private final int number;
        private int left;
        private int x;
        private ActorRef arbiter;

        Philosopher(Stage stage, int number) {
            super(stage);
            this.number = number;
            left = stage.amount();
            x = stage.seed() + number;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                arbiter = start.arbiter;
                send(arbiter, new Hungry(number));
            } else {
                x = Stage.next(x);
                left--;
                send(arbiter, new Done(number));
                if (left > 0) {
                    send(arbiter, new Hungry(number));
                } else {
                    send(arbiter, Plain.LEAVE);
                    end(x);
                }
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var arbiter = stage.actor(() -> new Arbiter(stage));
        for (var one : stage.actors(stage.actors(), i -> new Philosopher(stage, i))) {
            one.tell(new Start(arbiter), ActorRef.noSender());
        }
        return 1 + stage.actors();
    }
}
