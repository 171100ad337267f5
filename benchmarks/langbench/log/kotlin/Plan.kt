package langbench.log

/** What a message must have to be a candidate of a query. */
internal class Plan(query: Query, private val archive: Archive, counts: Counts) {
    private val pieces = query.pieces
    private val wanted = BooleanArray(archive.logTypes.size)
    private val conditions = ArrayList<Condition>()

    /** One of a message's variables is of this kind and has one of these values. */
    private class Condition(private val kind: Char, private val values: Set<Long>) {
        fun holds(kinds: String, found: LongArray, at: Int): Boolean {
            for (slot in kinds.indices) {
                if (kinds[slot] == kind && found[at + slot] in values) {
                    return true
                }
            }
            return false
        }
    }

    init {
        for (id in wanted.indices) {
            counts.scanned++ // tick
            wanted[id] = matches(archive.logTypes[id].text, query.fragments)
        }
        query.numbers.mapTo(conditions) { Condition(Tokens.NUMBER_PLACEHOLDER, setOf(it)) }
        for (text in query.variables) {
            val ids = setOfNotNull(archive.variables.find(text)?.toLong())
            conditions += Condition(Tokens.VARIABLE_PLACEHOLDER, ids)
        }
        for (part in query.parts) {
            val ids = HashSet<Long>()
            for ((id, text) in archive.variables.texts.withIndex()) {
                counts.scanned++ // tick
                if (part.isPartOf(text)) {
                    ids += id.toLong()
                }
            }
            conditions += Condition(Tokens.VARIABLE_PLACEHOLDER, ids)
        }
    }

    /** Adds the lines of a file that match. */
    fun search(messages: Messages, file: Int, found: MutableList<Match>, counts: Counts) {
        var at = 0
        for (i in 0..<messages.size) {
            val id = messages.types[i]
            val type = archive.logTypes[id]
            if (wanted[id] && conditions.all { it.holds(type.kinds, messages.values, at) }) {
                counts.candidates++ // tick
                val line = archive.decode(type, messages.values, at)
                if (matches(line, pieces)) {
                    counts.matches++ // tick
                    found += Match(file, line)
                }
            }
            at += type.kinds.length
        }
    }
}
