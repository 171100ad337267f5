package langbench

import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.SplitMix64

private var comparisons = 0L
private var swaps = 0L

/** Sorts x[lo, hi) in place (Katajainen, Pasanen and Teuhola, 1996). */
private fun sort(x: Array<String>, lo: Int, hi: Int) {
    if (hi - lo > 1) {
        val middle = lo + (hi - lo) / 2
        var work = lo + hi - middle
        sortInto(x, lo, middle, work)
        while (work - lo > 2) {
            val end = work
            work = lo + (end - lo + 1) / 2
            sortInto(x, work, end, lo)
            merge(x, lo, lo + end - work, end, hi, work)
        }
        for (next in work downTo lo + 1) {
            var at = next
            while (at < hi && less(x[at], x[at - 1])) {
                swap(x, at, at - 1)
                at++
            }
        }
    }
}

/** Sorts x[lo, hi) into x[work, work + hi - lo). */
private fun sortInto(x: Array<String>, lo: Int, hi: Int, work: Int) {
    if (hi - lo > 1) {
        val middle = lo + (hi - lo) / 2
        sort(x, lo, middle)
        sort(x, middle, hi)
        merge(x, lo, middle, middle, hi, work)
    } else if (lo < hi) {
        swap(x, lo, work)
    }
}

/** Merges the sorted x[aBegin, aEnd) and x[bBegin, bEnd) by swapping into x[work …]. */
private fun merge(x: Array<String>, aBegin: Int, aEnd: Int, bBegin: Int, bEnd: Int, work: Int) {
    var a = aBegin
    var b = bBegin
    var to = work
    while (a < aEnd && b < bEnd) {
        if (less(x[a], x[b])) {
            swap(x, to++, a++)
        } else {
            swap(x, to++, b++)
        }
    }
    while (a < aEnd) {
        swap(x, to++, a++)
    }
    while (b < bEnd) {
        swap(x, to++, b++)
    }
}

private fun less(p: String, q: String): Boolean {
    comparisons++ // tick
    return p < q
}

private fun swap(x: Array<String>, i: Int, j: Int) {
    swaps++ // tick
    x[i] = x[j].also { x[j] = x[i] }
}

/** Writes the number in base [letters], most significant digit first. */
private fun word(number: Int, letters: Int, length: Int): String {
    val text = CharArray(length)
    var rest = number
    for (i in text.indices.reversed()) {
        text[i] = 'a' + rest % letters
        rest /= letters
    }
    return String(text)
}

/** The benchmark langbench/sort (contract.md beside this folder). */
private class Sort : Program {
    private lateinit var input: Array<String>
    private lateinit var words: Array<String>

    override val counters
        get() = mapOf("comparisons" to comparisons, "swaps" to swaps)

    /** Makes the array of strings, each a string of its own. */
    override fun load(options: Options) {
        val letters = options.int("letters")
        val length = options.int("length")
        var n = 1
        repeat(length) { n = Math.multiplyExact(n, letters) }
        val random = SplitMix64(options.seed())
        val workload = options.text("workload")
        input =
            Array(n) { i ->
                val number =
                    when (workload) {
                        "classic" -> n - 1 - i
                        "duplicates" -> random.bounded(minOf(64L, n.toLong())).toInt()
                        else -> i
                    }
                word(number, letters, length)
            }
        if (workload == "shuffled") {
            random.shuffle(input)
        }
    }

    /** Copies the array, not the strings. */
    override fun prepare() {
        words = input.copyOf()
    }

    /** Sorts the array. */
    override fun run() {
        sort(words, 0, words.size)
    }

    /** Hashes the sorted words, a line each. */
    override fun digest(): ULong {
        val hash = Fnv1a()
        for (word in words) {
            hash.add(word)
            hash.add('\n')
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("sort", "standard", Sort(), arguments)
