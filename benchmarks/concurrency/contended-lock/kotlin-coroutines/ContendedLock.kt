package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.yield
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/contended-lock (contract.md beside this folder). */
private class ContendedLock : CoroutineProgram() {
    private var seed: ULong = 0u
    private var tasks = 0
    private var rounds = 0
    private var held = false
    private lateinit var wait: Recorder
    private lateinit var locks: Recorder
    private lateinit var shared: SplitMix64 // as the sum and the count, the lock protects it
    private var sum: ULong = 0u
    private var acquired = 0L

    override val counters
        get() = mapOf("locks" to acquired)

    override val recorders
        get() = arrayOf(wait, locks)

    override fun load(options: Options) {
        seed = options.seed()
        tasks = options.int("tasks")
        rounds = options.int("rounds")
        held = options.text("workload") == "held"
        wait = Recorder("wait", options)
        locks = Recorder("locks", options)
    }

    override fun prepare() {
        shared = SplitMix64(seed)
        sum = 0u
    }

    override suspend fun CoroutineScope.main() {
        val lock = Mutex()
        val beginning = Latch(tasks)
        val gate = Latch(1)
        val running =
            List(tasks) { i ->
                val own = SplitMix64(seed + 1u + i.toULong())
                launch {
                    beginning.countDown()
                    gate.await()
                    task(own, lock)
                }
            }
        beginning.await()
        val startedNs = System.nanoTime()
        gate.countDown()
        running.joinAll()
        locks.record((System.nanoTime() - startedNs) * 1000 / (tasks.toLong() * rounds))
    }

    private suspend fun task(own: SplitMix64, lock: Mutex) {
        repeat(rounds) {
            val askedNs = System.nanoTime()
            lock.lock()
            val nowNs = System.nanoTime()
            add(own)
            if (held) yield()
            lock.unlock()
            wait.record(nowNs - askedNs)
        }
    }

    private fun add(own: SplitMix64) {
        acquired++ // tick
        sum += shared.next() + own.next()
    }

    override fun digest(): ULong = digestOfLines(sum.toHexString())
}

fun main(arguments: Array<String>) =
    Harness.main("contended-lock", "coroutines", ContendedLock(), arguments)
