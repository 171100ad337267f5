package langbench

/** The operations of the attempts. */
internal class Counts {
    var attempts = 0L
    var subgraphs = 0L
    var vertices = 0L
    var edges = 0L
    var probes = 0L

    fun byName() =
        mapOf(
            "attempts" to attempts,
            "subgraphs" to subgraphs,
            "vertices" to vertices,
            "edges" to edges,
            "probes" to probes,
        )
}
