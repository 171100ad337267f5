package concurrency.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.SplitMix64

/** The benchmark concurrency/parallel-efficiency (contract.md beside this folder). */
private class ParallelEfficiency : CoroutineProgram() {
    /** What a task leaves; its counts are its coroutine's alone. */
    private class Computed {
        var x: ULong = 0u
        var rounds = 0L
        var tasks = 0L

        /** The exclusive or of the generator's first numbers. */
        fun compute(random: SplitMix64, rounds: Int) {
            tasks++ // tick
            var x: ULong = 0u
            repeat(rounds) {
                this.rounds++ // tick
                x = x xor random.next()
            }
            this.x = x
        }
    }

    private var seed: ULong = 0u
    private var tasks = 0
    private var rounds = 0
    private lateinit var computed: List<Computed>
    private var drawn = 0L
    private var ended = 0L

    override val counters
        get() = mapOf("rounds" to drawn, "tasks" to ended)

    override fun load(options: Options) {
        seed = options.seed()
        tasks = options.int("tasks")
        rounds = options.int("rounds")
    }

    override fun prepare() {
        computed = List(tasks) { Computed() }
    }

    override suspend fun CoroutineScope.main() {
        val running =
            List(tasks) { i ->
                launch { computed[i].compute(SplitMix64(seed + i.toULong()), rounds) }
            }
        running.joinAll()
        drawn += computed.sumOf { it.rounds }
        ended += computed.sumOf { it.tasks }
    }

    override fun digest(): ULong = digestOfLines(*Array(tasks) { computed[it].x.toHexString() })
}

fun main(arguments: Array<String>) =
    Harness.main("parallel-efficiency", "coroutines", ParallelEfficiency(), arguments)
