package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.withContext
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/blocking (contract.md beside this folder). */
private class Blocking : CoroutineProgram() {
    /** What a task leaves; its count is its coroutine's alone. */
    private class Blocked {
        var x: ULong = 0u
        var calls = 0L
    }

    private var seed: ULong = 0u
    private var tasks = 0
    private var pauseMs = 0L
    private lateinit var lateness: Recorder
    private var sum: ULong = 0u
    private var calls = 0L

    override val counters
        get() = mapOf("calls" to calls)

    override val recorders
        get() = arrayOf(lateness)

    override fun load(options: Options) {
        seed = options.seed()
        tasks = options.int("tasks")
        pauseMs = options.int("pause_ms").toLong()
        lateness = Recorder("lateness", options)
    }

    override fun prepare() {
        sum = 0u
    }

    override suspend fun CoroutineScope.main() {
        val endNs = System.nanoTime() + pauseMs * 1_000_000
        val running = List(tasks) { i -> async { task(seed + i.toULong(), endNs) } }
        for (blocked in running.awaitAll()) {
            sum += blocked.x
            calls += blocked.calls
        }
    }

    private suspend fun task(state: ULong, endNs: Long): Blocked {
        withContext(Dispatchers.IO) { Thread.sleep(pauseMs) }
        lateness.record(System.nanoTime() - endNs)
        return Blocked().apply {
            calls++ // tick
            x = SplitMix64(state).next()
        }
    }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) = Harness.main("blocking", "coroutines", Blocking(), arguments)
