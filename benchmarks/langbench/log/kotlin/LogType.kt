package langbench.log

/** A line without its variables. */
internal class LogType(val text: String) {
    /** Its placeholders. */
    val kinds: String = text.filter(Tokens::isPlaceholder)
}
