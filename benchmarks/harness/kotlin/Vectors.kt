package runfair

/** Answers the questions of benchmarks/harness/vectors.txt. A character is a byte. */
fun main() {
    System.`in`.bufferedReader(Charsets.ISO_8859_1).forEachLine { line ->
        val question = line.substringBefore(" =")
        val answered = (listOf(question, "=") + answer(question)).joinToString(" ", postfix = "\n")
        System.out.write(answered.toByteArray(Charsets.ISO_8859_1))
    }
    System.out.flush()
}

private fun answer(question: String): List<Any> {
    val words = question.split(' ')
    val random = SplitMix64(words.getOrNull(1)?.toULongOrNull() ?: 0u)
    return when (words[0]) {
        "fnv1a" -> listOf(Fnv1a().apply { add(question.drop(6)) }.value.toHexString())
        "cell" -> words.drop(1).map { cell(it.toLong()) }
        "bounded" -> words.drop(2).map { random.bounded(it.toLong()) }
        "shuffle" -> Array(words[2].toInt()) { it }.also(random::shuffle).asList()
        else -> List(words[2].toInt()) { random.next().toHexString() }
    }
}
