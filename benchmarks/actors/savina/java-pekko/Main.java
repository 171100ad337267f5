package actors;

import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.OneForOneStrategy;
import org.apache.pekko.actor.SupervisorStrategy;
import org.apache.pekko.actor.UntypedAbstractActor;
import org.apache.pekko.japi.pf.DeciderBuilder;

/** Creates the actors of one iteration, and adds up what they found, until all have ended. */
final class Main extends UntypedAbstractActor {
    /** The last message of an actor; of this actor, the sums. */
    record Ended(long result, long messages) {}

    private final Savina.Benchmark benchmark;
    private final Work work;
    private final CompletableFuture<Ended> all;
    private int left;
    private long sum;
    private long messages;

    Main(Savina.Benchmark benchmark, Work work, CompletableFuture<Ended> all) {
        this.benchmark = benchmark;
        this.work = work;
        this.all = all;
    }

    @Override
    public void preStart() {
        try {
            left = benchmark.start(new Stage(getContext(), work));
        } catch (RuntimeException | Error cause) {
            all.completeExceptionally(cause);
            throw cause;
        }
    }

    @Override
    public void onReceive(Object message) {
        var ended = (Ended) message;
        sum += ended.result;
        messages += ended.messages;
        left--;
        if (left == 0) {
            getContext().stop(getSelf());
        }
    }

    /** All children have ended before. */
    @Override
    public void postStop() { all.complete(new Ended(sum, messages)); }

    /** An actor has failed: the program does too. */
    @Override
    public SupervisorStrategy supervisorStrategy() {
        return new OneForOneStrategy(DeciderBuilder.matchAny(cause -> {
            all.completeExceptionally(cause);
            return SupervisorStrategy.stop();
        }).build());
    }
}
