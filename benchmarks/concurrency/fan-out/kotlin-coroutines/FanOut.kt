package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/fan-out (contract.md beside this folder). */
private class FanOut : CoroutineProgram() {
    /** What a task leaves: its sum, and the tasks that were counted below it. */
    private class Subtree {
        var sum: ULong = 0u
        var tasks = 0L
    }

    private var seed: ULong = 0u
    private var degree = 0
    private var depth = 0
    private lateinit var recorder: Recorder
    private var sum: ULong = 0u
    private var counted = 0L

    override val counters
        get() = mapOf("tasks" to counted)

    override val recorders
        get() = arrayOf(recorder)

    override fun load(options: Options) {
        seed = options.seed()
        degree = options.int("degree")
        depth = options.int("depth")
        recorder = Recorder("tasks", options)
    }

    override fun prepare() {
        sum = 0u
    }

    override suspend fun CoroutineScope.main() {
        val startedNs = System.nanoTime()
        val tree = async { grow(0, depth) }.await()
        recorder.record((System.nanoTime() - startedNs) * 1000 / treeSize(degree, depth))
        sum = tree.sum
        counted += tree.tasks
    }

    /** Task i. */
    private suspend fun CoroutineScope.grow(i: Int, levels: Int): Subtree {
        val tree =
            Subtree().apply {
                tasks++ // tick
                sum = SplitMix64(seed + i.toULong()).next()
            }
        if (levels > 0) {
            val children = List(degree) { n -> async { grow(i * degree + n + 1, levels - 1) } }
            for (below in children.awaitAll()) {
                tree.sum += below.sum
                tree.tasks += below.tasks
            }
        }
        return tree
    }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) = Harness.main("fan-out", "coroutines", FanOut(), arguments)
