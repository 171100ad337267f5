package langbench.plain

import java.io.File
import java.io.IOException
import java.nio.file.NotDirectoryException
import runfair.Fnv1a
import runfair.Harness
import runfair.Options
import runfair.Program
import runfair.UserMistake
import runfair.quoted
import runfair.unreadableInput

private const val VARIABLE_PLACEHOLDER = '\u0011'
private const val NUMBER_PLACEHOLDER = '\u0012'
private const val MOST_DIGITS = 13

private val HADOOP =
    listOf(
        "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
        " container_1445144423722_0001_01_000007 ",
        "[fetcher#7] ",
        " attempt_*_0001_m_000003_1 is : ",
        "WARN * Slow ReadProcessor * took *77 ms; ack",
        " ip=/10.0.3.7 cmd=open ",
        "ERROR * Giving up * node-07.cluster.example:8020;",
    )
private val SPARK =
    listOf(
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    )

private fun isDigit(c: Char) = c in '0'..'9'

private fun isLetter(c: Char) = c in 'a'..'z' || c in 'A'..'Z'

private fun isPlaceholder(c: Char) = c == VARIABLE_PLACEHOLDER || c == NUMBER_PLACEHOLDER

private fun isTokenByte(c: Char) =
    isDigit(c) || isLetter(c) || isPlaceholder(c) || c in "+-./_\\" || c.code >= 128

private fun tokenEnd(text: String, begin: Int): Int {
    var end = begin
    while (end < text.length && isTokenByte(text[end])) {
        end++
    }
    return end
}

private fun isVariable(text: String, begin: Int, end: Int): Boolean {
    var letter = false
    for (at in begin until end) {
        if (isDigit(text[at]) || isPlaceholder(text[at])) {
            return true
        }
        letter = letter || isLetter(text[at])
    }
    return letter && begin > 0 && text[begin - 1] == '='
}

/** The code of a number; null if it is none. */
private fun numberCode(token: String): Long? {
    val negative = token.startsWith('-')
    var value = 0L
    var digits = 0
    var scale = 0
    var point = false
    for (c in if (negative) token.substring(1) else token) {
        if (isDigit(c)) {
            digits++
            if (digits > MOST_DIGITS) {
                return null
            }
            value = 10 * value + (c - '0')
            if (point) {
                scale++
            }
        } else if (c == '.' && digits > 0 && !point) {
            point = true
        } else {
            return null
        }
    }
    if (digits == 0 || point && scale == 0) {
        return null
    }
    return (value * 16 + digits) * 32 + scale * 2 + (if (negative) 1 else 0)
}

private fun numberText(code: Long): String {
    val digits = (code / 32 % 16).toInt()
    val scale = (code / 2 % 16).toInt()
    var text = (code / 512).toString().padStart(digits, '0')
    if (scale > 0) {
        text = text.substring(0, digits - scale) + "." + text.substring(digits - scale)
    }
    return if (code % 2 == 1L) "-$text" else text
}

private fun matches(text: String, pieces: List<String>): Boolean {
    var from = 0
    for (piece in pieces) {
        val at = text.indexOf(piece, from)
        if (at < 0) {
            return false
        }
        from = at + piece.length
    }
    return true
}

private fun linesOf(content: String): List<String> =
    if (content.isEmpty()) emptyList() else content.removeSuffix("\n").split('\n')

private class Message(val type: Int, val values: List<Long>)

/** A token of the query that is not whole, but surely part of a variable. */
private class Part(val text: String, val begins: Boolean, val ends: Boolean) {
    fun isPartOf(variable: String) =
        when {
            begins -> variable.startsWith(text)
            ends -> variable.endsWith(text)
            else -> text in variable
        }
}

private class Query(text: String) {
    val pieces = text.split('*').filter { it.isNotEmpty() }
    val fragments = ArrayList<String>()
    val codes = ArrayList<Long>()
    val texts = ArrayList<String>()
    val parts = ArrayList<Part>()

    init {
        pieces.forEach { cut(it) }
    }

    private fun cut(piece: String) {
        var fragment = ""
        var at = 0
        while (at < piece.length) {
            val begin = at
            at = tokenEnd(piece, begin)
            if (at == begin) {
                fragment += piece[at]
                at++
            } else if (begin > 0 && at < piece.length) {
                fragment += whole(piece, begin, at)
            } else {
                end(fragment)
                fragment = ""
                part(piece, begin, at)
            }
        }
        end(fragment)
    }

