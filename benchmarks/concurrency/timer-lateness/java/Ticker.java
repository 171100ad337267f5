package concurrency;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import runfair.Recorder;

/** Records how late it sees each tick, until it has seen the end of all that burns. */
final class Ticker implements Runnable {
    private final long periodNs;
    private final Recorder lateness;
    private final CountDownLatch burning;
    private long dueNs;

    /** Its ticks count from now. */
    Ticker(long periodNs, Recorder lateness, CountDownLatch burning) {
        this.periodNs = periodNs;
        this.lateness = lateness;
        this.burning = burning;
        dueNs = System.nanoTime() + periodNs;
    }

    @Override
    public void run() {
        boolean ended = false;
        while (!ended) {
            LockSupport.parkNanos(dueNs - System.nanoTime());
            long seenNs = System.nanoTime();
            ended = burning.getCount() == 0;
            for (; dueNs <= seenNs; dueNs += periodNs) {
                lateness.record(seenNs - dueNs);
            }
        }
    }
}
