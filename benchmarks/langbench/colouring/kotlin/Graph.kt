package langbench

/**
 * Vertices in ascending order, and the neighbours of each.
 *
 * Vertices are of any type, and so references to one object wherever they go. Numbers would be
 * taken out of their objects at each walk, and put into new ones for each look-up.
 */
internal class Graph<V : Comparable<V>>(
    vertices: Collection<V>,
    private val neighbours: Map<V, Set<V>>,
) {
    val vertices: List<V> = vertices.sorted()

    fun neighboursOf(vertex: V): Set<V> = neighbours.getValue(vertex)
}
