package runfair

/** The generator of Steele, Lea and Flood (OOPSLA 2014). */
class SplitMix64(private var state: ULong) {
    fun next(): ULong {
        state += 0x9e3779b97f4a7c15u
        var z = state
        z = (z xor (z shr 30)) * 0xbf58476d1ce4e5b9u
        z = (z xor (z shr 27)) * 0x94d049bb133111ebu
        return z xor (z shr 31)
    }

    /** A number below [n], 1 ≤ n < 2³². */
    fun bounded(n: Long): Long = (next() shr 32).toLong() % n

    fun <T> shuffle(items: Array<T>) {
        for (i in items.size - 1 downTo 1) {
            val j = bounded(i + 1L).toInt()
            items[i] = items[j].also { items[j] = items[i] }
        }
    }
}

/** The 64-bit FNV-1a hash of an answer, of which a character is a byte (draft-eastlake-fnv). */
class Fnv1a {
    var value: ULong = 0xcbf29ce484222325u
        private set

    fun add(char: Char) {
        value = (value xor char.code.toULong()) * 0x100000001b3u
    }

    fun add(text: String) = text.forEach { add(it) }
}
