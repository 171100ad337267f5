package langbench.log

/** The encoded files of all workers, with dictionaries in common. */
internal class Archive(parsers: List<Parser>) {
    val logTypes: List<LogType>
    val variables = parsers.first().variables
    private val blocks: List<Block>

    /** A worker's files, and the common ids of what its own dictionaries held; null: these ids. */
    private class Block(val files: List<Messages>, val common: Common?)

    private class Common(val types: IntArray, val variables: IntArray)

    /**
     * Worker 0's dictionaries become everyone's; those of the others are entered in order, unless
     * they are everyone's already.
     */
    init {
        val types = parsers.first().types
        blocks = parsers.map { parser ->
            val entered = if (parser.types === types) null else enter(parser, types)
            Block(parser.files, entered)
        }
        logTypes = types.texts.map(::LogType)
    }

    private fun enter(parser: Parser, types: Dictionary) =
        Common(types.enter(parser.types), variables.enter(parser.variables))

    fun files(worker: Int): List<Messages> = blocks[worker].files

    /** Gives the messages of a worker the common ids, unless they have them. */
    fun renumber(worker: Int) {
        val block = blocks[worker]
        val common = block.common ?: return
        for (messages in block.files) {
            var at = 0
            for (i in 0..<messages.size) {
                val type = common.types[messages.types[i]]
                messages.types[i] = type
                for (kind in logTypes[type].kinds) {
                    if (kind == Tokens.VARIABLE_PLACEHOLDER) {
                        messages.values[at] = common.variables[messages.values[at].toInt()].toLong()
                    }
                    at++
                }
            }
        }
    }

    /** The line of a message, whose values stand from [from] on. */
    fun decode(type: LogType, values: LongArray, from: Int): String = buildString {
        val text = type.text
        var copied = 0
        for ((slot, kind) in type.kinds.withIndex()) {
            val placeholder = text.indexOf(kind, copied)
            append(text, copied, placeholder)
            copied = placeholder + 1
            val value = values[from + slot]
            if (kind == Tokens.NUMBER_PLACEHOLDER) {
                Tokens.appendNumber(this, value)
            } else {
                append(variables.texts[value.toInt()])
            }
        }
        append(text, copied, text.length)
    }
}
