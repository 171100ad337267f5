package langbench.plain

import java.io.File
import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program

/** The contract's pseudocode over strings, lists and hash maps. */
private class Log : Program {
    private val counts = Counts()

    private var isIndexed = false
    private lateinit var queries: List<Query>
    private lateinit var files: List<File>
    private lateinit var archive: Archive
    private lateinit var found: ArrayList<List<String>>

    override val counters
        get() = counts.byName

    private fun indexed() {
        for (file in files) {
            archive.parse(read(file))
        }
        for (plan in queries.map { Plan(it, archive, counts) }) {
            val results = ArrayList<String>()
            for (messages in archive.files) {
                plan.search(messages, results)
            }
            found.add(results)
        }
    }

    private fun regex() {
        for (expression in queries.map { it.expression() }) {
            val results = ArrayList<String>()
            for (file in files) {
                for (line in linesOf(read(file))) {
                    counts.lines++ // tick
                    if (expression.containsMatchIn(line)) {
                        counts.matches++ // tick
                        results.add(line)
                    }
                }
            }
            found.add(results)
        }
    }

    override fun load(options: Options) {
        isIndexed = options.text("form") == "indexed"
        val own = options.text("queries")
        val texts = if (options.text("workload") == "hadoop") HADOOP else SPARK
        queries = (if (own.isEmpty()) texts else readQueries(own)).map { Query(it) }
        files = logFiles(options.text("input"))
    }

    override fun prepare() {
        archive = Archive(counts)
        found = ArrayList()
    }

    override fun run() {
        if (isIndexed) {
            indexed()
        } else {
            regex()
        }
    }

    override fun digest(): ULong {
        val hash = Fnv1a()
        for (results in found) {
            hash.add("${results.size}\n")
            for (line in results) {
                hash.add(line)
                hash.add('\n')
            }
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("log", "plain", Log(), arguments)
