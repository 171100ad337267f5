package runfair

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.Files
import java.util.StringTokenizer

/** Both versions, as in "Kotlin 2.4.21 on 25.0.3+9-LTS". */
internal fun runtime(): String = buildString {
    append("Kotlin ").append(KotlinVersion.CURRENT)
    append(" on ").append(System.getProperty("java.runtime.version"))
}

/** What is really in force: the version of Kotlin's library, and what the virtual machine says. */
internal fun effective(): Array<Pair<String, Any>> =
    arrayOf(
        "kotlin" to KotlinVersion.CURRENT.toString(),
        "vm" to System.getProperty("java.vm.name"),
        "jit" to (StringTokenizer(System.getProperty("java.vm.info")).nextToken() != "interpreted"),
        "collector" to collector(),
        // With the serial and the parallel collector it lacks one survivor space of -Xmx.
        "heap_max_bytes" to Runtime.getRuntime().maxMemory(),
    )

/**
 * The collector as its -XX flag names it, from HotSpot's performance data (perfMemory.hpp): an
 * entry's name, zero bytes, its text. If it has none, the management beans tell, which cost 60 ms.
 */
private fun collector(): String {
    val folder = StringBuilder("/tmp/hsperfdata_").append(System.getProperty("user.name"))
    val file = File(folder.toString(), File("/proc/self").canonicalFile.name)
    val data = StringBuilder()
    if (file.exists()) data.append(Files.readString(file.toPath(), Charsets.ISO_8859_1))
    val entry = data.indexOf("sun.gc.collector.")
    val name =
        if (entry < 0) ManagementFactory.getGarbageCollectorMXBeans()[0].name
        else data.substring(data.indexOf(".name\u0000", entry) + 5)
    return when (val word = StringTokenizer(name, " \u0000").nextToken().lowercase()) {
        "copy" -> "serial"
        "ps" -> "parallel"
        "zgc" -> "z"
        else -> word // of "G1 young collection pauses" and such like
    }
}
