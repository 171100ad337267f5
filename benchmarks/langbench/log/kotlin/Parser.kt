package langbench.log

/** Encodes the files of one worker into dictionaries: its own, or those of all workers. */
internal class Parser(
    private val counts: Counts,
    val types: Dictionary = Dictionary(counts.logTypes),
    val variables: Dictionary = Dictionary(counts.variables),
) {
    val files = ArrayList<Messages>()
    private val type = StringBuilder() // of the line at hand

    fun parse(content: String) {
        val messages = Messages(content.endsWith('\n'))
        var begin = 0
        while (begin < content.length) {
            val end = lineEnd(content, begin)
            parseLine(content, begin, end, messages)
            begin = end + 1
        }
        files += messages
    }

    private fun parseLine(text: String, lineBegin: Int, lineEnd: Int, messages: Messages) {
        counts.lines++ // tick
        type.setLength(0)
        var copied = lineBegin
        var begin = Tokens.begin(text, lineBegin, lineEnd)
        while (begin < lineEnd) {
            counts.tokens++ // tick
            val end = Tokens.end(text, begin, lineEnd)
            if (Tokens.isVariable(text, begin, end)) {
                type.append(text, copied, begin)
                copied = end
                val code = Tokens.numberCode(text, begin, end)
                if (code != Tokens.NOT_A_NUMBER) {
                    counts.numbers++ // tick
                    type.append(Tokens.NUMBER_PLACEHOLDER)
                    messages.addValue(code)
                } else {
                    counts.references++ // tick
                    type.append(Tokens.VARIABLE_PLACEHOLDER)
                    messages.addValue(variables.id(text.substring(begin, end)).toLong())
                }
            }
            begin = Tokens.begin(text, end, lineEnd)
        }
        type.append(text, copied, lineEnd)
        messages.addType(types.id(type.toString()))
    }
}

/** Where the line that begins there ends, without its line feed. */
internal fun lineEnd(content: String, begin: Int): Int {
    val feed = content.indexOf('\n', begin)
    return if (feed < 0) content.length else feed
}
