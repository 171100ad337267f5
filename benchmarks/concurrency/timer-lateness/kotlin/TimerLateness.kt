package concurrency

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport
import kotlin.concurrent.thread
import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.Recorder
import runfair.SplitMix64

/** A task that computes: the exclusive or of the first numbers of a generator. */
private class Burner(
    private val seed: ULong,
    private val rounds: Int,
    private val yieldRounds: Int, // 0 if it never yields
) {
    var result: ULong = 0u
        private set

    var drawn = 0L // of this burner's thread alone
        private set

    var burned = 0L
        private set

    var yielded = 0L
        private set

    fun burn() {
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

    private fun pause() {
        yielded++ // tick
        Thread.yield()
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
    var fired = 0L // of this timer's thread alone
        private set

    fun fire(dueNs: Long) {
        var nowNs = System.nanoTime()
        while (nowNs < dueNs) {
            LockSupport.parkNanos(dueNs - nowNs)
            nowNs = System.nanoTime()
        }
        fired++ // tick
        lateness.record(nowNs - dueNs)
    }
}

/** The benchmark concurrency/timer-lateness (contract.md beside this folder). */
private class TimerLateness : Program {
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

    override fun threads(options: Options): Int = options.int("threads")

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
    override fun run() {
        val startedNs = System.nanoTime()
        val running = AtomicInteger(tasks)
        val ticker = if (timers == 0) thread(isDaemon = true) { tick(startedNs, running) } else null
        val threads = burners.map { burner ->
            thread(isDaemon = true) { // does not outlive a failure to start another
                burner.burn()
                running.decrementAndGet()
            }
        }
        val once = List(timers) { Timer(lateness) }
        val firing = once.map { timer ->
            val dueNs = System.nanoTime() + periodNs
            thread(isDaemon = true) { timer.fire(dueNs) }
        }
        threads.forEach { it.join() }
        firing.forEach { it.join() }
        ticker?.join()
        drawn += burners.sumOf { it.drawn }
        burned += burners.sumOf { it.burned }
        yielded += burners.sumOf { it.yielded }
        fired += once.sumOf { it.fired }
    }

    /** Sees every tick until the burners have ended. */
    private fun tick(startedNs: Long, running: AtomicInteger) {
        var dueNs = startedNs + periodNs
        do {
            LockSupport.parkNanos(dueNs - System.nanoTime())
            val nowNs = System.nanoTime()
            val ended = running.get() == 0
            while (dueNs <= nowNs) {
                lateness.record(nowNs - dueNs)
                dueNs += periodNs
            }
        } while (!ended)
    }

    /** Hashes the burners' results, a line each. */
    override fun digest(): ULong {
        val hash = Fnv1a()
        for (burner in burners) {
            hash.add(burner.result.toHexString())
            hash.add('\n')
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) =
    Harness.main("timer-lateness", "standard", TimerLateness(), arguments)