    private fun end(fragment: String) {
        if (fragment.isNotEmpty()) {
            fragments.add(fragment)
        }
    }

    private fun whole(piece: String, begin: Int, end: Int): String {
        val token = piece.substring(begin, end)
        if (!isVariable(piece, begin, end)) {
            return token
        }
        val code = numberCode(token)
        if (code != null) {
            codes.add(code)
            return NUMBER_PLACEHOLDER.toString()
        }
        texts.add(token)
        return VARIABLE_PLACEHOLDER.toString()
    }

    private fun part(piece: String, begin: Int, end: Int) {
        val token = piece.substring(begin, end)
        val maybeNumber = token.all { isDigit(it) || it == '-' || it == '.' }
        if (!maybeNumber && isVariable(piece, begin, end)) {
            parts.add(Part(token, begin > 0, end < piece.length))
        }
    }

    fun expression(): Regex {
        val special = Regex("[\\\\^$.|?+()\\[\\]{}]")
        return Regex(pieces.joinToString("[^\\n]*") { special.replace(it) { c -> "\\" + c.value } })
    }
}

/** One of a message's variables is of this kind and has one of these values. */
private class Condition(val kind: Char, val values: Set<Long>) {
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

/** The contract's pseudocode over strings, lists and hash maps. */
private class Log : Program {
    private var lines = 0L
    private var tokens = 0L
    private var numbers = 0L
    private var references = 0L
    private var logTypes = 0L
    private var variables = 0L
    private var scanned = 0L
    private var candidates = 0L
    private var matches = 0L

    private var isIndexed = false
    private lateinit var queries: List<Query>
    private lateinit var files: List<File>
    private lateinit var archive: Archive
    private lateinit var found: ArrayList<List<String>>

    override val counters
        get() =
            mapOf(
                "lines" to lines,
                "tokens" to tokens,
                "numbers" to numbers,
                "references" to references,
                "log_types" to logTypes,
                "variables" to variables,
                "scanned" to scanned,
                "candidates" to candidates,
                "matches" to matches,
            )

    private inner class Archive {
        val types = ArrayList<String>()
        val typeIds = HashMap<String, Int>()
        val texts = ArrayList<String>()
        val variableIds = HashMap<String, Long>()
        val files = ArrayList<List<Message>>()

        private fun typeId(text: String): Int {
            val known = typeIds[text]
            if (known != null) {
                return known
            }
            logTypes++ // tick
            typeIds[text] = types.size
            types.add(text)
            return types.size - 1
        }

        private fun variableId(text: String): Long {
            val known = variableIds[text]
            if (known != null) {
                return known
            }
            variables++ // tick
            variableIds[text] = texts.size.toLong()
            texts.add(text)
            return texts.size - 1L
        }

        fun parse(content: String) {
            val messages = ArrayList<Message>()
            for (line in linesOf(content)) {
                lines++ // tick
                messages.add(encode(line))
            }
            files.add(messages)
        }

        private fun encode(line: String): Message {
            val values = ArrayList<Long>()
            val type = StringBuilder()
            var at = 0
            while (at < line.length) {
                val begin = at
                at = tokenEnd(line, begin)
                if (at == begin) {
                    type.append(line[at])
                    at++
                    continue
                }
                tokens++ // tick
                val token = line.substring(begin, at)
                if (!isVariable(line, begin, at)) {
                    type.append(token)
                    continue
                }
                val code = numberCode(token)
                if (code != null) {
                    numbers++ // tick
                    values.add(code)
                    type.append(NUMBER_PLACEHOLDER)
                } else {
                    references++ // tick
                    values.add(variableId(token))
                    type.append(VARIABLE_PLACEHOLDER)
                }
            }
            return Message(typeId(type.toString()), values)
        }

        fun decode(message: Message): String {
            val line = StringBuilder()
            var slot = 0
            for (c in types[message.type]) {
                when (c) {
                    NUMBER_PLACEHOLDER -> line.append(numberText(message.values[slot++]))
                    VARIABLE_PLACEHOLDER -> line.append(texts[message.values[slot++].toInt()])
                    else -> line.append(c)
                }
            }
            return line.toString()
        }
    }

