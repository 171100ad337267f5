package runfair

import java.io.FileInputStream
import java.io.IOException

/** The command line, NAME=VALUE each, which the lab has checked. */
class Options(private val benchmark: String, arguments: Array<String>) : HashMap<String, String>() {
    init {
        for (argument in arguments) {
            val sign = StringBuilder(argument).indexOf("=")
            this[argument.substring(0, sign)] = argument.substring(sign + 1)
        }
    }

    fun text(name: String): String = this[name] ?: throw UserMistake(missing(name))

    fun int(name: String): Int = text(name).toInt()

    fun seed(): ULong = java.lang.Long.parseUnsignedLong(text("seed")).toULong()

    /** The content of the input, a character a byte. */
    fun readInput(): String {
        val path = text("input")
        try {
            return FileInputStream(path).use { String(it.readAllBytes(), Charsets.ISO_8859_1) }
        } catch (fault: IOException) {
            throw unreadableInput(path, fault)
        }
    }

    private fun missing(name: String) =
        "option $name=VALUE is missing; ./runfair exec $benchmark --print shows a whole command"
}

/** What the user did wrong; the message, of one line, says what to do. */
class UserMistake(message: String) : RuntimeException(message)

/** Names the fault's class: its own text may hold the path, be it of several lines. */
fun unreadableInput(path: String, fault: IOException) =
    UserMistake("input ${quoted(path)} cannot be read: ${fault.javaClass.simpleName}")
