package langbench.plain

/** What is counted. */
internal class Counts {
    var lines = 0L
    var tokens = 0L
    var numbers = 0L
    var references = 0L
    var logTypes = 0L
    var variables = 0L
    var scanned = 0L
    var candidates = 0L
    var matches = 0L

    val byName
        get() =
            mapOf(
                "lines" to lines,
                "tokens" to tokens,
                "numbers" to numbers,
                "references" to references,
                "log_types" to logTypes,
                "variables" to variables,
                "scanned" to scanned,
                "candidates" to candidates,
                "matches" to matches,
            )
}
