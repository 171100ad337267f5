package langbench.log

/** What one worker counts. */
internal class Counts {
    var lines = 0L
    var tokens = 0L
    var numbers = 0L
    var references = 0L
    val logTypes = Entries()
    val variables = Entries()
    var scanned = 0L
    var candidates = 0L
    var matches = 0L

    /** The entries that were made in the dictionaries of one kind. */
    class Entries {
        var made = 0L
    }
}

/**
 * The sum of all workers. Worker 0's dictionaries become everyone's, so their entries alone are
 * counted: those that worker 0 made, and those that the merge made.
 */
internal fun List<Counts>.sum() =
    mapOf(
        "lines" to sumOf { it.lines },
        "tokens" to sumOf { it.tokens },
        "numbers" to sumOf { it.numbers },
        "references" to sumOf { it.references },
        "log_types" to first().logTypes.made,
        "variables" to first().variables.made,
        "scanned" to sumOf { it.scanned },
        "candidates" to sumOf { it.candidates },
        "matches" to sumOf { it.matches },
    )
