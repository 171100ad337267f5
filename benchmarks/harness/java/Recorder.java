package runfair;

import static java.nio.channels.FileChannel.MapMode.READ_WRITE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A distribution's samples, in the cells of an HdrHistogram: contract.md, "Distributions". */
public final class Recorder {
    private static final long GREATEST = (1L << 47) - 1;
    private static final int DIGITS = 11; // a value of no more binary digits has a cell of its own
    private static final int CELLS = 38_912;
    private static final VarHandle NUMBER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final String distribution;
    /** The mapped file: the index of the iteration, then the counts. */
    private final ByteBuffer numbers;

    private Recorder(String folder, String distribution) {
        this.distribution = distribution;
        var path = Path.of(folder, distribution + ".counts");
        try (var file = FileChannel.open(path, CREATE, READ, WRITE)) {
            numbers = file.map(READ_WRITE, 0, Long.BYTES * (1L + CELLS));
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
        record(0); // the first use links classes for milliseconds, which belong to no iteration
    }

    static Recorder of(String distribution, Options options) {
        var recorder = new Recorder(options.text("samples"), distribution);
        options.recorders.add(recorder);
        return recorder;
    }

    /** Counts a value, in whichever thread. */
    public void record(long value) {
        NUMBER.getAndAdd(numbers, place(cell(value)), 1L);
    }

    static int cell(long value) {
        long clamped = Math.max(0, Math.min(value, GREATEST));
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(clamped) - DIGITS);
        return (int) ((shift << DIGITS - 1) + (clamped >> shift));
    }

    void begin(long iteration) {
        for (int cell = 0; cell < CELLS; cell++) {
            NUMBER.set(numbers, place(cell), 0L);
        }
        NUMBER.setVolatile(numbers, 0, iteration);
    }

    /** Names and cells by turns; null if there is no recorder. */
    static Object[] samples(List<Recorder> recorders) {
        var samples = new ArrayList<Object>();
        for (var recorder : recorders) {
            samples.add(recorder.distribution);
            samples.add(recorder.cells());
        }
        return samples.isEmpty() ? null : samples.toArray();
    }

    /** Each cell that holds samples, and how many. */
    private List<Long> cells() {
        var cells = new ArrayList<Long>();
        for (int cell = 0; cell < CELLS; cell++) {
            long count = (long) NUMBER.getVolatile(numbers, place(cell));
            if (count > 0) {
                cells.add((long) cell);
                cells.add(count);
            }
        }
        return cells;
    }

    private static int place(int cell) {
        return Long.BYTES * (1 + cell);
    }
}
