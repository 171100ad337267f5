package concurrency.coroutines

import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.nanoseconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.yield
import runfair.Harness
import runfair.Options
import runfair.Recorder
import runfair.SplitMix64

/** The benchmark concurrency/timer-lateness (contract.md beside this folder). */
private class TimerLateness : CoroutineProgram() {
    /** A task that computes: the exclusive or of the first numbers of a generator. */
    private class Burner(
        private val seed: ULong,
        private val rounds: Int,
        private val yieldRounds: Int, // 0 if it never yields
    ) {
        var result: ULong = 0u
            private set

        var drawn = 0L // of this burner's coroutine alone
            private set

        var burned = 0L
            private set

        var yielded = 0L
            private set

        suspend fun burn() {
            burned++ // tick
            val random = SplitMix64(seed)
            var left = rounds
            while (yieldRounds in 1..left) {
                result = result xor draw(random, yieldRounds)
                left -= yieldRounds
                pause()
            }
            result = result xor draw(random, left)
        }

        private suspend fun pause() {
            yielded++ // tick
            yield()
        }

        private fun draw(random: SplitMix64, rounds: Int): ULong {
            var x: ULong = 0u
            repeat(rounds) {
                drawn++ // tick
                x = x xor random.next()
            }
            return x
        }
    }

    /** A timer that fires once. */
    private class Timer(private val lateness: Recorder) {
        var fired = 0L // of this timer's coroutine alone
            private set

        suspend fun fire(dueNs: Long) {
            var nowNs = System.nanoTime()
            while (nowNs < dueNs) {
                delay((dueNs - nowNs).nanoseconds)
                nowNs = System.nanoTime()
            }
            fired++ // tick
            lateness.record(nowNs - dueNs)
        }
    }

    private var seed: ULong = 0u
    private var rounds = 0
    private var periodNs = 0L
    private var tasks = 0
    private var yieldRounds = 0
    private var timers = 0 // that fire once; 0 if there is a ticker
    private lateinit var lateness: Recorder
    private lateinit var burners: List<Burner>
    private var drawn = 0L
    private var burned = 0L
    private var yielded = 0L
    private var fired = 0L

    override val counters
        get() =
            mapOf(
                "rounds" to drawn,
                "burners" to burned,
                "yields" to yielded,
                "timers" to fired,
            )

    override val recorders
        get() = arrayOf(lateness)

    override fun load(options: Options) {
        seed = options.seed()
        rounds = options.int("rounds")
        periodNs = options.int("period_us") * 1_000L
        tasks = options.int("burners")
        lateness = Recorder("lateness", options)
        when (options.text("workload")) {
            "yielding" -> yieldRounds = options.int("yield_rounds")
            "one-shot" -> timers = options.int("timers")
        }
    }

    override fun prepare() {
        burners = List(tasks) { i -> Burner(seed + i.toULong(), rounds, yieldRounds) }
    }

    /** Starts the ticker and the burners, or the burners and the timers, and waits for them. */
    override suspend fun CoroutineScope.main() {
        val startedNs = System.nanoTime()
        val running = AtomicInteger(tasks)
        val ticker = if (timers == 0) launch { tick(startedNs, running) } else null
        val coroutines = burners.map { burner ->
            launch {
                burner.burn()
                running.decrementAndGet()
            }
        }
        val once = List(timers) { Timer(lateness) }
        val firing = once.map { timer ->
            val dueNs = System.nanoTime() + periodNs
            launch { timer.fire(dueNs) }
        }
        coroutines.joinAll()
        firing.joinAll()
        ticker?.join()
        drawn += burners.sumOf { it.drawn }
        burned += burners.sumOf { it.burned }
        yielded += burners.sumOf { it.yielded }
        fired += once.sumOf { it.fired }
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
