package langbench.log

/** The encoded files of all workers, with dictionaries in common. */
internal class Archive(parsers: List<Parser>) {
    val logTypes: List<LogType>
    val variables = parsers.first().variables
    private val blocks: List<Block>

    /** A worker's files, and the common ids of what its own dictionaries held; null: these ids. */
    private class Block(val files: List<Messages>, val types: IntArray?, val variables: IntArray?)

    /**
     * Worker 0's dictionaries become everyone's; those of the others are entered in order, unless
     * they are everyone's already.
     */
    init {
        val first = parsers.first()
        blocks =
            parsers.map { parser ->
                if (parser.types === first.types) {
                    Block(parser.files, null, null)
                } else {
                    val types = first.types.enter(parser.types)
                    Block(parser.files, types, variables.enter(parser.variables))
                }
            }
        logTypes = first.types.texts.map(::LogType)
    }

    fun files(worker: Int): List<Messages> = blocks[worker].files

    /** Gives the messages of a worker the common ids, unless they have them. */
    fun renumber(worker: Int) {
        val block = blocks[worker]
        val types = block.types ?: return
        val variables = block.variables ?: return
        for (messages in block.files) {
            var at = 0
            for (i in 0..<messages.size) {
                val common = types[messages.types[i]]
                messages.types[i] = common
                for (kind in logTypes[common].kinds) {
                    if (kind == Tokens.VARIABLE_PLACEHOLDER) {
                        messages.values[at] = variables[messages.values[at].toInt()].toLong()
                    }
                    at++
                }
            }
        }
    }

    /** The line of a message, whose values stand from [from] on. */
    fun decode(type: LogType, values: LongArray, from: Int): String = buildString {
        var at = from
        for (c in type.text) {
            when (c) {
                Tokens.NUMBER_PLACEHOLDER -> Tokens.appendNumber(this, values[at++])
                Tokens.VARIABLE_PLACEHOLDER -> append(variables.texts[values[at++].toInt()])
                else -> append(c)
            }
        }
    }
}
