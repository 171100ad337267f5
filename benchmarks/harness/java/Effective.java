package runfair;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What is really in force in this virtual machine. */
final class Effective {

    private Effective() {}

    /** Says it into the object that {@code out} has begun. */
    static void tell(Output out, long processId) throws IOException {
        var info = System.getProperty("java.vm.info"); // "mixed mode, sharing"
        int mode = info.indexOf(" mode");
        var execution = mode < 0 ? info : info.substring(0, mode);
        out.text("vm", System.getProperty("java.vm.name"))
                .text("vm_info", info)
                .text("execution", execution)
                .bool("jit", !execution.equals("interpreted"))
                .text("collector", collector(processId))
                // With the serial and the parallel collector it lacks one survivor space of -Xmx.
                .number("heap_max_bytes", Runtime.getRuntime().maxMemory())
                .bool("assertions", Effective.class.desiredAssertionStatus());
    }

    /**
     * The collector's name as in its -XX flag: g1, serial, parallel, z, shenandoah, epsilon. Read
     * from the virtual machine's own performance data, a file which it maps into memory: asking the
     * management beans costs a start some 60 ms of CPU time, so they are asked only where that file
     * is switched off (-XX:-UsePerfData).
     */
    private static String collector(long processId) throws IOException {
        var path = new StringBuilder("/tmp/hsperfdata_")
                .append(System.getProperty("user.name")).append('/').append(processId).toString();
        byte[] data;
        try (var file = new FileInputStream(path)) {
            data = file.readAllBytes();
        } catch (FileNotFoundException switchedOff) {
            return canonical(ManagementFactory.getGarbageCollectorMXBeans().get(0).getName());
        }
        return collector(ByteBuffer.wrap(data));
    }

    /**
     * The layout is that of HotSpot's perfMemory.hpp, version 2.0: the prologue tells where the
     * entries begin and how many there are; each tells its own length, where its name stands and
     * where its data.
     */
    private static String collector(ByteBuffer data) {
        data.order(data.get(4) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int entry = data.getInt(24);
        for (int left = data.getInt(28); left > 0; left--) {
            var name = text(data, entry + data.getInt(entry + 4));
            if (name.startsWith("sun.gc.collector.") && name.endsWith(".name")) {
                return canonical(text(data, entry + data.getInt(entry + 16)));
            }
            entry += data.getInt(entry);
        }
        return "epsilon"; // the only one that collects nothing, and has no such entry
    }

    private static String text(ByteBuffer data, int start) {
        int end = start;
        while (data.get(end) != 0) {
            end++;
        }
        return new String(data.array(), start, end - start, StandardCharsets.ISO_8859_1);
    }

    /** From "G1 young collection pauses" and such like to the flag's word. */
    private static String canonical(String name) {
        int space = name.indexOf(' ');
        var word = (space < 0 ? name : name.substring(0, space)).toLowerCase(Locale.ROOT);
        return switch (word) {
            case "copy" -> "serial";
            case "ps" -> "parallel";
            case "zgc" -> "z";
            default -> word;
        };
    }
}
