package langbench.log

/** The encoded files of all workers, with dictionaries in common. */
internal class Archive(parsers: List<Parser>) {
    val logTypes: List<LogType>
    val variables = parsers.first().variables
    private val blocks: List<Block>

    /** A worker's files, and the common ids of what its own dictionaries held. */
    private class Block(val files: List<Messages>, val types: IntArray, val variables: IntArray)

    /** Worker 0's dictionaries become everyone's; those of the others are entered in order. */
    init {
        val first = parsers.first()
        val others =
            parsers.drop(1).map { parser ->
                val types = first.types.enter(parser.types)
                Block(parser.files, types, variables.enter(parser.variables))
            }
        blocks = listOf(Block(first.files, IntArray(0), IntArray(0))) + others
        logTypes = first.types.texts.map(::LogType)
    }

    fun files(worker: Int): List<Messages> = blocks[worker].files

    /** Gives the messages of a worker the common ids. Worker 0's have them. */
    fun renumber(worker: Int) {
        if (worker == 0) {
            return
        }
        val block = blocks[worker]
        for (messages in block.files) {
            var at = 0
            for (i in 0..<messages.size) {
                val common = block.types[messages.types[i]]
                messages.types[i] = common
                for (kind in logTypes[common].kinds) {
                    if (kind == Tokens.VARIABLE_PLACEHOLDER) {
                        messages.values[at] = block.variables[messages.values[at].toInt()].toLong()
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
