package langbench.log

/** A matching line, and the number of its file. */
internal class Match(val file: Int, val line: String)
