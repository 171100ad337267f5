package runfair

import java.io.OutputStream
import java.time.Instant
import java.util.HexFormat
import kotlin.concurrent.thread
import kotlin.system.exitProcess

/** A benchmark's task: one [load], then the other steps in each iteration; [run] alone is timed. */
interface Program {
    fun load(options: Options)

    fun prepare()

    fun run()

    fun digest(): ULong

    /** All that has been counted so far. */
    val counters: Map<String, Long>

    /** One for each distribution that the benchmark declares, asked after [load]. */
    val recorders: Array<Recorder>
        get() = emptyArray()

    /** How many it really uses, asked before [load]. */
    fun threads(options: Options): Int = 1
}

/**
 * The iteration loop of benchmarks/contract.md. At the first use of a lambda that is not inlined,
 * of a template, or of the library's functions of strings and collections a JVM spends 7 to 30 ms:
 * the harness comes to none before counts and mistakes.
 */
object Harness {
    @Volatile private var inputEnded = false

    fun main(benchmark: String, tier: String, program: Program, arguments: Array<String>) {
        try {
            val options = Options(benchmark, arguments)
            val out = Output()
            val startedNs = System.nanoTime() // CLOCK_MONOTONIC itself, on Linux
            val now = Instant.now()
            out.line(
                "event" to "start",
                "contract" to 2,
                "benchmark" to benchmark,
                "language" to "kotlin",
                "tier" to tier,
                "runtime" to runtime(),
                "threads" to program.threads(options),
                "processors" to Runtime.getRuntime().availableProcessors(),
                "monotonic_ns" to startedNs,
                "realtime_ns" to now.epochSecond * 1_000_000_000 + now.nano,
                "cpu_clock_resolution_ns" to 1,
                "effective" to effective(),
            )
            program.load(options)
            System.load(System.getProperty("runfair.cpuClock"))
            val iterations = options.text("iterations").toLong()
            val untilNs = startedNs + (options["seconds"]?.toDouble() ?: 1e9) * 1e9
            if (iterations == 0L) {
                thread(isDaemon = true) { // sleeps in read(2) and holds no processor
                    runCatching { System.`in`.transferTo(OutputStream.nullOutputStream()) }
                    inputEnded = true // by an error, too
                }
            }
            out.flush()
            var done = 0L
            do {
                if (System.nanoTime() - out.writtenNs >= 1e8) out.flush() // ten times a second
                iterate(out, program, done++, options["count"] != null)
            } while (done != iterations && !inputEnded && System.nanoTime() < untilNs)
            out.line("event" to "end", "iterations" to done)
            out.flush()
        } catch (mistake: UserMistake) {
            System.err.println("$benchmark: ${mistake.message}")
            exitProcess(2)
        }
    }

    private fun iterate(out: Output, program: Program, index: Long, count: Boolean) {
        program.prepare()
        val recorders = program.recorders
        for (recorder in recorders) recorder.begin(index)
        val before = if (count) program.counters else null
        val wallNs = System.nanoTime()
        val cpuNs = cpuNs() // inside the wall clock's interval
        program.run()
        val cpuEndNs = cpuNs()
        val wallEndNs = System.nanoTime()
        val samples = Array(recorders.size) { recorders[it].name to recorders[it].samples() }
        out.line(
            "event" to "iteration",
            "index" to index,
            "started_monotonic_ns" to wallNs,
            "wall_ns" to wallEndNs - wallNs,
            "cpu_ns" to cpuEndNs - cpuNs,
            "digest" to HexFormat.of().toHexDigits(program.digest().toLong()),
            *(if (samples.isEmpty()) emptyArray() else arrayOf("samples" to samples)),
        )
        if (before != null) {
            val counted = program.counters.map { (name, all) -> name to all - before[name]!! }
            out.line("event" to "operations", "counters" to counted.toTypedArray())
        }
    }

    private external fun cpuNs(): Long // of cpu_clock.cpp
}
