package langbench.log

private val SPECIAL = Regex("""[\\^$.|?+()\[\]{}]""")

/** A query, cut into what the index knows. */
internal class Query(text: String) {
    val pieces = text.split('*').filter { it.isNotEmpty() }
    val fragments = ArrayList<String>()
    val numbers = ArrayList<Long>()
    val variables = ArrayList<String>()
    val parts = ArrayList<Part>()

    /**
     * A token of the query that is not whole, but surely part of a variable of the dictionary.
     * [begins]: the variable begins with it.
     */
    class Part(private val text: String, private val begins: Boolean, private val ends: Boolean) {
        fun isPartOf(variable: String): Boolean =
            when {
                begins -> variable.startsWith(text)
                ends -> variable.endsWith(text)
                else -> text in variable
            }
    }

    init {
        pieces.forEach { cut(it) }
    }

    /** The regular expression that finds the query in a line. */
    fun expression() = Regex(pieces.joinToString("""[^\n]*""") { SPECIAL.replace(it, """\\$0""") })

    private fun cut(piece: String) {
        val fragment = StringBuilder()
        var done = 0
        var begin = Tokens.begin(piece, 0, piece.length)
        while (begin < piece.length) {
            val end = Tokens.end(piece, begin, piece.length)
            fragment.append(piece, done, begin)
            done = end
            if (begin > 0 && end < piece.length) {
                addWhole(piece, begin, end, fragment)
            } else {
                endFragment(fragment)
                addPart(piece, begin, end)
            }
            begin = Tokens.begin(piece, end, piece.length)
        }
        fragment.append(piece, done, piece.length)
        endFragment(fragment)
    }

    private fun endFragment(fragment: StringBuilder) {
        if (fragment.isNotEmpty()) {
            fragments += fragment.toString()
            fragment.clear()
        }
    }

    /** Adds to the fragment what stands in a log type for a token between delimiters. */
    private fun addWhole(piece: String, begin: Int, end: Int, fragment: StringBuilder) {
        if (!Tokens.isVariable(piece, begin, end)) {
            fragment.append(piece, begin, end)
            return
        }
        val code = Tokens.numberCode(piece, begin, end)
        if (code != Tokens.NOT_A_NUMBER) {
            fragment.append(Tokens.NUMBER_PLACEHOLDER)
            numbers += code
        } else {
            fragment.append(Tokens.VARIABLE_PLACEHOLDER)
            variables += piece.substring(begin, end)
        }
    }

    private fun addPart(piece: String, begin: Int, end: Int) {
        val text = piece.substring(begin, end)
        val maybeNumber = text.all { it in "0123456789-." }
        if (Tokens.isVariable(piece, begin, end) && !maybeNumber) {
            parts += Part(text, begin > 0, end < piece.length)
        }
    }
}

/** Tells whether the text holds all pieces, in order and without overlap. */
internal fun matches(text: String, pieces: List<String>): Boolean {
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
