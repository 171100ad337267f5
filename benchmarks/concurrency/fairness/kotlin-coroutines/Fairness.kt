package concurrency.coroutines

import java.util.concurrent.atomic.AtomicLong
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/fairness (contract.md beside this folder). */
private class Fairness : CoroutineProgram() {
    private class Counts {
        var tasks = 0L
        var turns = 0L
    }

    /** What a task has done. */
    private class Share {
        val counts = Counts()
        var sum: ULong = 0u
        var turns = 0L
    }

    private val counts = Counts()
    private var seed: ULong = 0u
    private var tasks = 0
    private var turns = 0L
    private var turnNs = 0L
    private lateinit var index: Recorder
    private lateinit var supply: AtomicLong
    private lateinit var shares: List<Share>

    override val counters
        get() = mapOf("tasks" to counts.tasks, "turns" to counts.turns)

    override val recorders
        get() = arrayOf(index)

    override fun load(options: Options) {
        seed = options.seed()
        tasks = options.int("tasks")
        turns = options.text("turns").toLong()
        turnNs = options.int("turn_us") * 1_000L
        index = Recorder("index", options)
    }

    override fun prepare() {
        supply = AtomicLong()
        shares = List(tasks) { Share() }
    }

    override suspend fun CoroutineScope.main() {
        val beginning = Latch(tasks)
        val gate = Latch(1)
        val running =
            List(tasks) { i ->
                launch {
                    beginning.countDown()
                    gate.await()
                    spin(i, shares[i])
                }
            }
        beginning.await()
        gate.countDown()
        running.joinAll()
        index.record(jain())
        counts.tasks += shares.sumOf { it.counts.tasks }
        counts.turns += shares.sumOf { it.counts.turns }
    }

    /** Takes turns until there is none left. */
    private fun spin(i: Int, own: Share) {
        own.counts.tasks++ // tick
        own.sum = SplitMix64(seed + i.toULong()).next()
        var k = supply.getAndIncrement()
        while (k < turns) {
            own.counts.turns++ // tick
            val beganNs = System.nanoTime()
            val y = SplitMix64(seed + tasks.toULong() + k.toULong()).next()
            @Suppress("ControlFlowWithEmptyBody") while (System.nanoTime() - beganNs < turnNs) {}
            own.sum += y
            own.turns++
            k = supply.getAndIncrement()
        }
    }

    /** Jain's index of the turns, in thousandths. */
    private fun jain(): Long {
        val sum = shares.sumOf { it.turns.toDouble() }
        val squares = shares.sumOf { it.turns.toDouble() * it.turns }
        return (1000 * sum * sum / (tasks * squares)).toLong()
    }

    override fun digest(): ULong {
        var sum: ULong = 0u
        for (share in shares) sum += share.sum
        return digestOfLines(sum.toHexString())
    }
}

fun main(arguments: Array<String>) = Harness.main("fairness", "coroutines", Fairness(), arguments)
