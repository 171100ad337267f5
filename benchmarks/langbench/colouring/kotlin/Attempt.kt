package langbench

/** One attempt to colour a graph with a given k. */
internal class Attempt<V : Comparable<V>>(private val counts: Counts) {
    val colours = HashMap<V, Int>()

    /** Colours the graph from [first] on; the first colour then free, or FAILED: k is too small. */
    fun recursive(graph: Graph<V>, k: Int, first: Int): Int {
        if (k == 2) {
            return twoColour(graph, first)
        }
        val degrees = degreesOf(graph)
        var begin = first
        var end = first
        while (true) {
            val (hub, degree) = widest(graph, degrees)
            if (!isWide(degree, graph.vertices.size, k)) {
                return maxOf(end, greedy(graph, degrees, begin))
            }
            val inner = neighbourhood(graph, degrees, hub)
            val free = recursive(inner, k - 1, begin)
            if (free == FAILED) {
                return FAILED
            }
            colours[hub] = free
            end = free + 1
            remove(graph, degrees, hub, inner)
            begin = free // the hub has no neighbour left: its colour serves again
        }
    }

    /** Does what [recursive] does, from a stack of its own. */
    fun iterative(graph: Graph<V>, k: Int): Int {
        val stack = ArrayDeque(listOf(Frame(graph, k, 0)))
        var free = 0
        while (stack.isNotEmpty()) {
            val frame = stack.last()
            if (frame.k == 2) {
                free = twoColour(frame.graph, frame.first)
                if (free == FAILED) {
                    return FAILED
                }
                stack.removeLast()
                continue
            }
            val degrees = frame.degrees ?: degreesOf(frame.graph).also { frame.degrees = it }
            frame.pushed?.let { (hub, inner) ->
                colours[hub] = free
                frame.end = free + 1
                remove(frame.graph, degrees, hub, inner)
                frame.first = free
            }
            val (hub, degree) = widest(frame.graph, degrees)
            if (isWide(degree, frame.graph.vertices.size, frame.k)) {
                val inner = neighbourhood(frame.graph, degrees, hub)
                frame.pushed = hub to inner
                stack.addLast(Frame(inner, frame.k - 1, frame.first))
            } else {
                free = maxOf(frame.end, greedy(frame.graph, degrees, frame.first))
                stack.removeLast()
            }
        }
        return free
    }

    /** A call of [recursive], with its arguments and variables. */
    private class Frame<V : Comparable<V>>(val graph: Graph<V>, val k: Int, var first: Int) {
        var end = first
        var degrees: HashMap<V, Int>? = null
        var pushed: Pair<V, Graph<V>>? = null // the hub, and its neighbourhood
    }

    private fun degreesOf(graph: Graph<V>): HashMap<V, Int> {
        val degrees = HashMap<V, Int>()
        for (u in graph.vertices) {
            counts.vertices++ // tick
            degrees[u] = graph.neighboursOf(u).size
        }
        return degrees
    }

    /** Finds the least of the vertices of the greatest degree, and that degree. */
    private fun widest(graph: Graph<V>, degrees: Map<V, Int>): Pair<V, Int> {
        var hub = graph.vertices.first()
        var greatest = 0
        for (u in graph.vertices) {
            counts.probes++ // tick
            val degree = degrees[u]
            if (degree != null && degree > greatest) {
                hub = u
                greatest = degree
            }
        }
        return hub to greatest
    }

    /** Tells whether degree ≥ n ^ (1 − 1 / (k − 1)). */
    private fun isWide(degree: Int, n: Int, k: Int): Boolean {
        var product = degree.toDouble()
        repeat(k - 2) { product *= degree.toDouble() / n }
        return product >= 1
    }

    /** Makes the graph on N(hub), the hub itself not in it. */
    private fun neighbourhood(graph: Graph<V>, degrees: Map<V, Int>, hub: V): Graph<V> {
        counts.subgraphs++ // tick
        counts.vertices++ // tick
        val members = HashSet<V>()
        for (w in graph.neighboursOf(hub)) {
            counts.probes++ // tick
            if (w in degrees) {
                members += w
            }
        }
        val neighbours = HashMap<V, Set<V>>()
        val inner = Graph(members, neighbours)
        for (u in inner.vertices) {
            counts.vertices++ // tick
            neighbours[u] = intersection(graph.neighboursOf(u), members)
        }
        return inner
    }

    private fun intersection(a: Set<V>, b: Set<V>): Set<V> {
        if (a.size > b.size) {
            return intersection(b, a)
        }
        val common = HashSet<V>()
        for (w in a) {
            counts.probes++ // tick
            if (w in b) {
                common += w
            }
        }
        return common
    }

    private fun remove(graph: Graph<V>, degrees: HashMap<V, Int>, hub: V, inner: Graph<V>) {
        degrees.remove(hub)
        inner.vertices.forEach(degrees::remove)
        for (u in inner.vertices) {
            counts.vertices++ // tick
            for (w in graph.neighboursOf(u)) {
                counts.edges++ // tick
                counts.probes++ // tick
                degrees.computeIfPresent(w) { _, degree -> degree - 1 }
            }
        }
    }

    private fun twoColour(graph: Graph<V>, first: Int): Int {
        var end = first + 1
        for (root in graph.vertices) {
            counts.probes++ // tick
            if (colours.putIfAbsent(root, first) != null) {
                continue
            }
            var odd = false
            val queue = mutableListOf(root)
            var at = 0
            while (at < queue.size) {
                counts.vertices++ // tick
                counts.probes++ // tick
                val u = queue[at++]
                val other = 2 * first + 1 - colours.getValue(u)
                for (w in graph.neighboursOf(u)) {
                    counts.edges++ // tick
                    counts.probes++ // tick
                    val colour = colours.putIfAbsent(w, other)
                    if (colour == null) {
                        end = first + 2
                        queue += w
                    } else if (colour != other) {
                        odd = true
                    }
                }
            }
            if (odd) {
                return FAILED
            }
        }
        return end
    }

    /** Gives one vertex after the other the least colour from [first] on that no neighbour has. */
    private fun greedy(graph: Graph<V>, degrees: Map<V, Int>, first: Int): Int {
        var end = first
        val taken = HashSet<Int>()
        for (u in graph.vertices) {
            counts.probes++ // tick
            if (u !in degrees) {
                continue
            }
            counts.vertices++ // tick
            taken.clear()
            for (w in graph.neighboursOf(u)) {
                counts.edges++ // tick
                counts.probes++ // tick
                colours[w]?.let { taken += it }
            }
            var colour = first
            while (colour in taken) {
                colour++
            }
            colours[u] = colour
            end = maxOf(end, colour + 1)
        }
        return end
    }

    companion object {
        const val FAILED = -1
    }
}
