package langbench.log

import java.util.concurrent.Callable
import java.util.concurrent.ExecutionException
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import kotlin.concurrent.thread

/** Threads that work side by side. */
internal class Workers(private val workers: Int) {
    /** None for one worker, which needs no thread of its own. */
    private val pool: ExecutorService? =
        if (workers == 1) null else Executors.newFixedThreadPool(workers, ::daemon)

    /** A thread that does not keep the process from ending. */
    private fun daemon(work: Runnable) =
        thread(start = false, isDaemon = true, name = "worker") { work.run() }

    /** Has every worker work, and gives what each made. */
    fun <T> perform(work: (worker: Int) -> T): List<T> {
        if (pool == null) {
            return listOf(work(0))
        }
        val tasks = List(workers) { worker -> Callable { work(worker) } }
        try {
            return pool.invokeAll(tasks).map { it.get() }
        } catch (failure: ExecutionException) {
            throw failure.cause ?: failure
        }
    }
}
