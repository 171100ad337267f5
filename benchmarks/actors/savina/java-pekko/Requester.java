package actors;

import org.apache.pekko.actor.ActorRef;

/** An actor that sends one request after the other to a collection. */
abstract class Requester extends Member {
    enum Start { START }

    private static final int KINDS = 100;

    private final ActorRef collection;
    private int random;
    private int left;

    Requester(Stage stage, int number, ActorRef collection) {
        super(stage);
        this.collection = collection;
        random = stage.seed() + number;
        left = stage.amount();
    }

    /** The first message starts, each later one is a result. */
    @Override
    final void receive(Object message) {
        if (message != Start.START) {
            left--;
        }
        if (left > 0) {
            random = Stage.next(random);
            int kind = random % KINDS;
            random = Stage.next(random);
            send(collection, request(kind, random));
        } else {
            send(collection, ended());
            end(0);
        }
    }

    abstract Object request(int kind, int key);

    abstract Object ended();
}
