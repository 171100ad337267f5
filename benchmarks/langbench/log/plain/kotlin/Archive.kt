package langbench.plain

/** What the files hold, encoded: two dictionaries, and the messages of each file. */
internal class Archive(private val counts: Counts) {
    val types = ArrayList<String>()
    val typeIds = HashMap<String, Int>()
    val texts = ArrayList<String>()
    val variableIds = HashMap<String, Long>()
    val files = ArrayList<List<Message>>()

    private fun typeId(text: String): Int {
        val known = typeIds[text]
        if (known != null) {
            return known
        }
        counts.logTypes++ // tick
        typeIds[text] = types.size
        types.add(text)
        return types.size - 1
    }

    private fun variableId(text: String): Long {
        val known = variableIds[text]
        if (known != null) {
            return known
        }
        counts.variables++ // tick
        variableIds[text] = texts.size.toLong()
        texts.add(text)
        return texts.size - 1L
    }

    fun parse(content: String) {
        val messages = ArrayList<Message>()
        for (line in linesOf(content)) {
            counts.lines++ // tick
            messages.add(encode(line))
        }
        files.add(messages)
    }

    private fun encode(line: String): Message {
        val values = ArrayList<Long>()
        val type = StringBuilder()
        var at = 0
        while (at < line.length) {
            val begin = at
            at = tokenEnd(line, begin)
            if (at == begin) {
                type.append(line[at])
                at++
                continue
            }
            counts.tokens++ // tick
            val token = line.substring(begin, at)
            if (!isVariable(line, begin, at)) {
                type.append(token)
                continue
            }
            val code = numberCode(token)
            if (code != null) {
                counts.numbers++ // tick
                values.add(code)
                type.append(NUMBER_PLACEHOLDER)
            } else {
                counts.references++ // tick
                values.add(variableId(token))
                type.append(VARIABLE_PLACEHOLDER)
            }
        }
        return Message(typeId(type.toString()), values)
    }

    fun decode(message: Message): String {
        val line = StringBuilder()
        var slot = 0
        for (c in types[message.type]) {
            when (c) {
                NUMBER_PLACEHOLDER -> line.append(numberText(message.values[slot++]))
                VARIABLE_PLACEHOLDER -> line.append(texts[message.values[slot++].toInt()])
                else -> line.append(c)
            }
        }
        return line.toString()
    }
}
