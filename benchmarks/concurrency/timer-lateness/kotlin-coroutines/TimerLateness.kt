package concurrency.coroutines

import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.nanoseconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/timer-lateness (contract.md beside this folder). */
private class TimerLateness : CoroutineProgram() {
    /** A task that computes: the exclusive or of the first numbers of a generator. */
    private class Burner(private val seed: ULong, private val rounds: Int) {
        var result: ULong = 0u
            private set

        var drawn = 0L // of this burner's coroutine alone
            private set

        var burned = 0L
            private set

        fun burn() {
            burned++ // tick
            result = xorOfRounds()
        }

        private fun xorOfRounds(): ULong {
            val random = SplitMix64(seed)
            var x: ULong = 0u
            repeat(rounds) {
                drawn++ // tick
                x = x xor random.next()
            }
            return x
        }
    }

    private var seed: ULong = 0u
    private var rounds = 0
    private var periodNs = 0L
    private var tasks = 0
    private lateinit var lateness: Recorder
    private lateinit var burners: List<Burner>
    private var drawn = 0L
    private var burned = 0L

    override val counters
        get() = mapOf("rounds" to drawn, "burners" to burned)

    override val recorders
        get() = arrayOf(lateness)

    override fun load(options: Options) {
        seed = options.seed()
        rounds = options.int("rounds")
        periodNs = options.int("period_us") * 1_000L
        tasks = options.int("burners")
        lateness = Recorder("lateness", options)
    }

    override fun prepare() {
        burners = List(tasks) { i -> Burner(seed + i.toULong(), rounds) }
    }

    /** Starts the ticker, then every burner, and waits until all have ended. */
    override suspend fun CoroutineScope.main() {
        val startedNs = System.nanoTime()
        val running = AtomicInteger(tasks)
        val ticker = launch { tick(startedNs, running) }
        val coroutines = burners.map { burner ->
            launch {
                burner.burn()
                running.decrementAndGet()
            }
        }
        coroutines.joinAll()
        ticker.join()
        drawn += burners.sumOf { it.drawn }
        burned += burners.sumOf { it.burned }
    }

    /** Sees every tick until the burners have ended. */
    private suspend fun tick(startedNs: Long, running: AtomicInteger) {
        var dueNs = startedNs + periodNs
        do {
            delay((dueNs - System.nanoTime()).nanoseconds)
            val nowNs = System.nanoTime()
            val ended = running.get() == 0
            while (dueNs <= nowNs) {
                lateness.record(nowNs - dueNs)
                dueNs += periodNs
            }
        } while (!ended)
    }

    override fun digest(): ULong = digestOfLines(*Array(tasks) { burners[it].result.toHexString() })
}

fun main(arguments: Array<String>) =
    Harness.main("timer-lateness", "coroutines", TimerLateness(), arguments)
