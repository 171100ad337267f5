package actors;

import org.apache.pekko.actor.ActorRef;

/** Many actors read and write a sorted linked list, which is an actor too. */
final class ConcurrentSortedList implements Savina.Benchmark {
    private static final int MASK = 0xffffff;

    private record Write(int value) {}

    private record Contains(int value) {}

    private record Result(int value) {}

    private enum Plain { SIZE, ENDED }

    private static final class Element {
        final int value;
        Element next;

        Element(int value, Element next) {
            this.value = value;
            this.next = next;
        }
    }

    private static final class SortedList extends Member {
        /** Before the first one. */
        private final Element head = new Element(-1, null);
        private int size;
        private int left;

        SortedList(Stage stage) {
            super(stage);
            left = stage.actors();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Write write) {
                var before = before(write.value);
                before.next = new Element(write.value, before.next);
                size++;
                reply(new Result(write.value));
            } else if (message instanceof Contains contains) {
                var found = before(contains.value).next;
                reply(new Result(found != null && found.value == contains.value ? 1 : 0));
            } else if (message == Plain.SIZE) {
                reply(new Result(size));
            } else {
                left--;
                if (left == 0) {
                    end(hash());
                }
            }
        }

        /** The last element with a smaller value. */
        private Element before(int value) {
            var element = head;
            while (element.next != null && element.next.value < value) {
                element = element.next;
            }
            return element;
        }

        private long hash() {
            long hash = 0;
            for (var element = head.next; element != null; element = element.next) {
                hash = (hash * 1309 + element.value) & MASK;
            }
            return hash;
        }
    }

    private static final class Worker extends Requester {
        Worker(Stage stage, int number, ActorRef list) { super(stage, number, list); }

        @Override
        Object request(int kind, int key) {
            if (kind < 1) {
                return Plain.SIZE;
            }
            return kind < 11 ? new Write(key) : new Contains(key);
        }

        @Override
        Object ended() { return Plain.ENDED; }
    }

    @Override
    public int start(Stage stage) {
        var list = stage.actor(() -> new SortedList(stage));
        var workers = stage.actors(stage.actors(), i -> new Worker(stage, i, list));
        for (var worker : workers) {
            worker.tell(Requester.Start.START, ActorRef.noSender());
        }
        return 1 + workers.length;
    }
}
