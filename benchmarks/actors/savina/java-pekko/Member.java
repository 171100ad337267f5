package actors;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.UntypedAbstractActor;

/** An actor of a benchmark, which counts its messages, and ends with a result. */
abstract class Member extends UntypedAbstractActor {
    private final ActorRef main;
    private long messages;
    private long result;

    Member(Stage stage) { main = stage.main(); }

    @Override
    public final void onReceive(Object message) {
        messages++; // tick
        receive(message);
    }

    abstract void receive(Object message);

    final void send(ActorRef receiver, Object message) { receiver.tell(message, getSelf()); }

    final void reply(Object message) { getSender().tell(message, getSelf()); }

    final void end(long found) {
        result = found;
        getContext().stop(getSelf());
    }

    @Override
    public final void postStop() { send(main, new Main.Ended(result, messages)); }
}
