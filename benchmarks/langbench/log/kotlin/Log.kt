package langbench.log

import java.io.File
import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program

private const val MAX_THREADS = 1024

/** The benchmark langbench/log (contract.md beside this folder). */
internal class Log(
    private val shared: Boolean // whether all workers fill the same dictionaries
) : Program {
    private var indexed = false
    private lateinit var queries: List<Query>
    private lateinit var files: List<File>
    private lateinit var workers: Workers
    private lateinit var counts: List<Counts> // of each worker
    private lateinit var results: Results

    override val counters
        get() = counts.sum()

    /** What makes a worker's parser. All workers fill the same dictionaries if they are shared. */
    private fun newParsers(): (Int) -> Parser {
        if (!shared) {
            return { worker -> Parser(counts[worker]) }
        }
        val types = SharedDictionary(counts.first().logTypes)
        val variables = SharedDictionary(counts.first().variables)
        return { worker -> Parser(counts[worker], types, variables) }
    }

    private fun indexed() {
        val newParser = newParsers()
        val parsers = workers.perform { worker ->
            val parser = newParser(worker)
            for (file in block(worker)) {
                parser.parse(Folder.read(files[file]))
            }
            parser
        }
        val archive = Archive(parsers)
        val plans = queries.map { Plan(it, archive, counts.first()) }
        results.archive = archive
        results.plans = plans
        workers.perform { worker ->
            archive.renumber(worker)
            results.append(
                plans.map { plan ->
                    buildList<Match> {
                        archive.files(worker).forEachIndexed { i, messages ->
                            plan.search(messages, first(worker) + i, this, counts[worker])
                        }
                    }
                }
            )
        }
        results.sort()
    }

    private fun regex() {
        val expressions = queries.map { it.expression() }
        workers.perform { worker ->
            results.append(
                expressions.map { expression ->
                    buildList<Match> {
                        for (file in block(worker)) {
                            search(expression, file, this, counts[worker])
                        }
                    }
                }
            )
        }
        results.sort()
    }

    /** Adds the lines of a file in which the expression is found. */
    private fun search(expression: Regex, file: Int, found: MutableList<Match>, counts: Counts) {
        val content = Folder.read(files[file])
        val matcher = expression.toPattern().matcher(content)
        var begin = 0
        while (begin < content.length) {
            counts.lines++ // tick
            val end = lineEnd(content, begin)
            if (matcher.region(begin, end).find()) {
                counts.matches++ // tick
                found += Match(file, content.substring(begin, end))
            }
            begin = end + 1
        }
    }

    /** The files of a worker. */
    private fun block(worker: Int): IntRange = first(worker)..<first(worker + 1)

    private fun first(worker: Int): Int = (files.size.toLong() * worker / counts.size).toInt()

    override fun threads(options: Options): Int = minOf(options.int("threads"), MAX_THREADS)

    /** Lists the files, cuts the queries and starts the workers. */
    override fun load(options: Options) {
        indexed = options.text("form") == "indexed"
        val own = options.text("queries")
        val texts =
            if (own.isEmpty()) Folder.QUERIES.getValue(options.text("workload"))
            else Folder.readQueries(own)
        queries = texts.map(::Query)
        files = Folder.logFiles(options.text("input"))
        val threads = threads(options)
        workers = Workers(threads)
        counts = List(threads) { Counts() }
    }

    /** Makes room for the results. */
    override fun prepare() {
        results = Results(queries.size)
    }

    /** Answers the queries. */
    override fun run() {
        if (indexed) {
            indexed()
        } else {
            regex()
        }
    }

    /** Hashes the matches of each query, behind their number. */
    override fun digest(): ULong {
        val hash = Fnv1a()
        for (found in results.matches) {
            hash.add("${found.size}\n")
            for (match in found) {
                hash.add(match.line)
                hash.add('\n')
            }
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("log", "standard", Log(shared = false), arguments)
