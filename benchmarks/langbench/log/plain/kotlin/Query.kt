package langbench.plain

internal val HADOOP =
    listOf(
        "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
        " container_1445144423722_0001_01_000007 ",
        "[fetcher#7] ",
        " attempt_*_0001_m_000003_1 is : ",
        "WARN * Slow ReadProcessor * took *77 ms; ack",
        " ip=/10.0.3.7 cmd=open ",
        "ERROR * Giving up * node-07.cluster.example:8020;",
    )
internal val SPARK =
    listOf(
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    )

/** A query, cut at its asterisks and at tokens that are not whole. */
internal class Query(text: String) {
    val pieces = text.split('*').filter { it.isNotEmpty() }
    val fragments = ArrayList<String>()
    val codes = ArrayList<Long>()
    val texts = ArrayList<String>()
    val parts = ArrayList<Part>()

    init {
        pieces.forEach { cut(it) }
    }

    private fun cut(piece: String) {
        var fragment = ""
        var at = 0
        while (at < piece.length) {
            val begin = at
            at = tokenEnd(piece, begin)
            if (at == begin) {
                fragment += piece[at]
                at++
            } else if (begin > 0 && at < piece.length) {
                fragment += whole(piece, begin, at)
            } else {
                end(fragment)
                fragment = ""
                part(piece, begin, at)
            }
        }
        end(fragment)
    }

    private fun end(fragment: String) {
        if (fragment.isNotEmpty()) {
            fragments.add(fragment)
        }
    }

    private fun whole(piece: String, begin: Int, end: Int): String {
        val token = piece.substring(begin, end)
        if (!isVariable(piece, begin, end)) {
            return token
        }
        val code = numberCode(token)
        if (code != null) {
            codes.add(code)
            return NUMBER_PLACEHOLDER.toString()
        }
        texts.add(token)
        return VARIABLE_PLACEHOLDER.toString()
    }

    private fun part(piece: String, begin: Int, end: Int) {
        val token = piece.substring(begin, end)
        val maybeNumber = token.all { isDigit(it) || it == '-' || it == '.' }
        if (!maybeNumber && isVariable(piece, begin, end)) {
            parts.add(Part(token, begin > 0, end < piece.length))
        }
    }

    fun expression(): Regex {
        val special = Regex("[\\\\^$.|?+()\\[\\]{}]")
        return Regex(pieces.joinToString("[^\\n]*") { special.replace(it) { c -> "\\" + c.value } })
    }
}
