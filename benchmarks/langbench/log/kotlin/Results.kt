package langbench.log

/**
 * The matches of every query, to which workers append theirs. They keep what the workers made, so
 * that its memory lives as long as elsewhere.
 */
internal class Results(queries: Int) {
    val matches = List(queries) { ArrayList<Match>() }
    var archive: Archive? = null
    var plans = emptyList<Plan>()

    @Synchronized
    fun append(found: List<List<Match>>) {
        for ((all, own) in matches zip found) {
            all += own
        }
    }

    fun sort() = matches.forEach { found -> found.sortBy { it.file } }
}
