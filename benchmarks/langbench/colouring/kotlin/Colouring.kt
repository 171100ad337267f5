package langbench

import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.UserMistake

/** The benchmark langbench/colouring (contract.md beside this folder). */
private class Colouring : Program {
    private val counts = Counts()
    private lateinit var graph: Graph<UInt>
    private lateinit var colours: Map<UInt, Int>
    private var recursive = false
    private var end = 0

    override val counters
        get() = counts.byName()

    /** Reads an edge a line. */
    override fun load(options: Options) {
        recursive = options.text("form") == "recursive"
        val neighbours = HashMap<UInt, HashSet<UInt>>()
        // A last line that lacks its line feed is a line nevertheless, and an empty file is one.
        val lines = options.readInput().removeSuffix("\n").splitToSequence('\n')
        for ((index, line) in lines.withIndex()) {
            if (!line.startsWith('#')) {
                addEdge(line.removeSuffix("\r"), index, neighbours)
            }
        }
        if (neighbours.isEmpty()) {
            throw UserMistake("the input has no edge; make it with generate.py")
        }
        graph = Graph(neighbours.keys, neighbours)
    }

    private fun addEdge(text: String, index: Int, neighbours: HashMap<UInt, HashSet<UInt>>) {
        val u = id(text.substringBefore('\t'))
        val v = id(text.substringAfter('\t', ""))
        if (u == null || v == null) {
            val greatest = UInt.MAX_VALUE
            throw badLine(index, "an edge is two ids from 0 to $greatest and a tab between")
        }
        if (u == v) {
            throw badLine(index, "vertex $u is joined to itself, and so has no colour")
        }
        neighbours.getOrPut(u) { HashSet() } += v
        neighbours.getOrPut(v) { HashSet() } += u
    }

    /** Reads 1 to 10 digits. */
    private fun id(digits: String): UInt? =
        if (digits.length <= 10 && digits.all { it in '0'..'9' }) digits.toUIntOrNull() else null

    private fun badLine(index: Int, what: String) =
        UserMistake("line ${index + 1} of the input: $what; take a SNAP edge list")

    /** Has nothing to copy: no iteration changes the graph. */
    override fun prepare() {}

    /** Finds the least k that is enough, each time with an attempt made anew. */
    override fun run() {
        var k = 2
        while (!succeeds(Attempt(counts), k)) {
            k++
        }
    }

    private fun succeeds(attempt: Attempt<UInt>, k: Int): Boolean {
        counts.attempts++ // tick
        end = if (recursive) attempt.recursive(graph, k, 0) else attempt.iterative(graph, k)
        colours = attempt.colours
        return end != Attempt.FAILED
    }

    /** Hashes the colours, a line each, and their number. */
    override fun digest(): ULong {
        verify()
        val hash = Fnv1a()
        for (u in graph.vertices) {
            hash.add(colours.getValue(u).toString())
            hash.add('\n')
        }
        hash.add(end.toString())
        hash.add('\n')
        return hash.value
    }

    /** Fails where the colouring is not proper. */
    private fun verify() {
        for (u in graph.vertices) {
            val colour = colours.getValue(u)
            check(colour < end) { "vertex $u has colour $colour of only $end" }
            for (w in graph.neighboursOf(u)) {
                check(colours.getValue(w) != colour) {
                    "vertices $u and $w are neighbours of one colour"
                }
            }
        }
    }
}

fun main(arguments: Array<String>) = Harness.main("colouring", "standard", Colouring(), arguments)
