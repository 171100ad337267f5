package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/spawn-or-worker (contract.md beside this folder). */
private class SpawnOrWorker : CoroutineProgram() {
    private class Counts {
        var rounds = 0L
        var tasks = 0L
    }

    private val counts = Counts()
    private var seed: ULong = 0u
    private var tasks = 0
    private var rounds = 0
    private var atOnce = 0 // tasks that are started, or pieces that a channel holds
    private var workers = 0
    private var spawning = false
    private lateinit var recorder: Recorder
    private var answer = LongArray(0)
    private var counted = emptyArray<Counts>()

    override val counters
        get() = mapOf("rounds" to counts.rounds, "tasks" to counts.tasks)

    override val recorders
        get() = arrayOf(recorder)

    override fun load(options: Options) {
        seed = options.seed()
        tasks = options.int("tasks")
        rounds = options.int("rounds")
        atOnce = options.int("at_once")
        workers = options.int("threads")
        spawning = options.text("workload") == "spawn"
        recorder = Recorder("tasks", options)
    }

    override fun prepare() {
        answer = LongArray(tasks)
        counted = Array(tasks) { Counts() }
    }

    override suspend fun CoroutineScope.main() {
        val startedNs = System.nanoTime()
        if (spawning) spawn() else work()
        recorder.record((System.nanoTime() - startedNs) * 1000 / tasks)
        counts.rounds += counted.sumOf { it.rounds }
        counts.tasks += counted.sumOf { it.tasks }
    }

    private suspend fun CoroutineScope.spawn() {
        for (first in 0..<tasks step atOnce) {
            val wave = first..<minOf(first + atOnce, tasks)
            wave.map { i -> launch { perform(i) } }.joinAll()
        }
    }

    private suspend fun CoroutineScope.work() {
        val channel = Channel<Int>(atOnce)
        val running = List(workers) { launch { for (i in channel) perform(i) } }
        for (i in 0..<tasks) channel.send(i)
        channel.close()
        running.joinAll()
    }

    private fun perform(i: Int) {
        answer[i] = compute(seed + i.toULong(), counted[i]).toLong()
    }

    /** The seed and so many numbers of the generator, by exclusive or. */
    private fun compute(seed: ULong, counts: Counts): ULong {
        counts.tasks++ // tick
        val random = SplitMix64(seed)
        var x = seed
        repeat(rounds) {
            counts.rounds++ // tick
            x = x xor random.next()
        }
        return x
    }

    override fun digest(): ULong = digestOfLines(*Array(tasks) { answer[it].toHexString() })
}

fun main(arguments: Array<String>) =
    Harness.main("spawn-or-worker", "coroutines", SpawnOrWorker(), arguments)
