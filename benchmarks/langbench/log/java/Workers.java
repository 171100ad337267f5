package langbench.log;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import runfair.UserMistake;

/** Threads that work side by side. */
final class Workers {
    private final int workers;
    private final ExecutorService pool; // null for one worker, which needs no thread of its own

    /** What worker number {@code worker} does. */
    interface Work<T> {
        T of(int worker);
    }

    Workers(int workers) {
        this.workers = workers;
        pool = workers == 1 ? null : Executors.newFixedThreadPool(workers, Workers::daemon);
    }

    /** A thread that does not keep the process from ending. */
    private static Thread daemon(Runnable work) {
        var thread = new Thread(work, "worker");
        thread.setDaemon(true);
        return thread;
    }

    /** Has every worker work, and gives what each made. */
    <T> List<T> perform(Work<T> work) {
        if (pool == null) {
            return List.of(work.of(0));
        }
        var tasks = new ArrayList<Callable<T>>();
        for (int i = 0; i < workers; i++) {
            int worker = i;
            tasks.add(() -> work.of(worker));
        }
        try {
            var made = new ArrayList<T>();
            for (var future : pool.invokeAll(tasks)) {
                made.add(future.get());
            }
            return made;
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof UserMistake mistake) {
                throw mistake;
            }
            throw new IllegalStateException(failure.getCause());
        } catch (InterruptedException interruption) {
            throw new IllegalStateException(interruption);
        }
    }
}
