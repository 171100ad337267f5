package langbench.log

import java.io.File
import java.io.IOException
import java.nio.file.Files
import java.nio.file.NotDirectoryException
import runfair.UserMistake
import runfair.quoted
import runfair.unreadableInput

/** The folder of logs, and the queries that are asked. */
internal object Folder {
    val QUERIES =
        mapOf(
            "hadoop" to
                listOf(
                    "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
                    " container_1445144423722_0001_01_000007 ",
                    "[fetcher#7] ",
                    " attempt_*_0001_m_000003_1 is : ",
                    "WARN * Slow ReadProcessor * took *77 ms; ack",
                    " ip=/10.0.3.7 cmd=open ",
                    "ERROR * Giving up * node-07.cluster.example:8020;",
                ),
            "spark" to
                listOf(
                    " spark.ContextCleaner: Started accumulator for stage ",
                    " rdd_42_7 ",
                    " boot = 17, ",
                    " broadcast_1*7_piece0 stored ",
                    "Finished task * in stage 12.0 (TID *). 2077 bytes",
                    " ip=/10.0.3.7 cmd=remove ",
                    "WARN util.Utils: Lost * retry 3 of 4",
                ),
        )

    /** Reads the queries of a file, one a line. */
    fun readQueries(path: String): List<String> {
        val named = "queries ${quoted(path)}"
        val lines =
            try {
                File(path).readText(Charsets.ISO_8859_1).split('\n')
            } catch (_: IOException) {
                throw UserMistake("$named cannot be read; name a file of queries, one a line")
            }
        for ((index, line) in lines.withIndex()) {
            if (line.any { it !in ' '..'~' }) {
                throw UserMistake("line ${index + 1} of $named: a query is printable ASCII")
            }
        }
        return lines
            .filter { it.isNotEmpty() }
            .ifEmpty { throw UserMistake("$named holds no queries; write one a line") }
    }

    /** The files of a folder, in the order of their names. */
    fun logFiles(folder: String): List<File> {
        val named = "input ${quoted(folder)}"
        val files =
            File(folder).listFiles { file -> file.isFile }
                ?: throw unreadableInput(folder, NotDirectoryException(folder))
        for (file in files) {
            if (file.name.any { it.code >= 128 }) {
                throw UserMistake("$named holds ${quoted(file.name)}: rename it to ASCII")
            }
        }
        return files.sorted().ifEmpty {
            throw UserMistake("$named holds no files; give a folder of logs")
        }
    }

    /** The bytes of a file, a character each. */
    fun read(file: File): String =
        try {
            Files.readString(file.toPath(), Charsets.ISO_8859_1)
        } catch (fault: IOException) {
            throw unreadableInput(file.path, fault)
        }
}
