package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/cancellation (contract.md beside this folder). */
private class Cancellation : CoroutineProgram() {
    private var seed: ULong = 0u
    private var degree = 0
    private var depth = 0
    private lateinit var latency: Recorder
    @Volatile private var cancelledNs = 0L
    private var sum: ULong = 0u
    private var counted = 0L

    override val counters
        get() = mapOf("tasks" to counted)

    override val recorders
        get() = arrayOf(latency)

    override fun load(options: Options) {
        seed = options.seed()
        degree = options.int("degree")
        depth = options.int("depth")
        latency = Recorder("latency", options)
    }

    override fun prepare() {
        sum = 0u
    }

    override suspend fun CoroutineScope.main() {
        val beginning = Latch(treeSize(degree, depth))
        val root = launch { task(0, depth, beginning) }
        beginning.await()
        cancelledNs = System.nanoTime()
        root.cancelAndJoin()
    }

    /** Task i, whose children are cancelled with it. */
    private suspend fun CoroutineScope.task(i: Int, levels: Int, beginning: Latch) {
        if (levels > 0) {
            for (n in 1..degree) launch { task(i * degree + n, levels - 1, beginning) }
        }
        beginning.countDown()
        try {
            awaitCancellation()
        } finally {
            latency.record(System.nanoTime() - cancelledNs)
            add(SplitMix64(seed + i.toULong()).next())
        }
    }

    @Synchronized
    private fun add(x: ULong) {
        counted++ // tick
        sum += x
    }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) =
    Harness.main("cancellation", "coroutines", Cancellation(), arguments)
