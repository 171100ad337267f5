package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.channels.produce
import kotlinx.coroutines.job
import kotlinx.coroutines.selects.select
import runfair.Harness
import runfair.Options
import runfair.Recorder

/** The benchmark concurrency/select (contract.md beside this folder). */
private class Select : CoroutineProgram() {
    /** A channel from which so many values are still to come. */
    private class Source(val channel: ReceiveChannel<Int>, var left: Int)

    private var seed = 0
    private var channels = 0
    private var values = 0
    private lateinit var selects: Recorder
    private var sum = 0
    private var counted = 0L

    override val counters
        get() = mapOf("selects" to counted)

    override val recorders
        get() = arrayOf(selects)

    override fun load(options: Options) {
        seed = options.seed().toInt()
        channels = options.int("channels")
        values = options.int("values")
        selects = Recorder("selects", options)
    }

    override fun prepare() {
        sum = 0
    }

    override suspend fun CoroutineScope.main() {
        val beginning = Latch(channels)
        val gate = Latch(1)
        val open = MutableList(channels) { c -> Source(sender(c, beginning, gate), values) }
        beginning.await()
        val startedNs = System.nanoTime()
        gate.countDown()
        while (open.isNotEmpty()) {
            val source = select {
                for (source in open) {
                    source.channel.onReceive { x ->
                        sum += x
                        source
                    }
                }
            }
            counted++ // tick
            if (--source.left == 0) open.remove(source)
        }
        coroutineContext.job.children.forEach { it.join() }
        selects.record((System.nanoTime() - startedNs) * 1000 / (channels.toLong() * values))
    }

    @OptIn(ExperimentalCoroutinesApi::class)
    private fun CoroutineScope.sender(c: Int, beginning: Latch, gate: Latch): ReceiveChannel<Int> =
        produce(capacity = 1) {
            beginning.countDown()
            gate.await()
            var x = seed + c
            repeat(values) {
                x = x * 1664525 + c
                send(x)
            }
        }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) = Harness.main("select", "coroutines", Select(), arguments)
