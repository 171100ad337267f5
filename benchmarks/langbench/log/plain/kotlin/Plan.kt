package langbench.plain

/** The search for one query in the index. */
internal class Plan(val query: Query, val archive: Archive, val counts: Counts) {
    val wanted = ArrayList<Boolean>()
    val conditions = ArrayList<Condition>()

    init {
        for (type in archive.types) {
            counts.scanned++ // tick
            wanted.add(matches(type, query.fragments))
        }
        for (code in query.codes) {
            conditions.add(Condition(NUMBER_PLACEHOLDER, setOf(code)))
        }
        for (text in query.texts) {
            val known = archive.variableIds[text]
            conditions.add(Condition(VARIABLE_PLACEHOLDER, setOfNotNull(known)))
        }
        for (part in query.parts) {
            val ids = HashSet<Long>()
            for ((id, text) in archive.texts.withIndex()) {
                counts.scanned++ // tick
                if (part.isPartOf(text)) {
                    ids.add(id.toLong())
                }
            }
            conditions.add(Condition(VARIABLE_PLACEHOLDER, ids))
        }
    }

    fun search(messages: List<Message>, results: MutableList<String>) {
        for (message in messages) {
            val type = archive.types[message.type]
            if (!wanted[message.type] || !conditions.all { it.holds(type, message) }) {
                continue
            }
            counts.candidates++ // tick
            val line = archive.decode(message)
            if (matches(line, query.pieces)) {
                counts.matches++ // tick
                results.add(line)
            }
        }
    }
}

private fun matches(text: String, pieces: List<String>): Boolean {
    var from = 0
    for (piece in pieces) {
        val at = text.indexOf(piece, from)
        if (at < 0) {
            return false
        }
        from = at + piece.length
    }
    return true
}
