package langbench.plain

import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.UserMistake

private const val FAILED = -1
private const val GREATEST_ID = 4294967295L

private class Graph(ids: Set<Long>, val neighbours: MutableMap<Long, MutableSet<Long>>) {
    val vertices = ids.sorted()
}

private class Frame(val graph: Graph, val k: Int, var first: Int) {
    var end = first
    var degrees: HashMap<Long, Int>? = null
    var hub = 0L
    var inner = graph
}

/** The contract's pseudocode over hash maps and hash sets. */
private class Colouring : Program {
    private var attempts = 0L
    private var subgraphs = 0L
    private var vertices = 0L
    private var edges = 0L
    private var probes = 0L
    private lateinit var input: Graph
    private var isRecursive = false
    private var colours = HashMap<Long, Int>()
    private var end = 0

    override val counters
        get() =
            mapOf(
                "attempts" to attempts,
                "subgraphs" to subgraphs,
                "vertices" to vertices,
                "edges" to edges,
                "probes" to probes,
            )

    override fun run() {
        var k = 2
        while (true) {
            attempts++ // tick
            colours = HashMap()
            end = if (isRecursive) recursive(input, k, 0) else iterative(input, k)
            if (end != FAILED) {
                return
            }
            k++
        }
    }

    private fun recursive(graph: Graph, k: Int, start: Int): Int {
        if (k == 2) {
            return twoColour(graph, start)
        }
        var first = start
        var last = start
        val degrees = degreesOf(graph)
        while (true) {
            val (hub, degree) = widest(graph, degrees)
            if (!isWide(degree, graph.vertices.size, k)) {
                return maxOf(last, greedy(graph, degrees, first))
            }
            val inner = neighbourhood(graph, degrees, hub)
            val free = recursive(inner, k - 1, first)
            if (free == FAILED) {
                return FAILED
            }
            colours[hub] = free
            last = free + 1
            remove(graph, degrees, hub, inner)
            first = free
        }
    }

    private fun iterative(graph: Graph, k: Int): Int {
        val stack = mutableListOf(Frame(graph, k, 0))
        var free = 0
        while (stack.isNotEmpty()) {
            val frame = stack[stack.size - 1]
            if (frame.k == 2) {
                free = twoColour(frame.graph, frame.first)
                if (free == FAILED) {
                    return FAILED
                }
                stack.removeAt(stack.size - 1)
                continue
            }
            var degrees = frame.degrees
            if (degrees == null) {
                degrees = degreesOf(frame.graph)
                frame.degrees = degrees
            } else {
                colours[frame.hub] = free
                frame.end = free + 1
                remove(frame.graph, degrees, frame.hub, frame.inner)
                frame.first = free
            }
            val (hub, degree) = widest(frame.graph, degrees)
            frame.hub = hub
            if (isWide(degree, frame.graph.vertices.size, frame.k)) {
                frame.inner = neighbourhood(frame.graph, degrees, hub)
                stack.add(Frame(frame.inner, frame.k - 1, frame.first))
            } else {
                free = maxOf(frame.end, greedy(frame.graph, degrees, frame.first))
                stack.removeAt(stack.size - 1)
            }
        }
        return free
    }

    private fun degreesOf(graph: Graph): HashMap<Long, Int> {
        val degrees = HashMap<Long, Int>()
        for (u in graph.vertices) {
            vertices++ // tick
            degrees[u] = graph.neighbours.getValue(u).size
        }
        return degrees
    }

    private fun widest(graph: Graph, degrees: Map<Long, Int>): Pair<Long, Int> {
        var hub = 0L
        var greatest = 0
        for (u in graph.vertices) {
            probes++ // tick
            val degree = degrees[u]
            if (degree != null && degree > greatest) {
                hub = u
                greatest = degree
            }
        }
        return Pair(hub, greatest)
    }

    private fun isWide(degree: Int, n: Int, k: Int): Boolean {
        var product = degree.toDouble()
        for (i in 1..k - 2) {
            product *= degree.toDouble() / n
        }
        return product >= 1
    }

    private fun neighbourhood(graph: Graph, degrees: Map<Long, Int>, hub: Long): Graph {
        subgraphs++ // tick
        vertices++ // tick
        val members = HashSet<Long>()
        for (w in graph.neighbours.getValue(hub)) {
            probes++ // tick
            if (w in degrees) {
                members.add(w)
            }
        }
        val inner = Graph(members, HashMap())
        for (u in inner.vertices) {
            vertices++ // tick
            inner.neighbours[u] = intersection(graph.neighbours.getValue(u), members)
        }
        return inner
    }

