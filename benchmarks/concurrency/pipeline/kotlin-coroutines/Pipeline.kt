package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.channels.SendChannel
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.Recorder

/** The benchmark concurrency/pipeline (contract.md beside this folder). */
private class Pipeline : CoroutineProgram() {
    /** What a task has counted. */
    private class Counts {
        var hops = 0L
    }

    private val counts = Counts()
    private var seed = 0
    private var stages = 0
    private var values = 0
    private var capacity = 0
    private lateinit var hops: Recorder
    private var sum = 0

    override val counters
        get() = mapOf("hops" to counts.hops)

    override val recorders
        get() = arrayOf(hops)

    override fun load(options: Options) {
        seed = options.seed().toInt()
        stages = options.int("stages")
        values = options.int("values")
        capacity =
            when (options.text("workload")) {
                "rendezvous" -> Channel.RENDEZVOUS
                "bounded" -> options.int("capacity")
                else -> Channel.UNLIMITED
            }
        hops = Recorder("hops", options)
    }

    override fun prepare() {
        sum = 0
    }

    override suspend fun CoroutineScope.main() {
        var startedNs = 0L
        val counted = List(stages + 1) { Counts() }
        val beginning = Latch(stages + 1) // of the stages and the sink
        val running = mutableListOf<Job>()
        var channel = Channel<Int>(capacity)
        val first = channel
        running += launch {
            beginning.await()
            startedNs = System.nanoTime()
            repeat(values) { k -> first.send(seed + k) }
        }
        for (number in 1..stages) {
            val from = channel
            val to = Channel<Int>(capacity)
            running += launch {
                beginning.countDown()
                stage(number, from, to, counted[number])
            }
            channel = to
        }
        beginning.countDown()
        sum = sink(channel, counted[0])
        val endedNs = System.nanoTime()
        running.joinAll()
        hops.record((endedNs - startedNs) * 1000 / (values.toLong() * (stages + 1)))
        counts.hops += counted.sumOf { it.hops }
    }

    private suspend fun stage(
        number: Int,
        from: ReceiveChannel<Int>,
        to: SendChannel<Int>,
        counts: Counts,
    ) {
        repeat(values) {
            from.receive().let {
                counts.hops++ // tick
                to.send(it * 1664525 + number)
            }
        }
    }

    private suspend fun sink(from: ReceiveChannel<Int>, counts: Counts): Int {
        var total = 0
        repeat(values) {
            from.receive().let {
                counts.hops++ // tick
                total = total * 31 + it
            }
        }
        return total
    }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) = Harness.main("pipeline", "coroutines", Pipeline(), arguments)
