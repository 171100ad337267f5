package concurrency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.Recorder;

/** The benchmark concurrency/select (contract.md beside this folder). */
public final class Select implements Harness.Program {
    private static final class Counts {
        private long selects;
    }

    private final Counts counts = new Counts();
    private int seed;
    private int channels;
    private long values;
    private Recorder selects;
    /** Taken by the last that begins, of the senders and the selector. */
    private long startedNs;
    private int sum;

    @Override
    public long threads(Options options) {
        return options.number("threads");
    }

    @Override
    public void load(Options options) {
        seed = (int) options.number("seed");
        channels = (int) options.number("channels");
        values = options.number("values");
        selects = options.recorder("selects");
    }

    @Override
    public void prepare() {}

    @Override
    public void run() {
        var beginning = new CyclicBarrier(channels + 1, () -> startedNs = System.nanoTime());
        var pipes = new ArrayList<Pipe>();
        try (var selector = Selector.open()) {
            var running = new ArrayList<Thread>();
            for (int c = 0; c < channels; c++) {
                var pipe = Pipe.open();
                pipes.add(pipe);
                pipe.source().configureBlocking(false);
                pipe.source().register(selector, SelectionKey.OP_READ);
                int number = c;
                var thread = Threads.daemon(() -> {
                    Threads.await(beginning);
                    send(number, pipe.sink());
                });
                thread.start();
                running.add(thread);
            }
            Threads.await(beginning);
            sum = received(selector);
            for (var thread : running) {
                thread.join();
            }
            selects.record((System.nanoTime() - startedNs) * 1000 / (channels * values));
            close(pipes);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private void send(int c, WritableByteChannel to) {
        var bytes = ByteBuffer.allocateDirect(Integer.BYTES);
        int x = seed + c;
        try {
            for (long k = 0; k < values; k++) {
                x = x * 1664525 + c;
                to.write(bytes.clear().putInt(x).flip());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private int received(Selector selector) throws IOException {
        int total = 0;
        var bytes = ByteBuffer.allocateDirect(Integer.BYTES);
        for (long left = channels * values; left > 0;) {
            selector.select();
            for (var key : selector.selectedKeys()) {
                ((Pipe.SourceChannel) key.channel()).read(bytes.clear());
                total += bytes.flip().getInt();
                counts.selects++; // tick
                left--;
            }
            selector.selectedKeys().clear();
        }
        return total;
    }

    private static void close(List<Pipe> pipes) throws IOException {
        for (var pipe : pipes) {
            pipe.sink().close();
            pipe.source().close();
        }
    }

    @Override
    public long digest() {
        var hash = new Fnv1a();
        hash.add(HexFormat.of().toHexDigits(sum));
        hash.add((byte) '\n');
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("selects", counts.selects);
    }

    public static void main(String[] arguments) {
        Harness.main("select", "standard", new Select(), arguments);
    }
}
