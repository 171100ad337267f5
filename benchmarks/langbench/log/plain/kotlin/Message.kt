package langbench.plain

internal class Message(val type: Int, val values: List<Long>)
