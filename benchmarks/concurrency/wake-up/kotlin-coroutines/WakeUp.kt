package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Semaphore
import runfair.Harness
import runfair.Options
import runfair.Recorder

/** The benchmark concurrency/wake-up (contract.md beside this folder). */
private class WakeUp : CoroutineProgram() {
    private var seed = 0
    private var tasks = 0
    private var rounds = 0
    private lateinit var latency: Recorder
    private lateinit var bells: List<Semaphore>
    private var x = 0
    private var sinceNs = 0L // as x, it belongs to the task that was woken last
    private var wakes = 0L

    override val counters
        get() = mapOf("wakes" to wakes)

    override val recorders
        get() = arrayOf(latency)

    override fun load(options: Options) {
        seed = options.seed().toInt()
        tasks = options.int("tasks")
        rounds = options.int("rounds")
        latency = Recorder("latency", options)
    }

    override fun prepare() {
        x = seed
    }

    override suspend fun CoroutineScope.main() {
        bells = List(tasks) { Semaphore(permits = 1, acquiredPermits = 1) }
        val beginning = Latch(tasks)
        val running =
            List(tasks) { i ->
                launch {
                    beginning.countDown()
                    task(i)
                }
            }
        beginning.await()
        wake(0)
        running.joinAll()
    }

    private suspend fun task(i: Int) {
        repeat(rounds) { round ->
            bells[i].acquire()
            woken(i)
            if (i + 1 < tasks || round + 1 < rounds) wake((i + 1) % tasks)
        }
    }

    private fun woken(i: Int) {
        wakes++ // tick
        latency.record(System.nanoTime() - sinceNs)
        x = x * 1664525 + i
    }

    private fun wake(task: Int) {
        sinceNs = System.nanoTime()
        bells[task].release()
    }

    override fun digest(): ULong = digestOfLines(x.toHexString())
}

fun main(arguments: Array<String>) = Harness.main("wake-up", "coroutines", WakeUp(), arguments)
