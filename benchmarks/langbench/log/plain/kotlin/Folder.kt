package langbench.plain

import java.io.File
import java.io.IOException
import java.nio.file.NotDirectoryException
import runfair.UserMistake
import runfair.quoted
import runfair.unreadableInput

/** The lines of a file. */
internal fun linesOf(content: String): List<String> =
    if (content.isEmpty()) emptyList() else content.removeSuffix("\n").split('\n')

internal fun read(file: File): String =
    try {
        file.readText(Charsets.ISO_8859_1)
    } catch (fault: IOException) {
        throw unreadableInput(file.path, fault)
    }

internal fun readQueries(path: String): List<String> {
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

internal fun logFiles(folder: String): List<File> {
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
