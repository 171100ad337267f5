package langbench.plain

/** A token of the query that is not whole, but surely part of a variable. */
internal class Part(val text: String, val begins: Boolean, val ends: Boolean) {
    fun isPartOf(variable: String) =
        when {
            begins -> variable.startsWith(text)
            ends -> variable.endsWith(text)
            else -> text in variable
        }
}
