package langbench.plain

import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.SplitMix64

/** The contract's pseudocode as methods of an object that has the array. */
private class Sort : Program {
    private var comparisons = 0L
    private var swaps = 0L
    private lateinit var input: Array<String>
    private lateinit var x: Array<String>

    override val counters
        get() = mapOf("comparisons" to comparisons, "swaps" to swaps)

    private fun sort(lo: Int, hi: Int) {
        if (hi - lo <= 1) {
            return
        }
        val middle = lo + (hi - lo) / 2
        var work = lo + hi - middle
        sortInto(lo, middle, work)
        while (work - lo > 2) {
            val end = work
            work = lo + (end - lo + 1) / 2
            sortInto(work, end, lo)
            merge(lo, lo + end - work, end, hi, work)
        }
        for (next in work downTo lo + 1) {
            var at = next
            while (at < hi && less(at, at - 1)) {
                swap(at, at - 1)
                at++
            }
        }
    }

    private fun sortInto(lo: Int, hi: Int, work: Int) {
        if (hi - lo > 1) {
            val middle = lo + (hi - lo) / 2
            sort(lo, middle)
            sort(middle, hi)
            merge(lo, middle, middle, hi, work)
        } else if (lo < hi) {
            swap(lo, work)
        }
    }

    private fun merge(aStart: Int, aEnd: Int, bStart: Int, bEnd: Int, workStart: Int) {
        var a = aStart
        var b = bStart
        var work = workStart
        while (a < aEnd && b < bEnd) {
            if (less(a, b)) {
                swap(work, a)
                a++
            } else {
                swap(work, b)
                b++
            }
            work++
        }
        while (a < aEnd) {
            swap(work, a)
            a++
            work++
        }
        while (b < bEnd) {
            swap(work, b)
            b++
            work++
        }
    }

    private fun less(p: Int, q: Int): Boolean {
        comparisons++ // tick
        return x[p] < x[q]
    }

    private fun swap(i: Int, j: Int) {
        swaps++ // tick
        val word = x[i]
        x[i] = x[j]
        x[j] = word
    }

    override fun load(options: Options) {
        val letters = options.int("letters")
        val length = options.int("length")
        val workload = options.text("workload")
        var count = 1
        for (i in 1..length) {
            count = Math.multiplyExact(count, letters)
        }
        val random = SplitMix64(options.seed())
        val words = arrayOfNulls<String>(count)
        for (p in 0 until count) {
            var number = p
            if (workload == "classic") {
                number = count - 1 - p
            } else if (workload == "duplicates") {
                number = random.bounded(minOf(64, count).toLong()).toInt()
            }
            words[p] = word(number, letters, length)
        }
        input = words.requireNoNulls()
        if (workload == "shuffled") {
            random.shuffle(input)
        }
    }

    private fun word(number: Int, letters: Int, length: Int): String {
        val text = CharArray(length)
        var rest = number
        for (i in length - 1 downTo 0) {
            text[i] = 'a' + rest % letters
            rest /= letters
        }
        return String(text)
    }

    override fun prepare() {
        x = input.copyOf()
    }

    override fun run() {
        sort(0, x.size)
    }

    override fun digest(): ULong {
        val hash = Fnv1a()
        for (word in x) {
            hash.add(word)
            hash.add('\n')
        }
        return hash.value
    }
}

fun main(arguments: Array<String>) = Harness.main("sort", "plain", Sort(), arguments)