    private fun intersection(a: Set<Long>, b: Set<Long>): MutableSet<Long> {
        if (a.size > b.size) {
            return intersection(b, a)
        }
        val common = HashSet<Long>()
        for (w in a) {
            probes++ // tick
            if (w in b) {
                common.add(w)
            }
        }
        return common
    }

    private fun remove(graph: Graph, degrees: HashMap<Long, Int>, hub: Long, inner: Graph) {
        degrees.remove(hub)
        for (u in inner.vertices) {
            degrees.remove(u)
        }
        for (u in inner.vertices) {
            vertices++ // tick
            for (w in graph.neighbours.getValue(u)) {
                edges++ // tick
                probes++ // tick
                val degree = degrees[w]
                if (degree != null) {
                    degrees[w] = degree - 1
                }
            }
        }
    }

    private fun twoColour(graph: Graph, first: Int): Int {
        var last = first + 1
        for (root in graph.vertices) {
            probes++ // tick
            if (root in colours) {
                continue
            }
            colours[root] = first
            var odd = false
            val queue = mutableListOf(root)
            var next = 0
            while (next < queue.size) {
                vertices++ // tick
                probes++ // tick
                val u = queue[next++]
                val other = 2 * first + 1 - colours.getValue(u)
                for (w in graph.neighbours.getValue(u)) {
                    edges++ // tick
                    probes++ // tick
                    val colour = colours[w]
                    if (colour == null) {
                        colours[w] = other
                        last = first + 2
                        queue.add(w)
                    } else if (colour != other) {
                        odd = true
                    }
                }
            }
            if (odd) {
                return FAILED
            }
        }
        return last
    }

    private fun greedy(graph: Graph, degrees: Map<Long, Int>, first: Int): Int {
        var last = first
        for (u in graph.vertices) {
            probes++ // tick
            if (u !in degrees) {
                continue
            }
            vertices++ // tick
            val taken = HashSet<Int>()
            for (w in graph.neighbours.getValue(u)) {
                edges++ // tick
                probes++ // tick
                val colour = colours[w]
                if (colour != null) {
                    taken.add(colour)
                }
            }
            var colour = first
            while (colour in taken) {
                colour++
            }
            colours[u] = colour
            last = maxOf(last, colour + 1)
        }
        return last
    }

    override fun load(options: Options) {
        isRecursive = options.text("form") == "recursive"
        val edge = Regex("([0-9]{1,10})\t([0-9]{1,10})\r?")
        val neighbours = HashMap<Long, MutableSet<Long>>()
        for ((index, line) in options.readInput().removeSuffix("\n").split("\n").withIndex()) {
            if (line.startsWith("#")) {
                continue
            }
            val ids = edge.matchEntire(line)?.groupValues?.drop(1)?.map(String::toLong)
            if (ids == null || ids.any { it > GREATEST_ID }) {
                throw badLine(index, "an edge is two ids from 0 to $GREATEST_ID and a tab between")
            }
            val (u, v) = ids
            if (u == v) {
                throw badLine(index, "vertex $u is joined to itself, and so has no colour")
            }
            neighbours.getOrPut(u) { HashSet() }.add(v)
            neighbours.getOrPut(v) { HashSet() }.add(u)
        }
        if (neighbours.isEmpty()) {
            throw UserMistake("the input has no edge; make it with generate.py")
        }
        input = Graph(neighbours.keys, neighbours)
    }

    private fun badLine(index: Int, what: String) =
        UserMistake("line ${index + 1} of the input: $what; take a SNAP edge list")

    override fun prepare() {
        // No iteration changes the graph.
    }

    /** Fails if the colouring is not proper. */
    private fun verify() {
        for (u in input.vertices) {
            val colour = colours.getValue(u)
            check(colour < end) { "vertex $u has colour $colour of only $end" }
            for (w in input.neighbours.getValue(u)) {
                check(colours.getValue(w) != colour) {
                    "vertices $u and $w are neighbours of one colour"
                }
            }
        }
    }

    override fun digest(): ULong {
        verify()
        val hash = Fnv1a()
        for (u in input.vertices) {
            hash.add("${colours[u]}\n")
        }
        hash.add("$end\n")
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("colouring", "plain", Colouring(), arguments)
