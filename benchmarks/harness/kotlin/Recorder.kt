package runfair

import java.lang.invoke.MethodHandles
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.channels.FileChannel
import java.nio.channels.FileChannel.MapMode.READ_WRITE
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import kotlin.io.path.Path

/**
 * Counts the samples of a distribution in the cells of an HdrHistogram. The counts stand in a file
 * that is mapped, so that they outlive a process that is killed. Threads may record side by side.
 */
class Recorder(val name: String, options: Options) {
    private val words: ByteBuffer =
        FileChannel.open(Path(options.text("samples"), "$name.counts"), CREATE, READ, WRITE)
            .use { it.map(READ_WRITE, 0, (1L + CELLS) * Long.SIZE_BYTES) }
            .order(LITTLE_ENDIAN)

    init {
        record(0) // the first time takes milliseconds, which belong to no iteration
    }

    fun record(value: Long) {
        WORD.getAndAdd(words, place(cell(value)), 1L)
    }

    internal fun begin(iteration: Long) {
        words.put(place(0), EMPTY)
        words.putLong(0, iteration)
    }

    /** Each cell that holds samples, and behind it how many. */
    internal fun samples(): List<Long> = buildList {
        for (cell in 0..<CELLS) {
            val count = words.getLong(place(cell))
            if (count > 0) {
                add(cell.toLong())
                add(count)
            }
        }
    }

    private fun place(cell: Int) = (1 + cell) * Long.SIZE_BYTES
}

private const val CELLS = 38_912
private const val GREATEST = (1L shl 47) - 1
private val EMPTY = ByteArray(CELLS * Long.SIZE_BYTES)
private val WORD = MethodHandles.byteBufferViewVarHandle(LongArray::class.java, LITTLE_ENDIAN)

/** The cell of a sample, whose width is less than a thousandth of it. */
internal fun cell(value: Long): Int {
    val sample = value.coerceIn(0, GREATEST)
    val shift = maxOf(0, Long.SIZE_BITS - sample.countLeadingZeroBits() - 11)
    return shift * 1024 + (sample shr shift).toInt()
}
