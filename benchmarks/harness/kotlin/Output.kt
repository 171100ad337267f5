package runfair

/** JSON Lines, kept in memory until the harness, between iterations, writes them. */
internal class Output {
    private val lines = StringBuilder()
    var writtenNs = 0L

    fun line(vararg fields: Pair<String, Any>) = append(fields).append('\n')

    /** Appends an object, as an array of pairs, a text, or what JSON writes as Kotlin does. */
    private fun append(value: Any?): StringBuilder {
        if (value is String) return lines.append(quoted(value))
        if (value !is Array<*>) return lines.append(value)
        for ((i, field) in value.withIndex()) {
            val (name, content) = field as Pair<*, *>
            lines.append(if (i == 0) "{\"" else ",\"").append(name).append("\":")
            append(content)
        }
        return lines.append('}')
    }

    fun flush() {
        System.out.write(lines.toString().toByteArray())
        System.out.flush()
        lines.setLength(0)
        writtenNs = System.nanoTime()
    }
}

/** The text as a JSON string, which is always one line. */
fun quoted(text: String): String = buildString {
    append('"')
    for (c in text) {
        if (c == '"' || c == '\\') append('\\')
        when (c) {
            '\n' -> append("\\n")
            '\r' -> append("\\r")
            else -> append(c)
        }
    }
    append('"')
}
