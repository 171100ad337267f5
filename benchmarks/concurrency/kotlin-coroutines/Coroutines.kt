package concurrency.coroutines

import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.runBlocking
import runfair.Fnv1a
import runfair.Options
import runfair.Program

/** A program whose tasks are coroutines of the default dispatcher. */
internal abstract class CoroutineProgram : Program {
    /**
     * Asks for as many threads as the option `threads`, which the dispatcher reads at its first
     * use, and returns how many its scheduler may really run. The scheduler's class is internal.
     */
    override fun threads(options: Options): Int {
        System.setProperty("kotlinx.coroutines.scheduler.core.pool.size", options.text("threads"))
        val scheduler = (Dispatchers.Default as ExecutorCoroutineDispatcher).executor
        return scheduler.javaClass.getField("corePoolSize").getInt(scheduler)
    }

    final override fun run() = runBlocking(Dispatchers.Default) { main() }

    /** What is timed: the first coroutine, in whose scope the others are started. */
    protected abstract suspend fun CoroutineScope.main()
}

/** Suspends whoever awaits it until [count] have counted it down. */
internal class Latch(count: Int) {
    private val left = AtomicInteger(count)
    private val opened = CompletableDeferred<Unit>()

    fun countDown() {
        if (left.decrementAndGet() == 0) opened.complete(Unit)
    }

    suspend fun await() = opened.await()
}

/** The hash of a text, a line. */
internal fun digestOfLines(vararg lines: String): ULong =
    Fnv1a()
        .apply {
            for (line in lines) {
                add(line)
                add('\n')
            }
        }
        .value

/** The number of tasks in a tree. */
internal fun treeSize(degree: Int, depth: Int): Int =
    (1..depth).fold(1) { tasks, _ -> tasks * degree + 1 }
