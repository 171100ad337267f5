package langbench.log

/**
 * A file, encoded: the types of its lines, and the values of all their variables. [ended]: a line
 * feed ends the last line.
 */
internal class Messages(val ended: Boolean) {
    var types = IntArray(64)
        private set

    /** How many types there are. */
    var size = 0
        private set

    var values = LongArray(256)
        private set

    private var valuesSize = 0

    fun addType(type: Int) {
        if (size == types.size) {
            types = types.copyOf(2 * size)
        }
        types[size++] = type
    }

    fun addValue(value: Long) {
        if (valuesSize == values.size) {
            values = values.copyOf(2 * valuesSize)
        }
        values[valuesSize++] = value
    }
}
