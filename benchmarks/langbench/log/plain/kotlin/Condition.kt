package langbench.plain

/** One of a message's variables is of this kind and has one of these values. */
internal class Condition(val kind: Char, val values: Set<Long>) {
    fun holds(type: String, message: Message): Boolean {
        var slot = 0
        for (c in type) {
            if (isPlaceholder(c)) {
                if (c == kind && message.values[slot] in values) {
                    return true
                }
                slot++
            }
        }
        return false
    }
}
