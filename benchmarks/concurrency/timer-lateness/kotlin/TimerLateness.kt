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
private class Burner(private val seed: ULong, private val rounds: Int) {
    var result: ULong = 0u
        private set

    var drawn = 0L // of this burner's thread alone
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

/** The benchmark concurrency/timer-lateness (contract.md beside this folder). */
private class TimerLateness : Program {
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

    override fun threads(options: Options): Int = options.int("threads")

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
    override fun run() {
        val startedNs = System.nanoTime()
        val running = AtomicInteger(tasks)
        val ticker = thread(isDaemon = true) { tick(startedNs, running) }
        val threads = burners.map { burner ->
            thread(isDaemon = true) { // does not outlive a failure to start another
                burner.burn()
                running.decrementAndGet()
            }
        }
        threads.forEach { it.join() }
        ticker.join()
        drawn += burners.sumOf { it.drawn }
        burned += burners.sumOf { it.burned }
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