    private inner class Plan(val query: Query) {
        val wanted = ArrayList<Boolean>()
        val conditions = ArrayList<Condition>()

        init {
            for (type in archive.types) {
                scanned++ // tick
                wanted.add(matches(type, query.fragments))
            }
            for (code in query.codes) {
                conditions.add(Condition(NUMBER_PLACEHOLDER, setOf(code)))
            }
            for (text in query.texts) {
                val known = archive.variableIds[text]
                conditions.add(Condition(VARIABLE_PLACEHOLDER, setOfNotNull(known)))
            }
            for (part in query.parts) {
                val ids = HashSet<Long>()
                for ((id, text) in archive.texts.withIndex()) {
                    scanned++ // tick
                    if (part.isPartOf(text)) {
                        ids.add(id.toLong())
                    }
                }
                conditions.add(Condition(VARIABLE_PLACEHOLDER, ids))
            }
        }

        fun search(messages: List<Message>, results: MutableList<String>) {
            for (message in messages) {
                val type = archive.types[message.type]
                if (!wanted[message.type] || !conditions.all { it.holds(type, message) }) {
                    continue
                }
                candidates++ // tick
                val line = archive.decode(message)
                if (matches(line, query.pieces)) {
                    matches++ // tick
                    results.add(line)
                }
            }
        }
    }

    private fun indexed() {
        for (file in files) {
            archive.parse(read(file))
        }
        for (plan in queries.map { Plan(it) }) {
            val results = ArrayList<String>()
            for (messages in archive.files) {
                plan.search(messages, results)
            }
            found.add(results)
        }
    }

    private fun regex() {
        for (expression in queries.map { it.expression() }) {
            val results = ArrayList<String>()
            for (file in files) {
                for (line in linesOf(read(file))) {
                    lines++ // tick
                    if (expression.containsMatchIn(line)) {
                        matches++ // tick
                        results.add(line)
                    }
                }
            }
            found.add(results)
        }
    }

    override fun load(options: Options) {
        isIndexed = options.text("form") == "indexed"
        val own = options.text("queries")
        val texts = if (options.text("workload") == "hadoop") HADOOP else SPARK
        queries = (if (own.isEmpty()) texts else readQueries(own)).map { Query(it) }
        files = logFiles(options.text("input"))
    }

    override fun prepare() {
        archive = Archive()
        found = ArrayList()
    }

    override fun run() {
        if (isIndexed) {
            indexed()
        } else {
            regex()
        }
    }

    override fun digest(): ULong {
        val hash = Fnv1a()
        for (results in found) {
            hash.add("${results.size}\n")
            for (line in results) {
                hash.add(line)
                hash.add('\n')
            }
        }
        return hash.value
    }
}

private fun read(file: File): String =
    try {
        file.readText(Charsets.ISO_8859_1)
    } catch (fault: IOException) {
        throw unreadableInput(file.path, fault)
    }

private fun readQueries(path: String): List<String> {
    val named = "queries ${quoted(path)}"
    val lines =
        try {
            linesOf(File(path).readText(Charsets.ISO_8859_1))
        } catch (_: IOException) {
            throw UserMistake("$named cannot be read; name a file of queries, one a line")
        }
    for ((index, line) in lines.withIndex()) {
        if (line.any { it !in ' '..'~' }) {
            throw UserMistake("line ${index + 1} of $named: a query is printable ASCII")
        }
    }
    val queries = lines.filter { it.isNotEmpty() }
    if (queries.isEmpty()) {
        throw UserMistake("$named holds no queries; write one a line")
    }
    return queries
}

private fun logFiles(folder: String): List<File> {
    val named = "input ${quoted(folder)}"
    val entries = File(folder).listFiles()
    if (entries == null) {
        throw unreadableInput(folder, NotDirectoryException(folder))
    }
    val files = entries.filter { it.isFile }.sorted()
    for (file in files) {
        if (file.name.any { it.code >= 128 }) {
            throw UserMistake("$named holds ${quoted(file.name)}: rename it to ASCII")
        }
    }
    if (files.isEmpty()) {
        throw UserMistake("$named holds no files; give a folder of logs")
    }
    return files
}

fun main(arguments: Array<String>) = Harness.main("log", "plain", Log(), arguments)
