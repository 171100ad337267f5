package concurrency.coroutines

import java.io.File
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/memory-per-task (contract.md beside this folder). */
private class MemoryPerTask : CoroutineProgram() {
    private var seed: ULong = 0u
    private var tasks = 0
    private lateinit var bytes: Recorder
    private var sum: ULong = 0u
    private var counted = 0L

    override val counters
        get() = mapOf("tasks" to counted)

    override val recorders
        get() = arrayOf(bytes)

    override fun load(options: Options) {
        seed = options.seed()
        tasks = options.int("tasks")
        bytes = Recorder("bytes", options)
    }

    override fun prepare() {
        sum = 0u
    }

    override suspend fun CoroutineScope.main() {
        val beginning = Latch(tasks)
        val gate = Latch(1)
        val before = residentBytes()
        val running =
            List(tasks) { i ->
                launch {
                    val x = SplitMix64(seed + i.toULong()).next()
                    beginning.countDown()
                    gate.await()
                    add(x)
                }
            }
        beginning.await()
        val after = residentBytes()
        gate.countDown()
        running.joinAll()
        bytes.record((after - before) / tasks)
    }

    @Synchronized
    private fun add(x: ULong) {
        counted++ // tick
        sum += x
    }

    /** The memory of the process that is in RAM. */
    private fun residentBytes(): Long {
        val line = File("/proc/self/smaps_rollup").readLines().first { it.startsWith("Rss:") }
        return line.filter(Char::isDigit).toLong() * 1024
    }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) =
    Harness.main("memory-per-task", "coroutines", MemoryPerTask(), arguments)
