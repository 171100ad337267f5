package actors;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/** What all actors have counted and found, when they have ended. */
final class Tally {
    private final LongAdder messages = new LongAdder();
    private final LongAdder sum = new LongAdder();
    private final Semaphore ended = new Semaphore(0);
    private volatile Throwable failure;

    void clear() { sum.reset(); }

    void ended(long result, long received) {
        sum.add(result);
        messages.add(received);
        ended.release();
    }

    /** An actor has failed: the program does too. */
    void failed(Throwable cause) {
        failure = cause;
        ended.release(Integer.MAX_VALUE / 2);
    }

    void await(int actors) {
        ended.acquireUninterruptibly(actors);
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }

    long sum() { return sum.sum(); }

    long messages() { return messages.sum(); }
}
