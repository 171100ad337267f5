package runfair;

import java.io.*;
import java.nio.charset.StandardCharsets;

/** JSON Lines, from {@code start} on, which wait in memory until they are due. */
final class Output {
    private final StringBuilder lines = new StringBuilder();
    private long writtenNs;

    Output(String benchmark, String tier, long threads, long startedNs, java.time.Instant now) {
        Object[] effective = {
            "vm", System.getProperty("java.vm.name"),
            "jit", !System.getProperty("java.vm.info").startsWith("interpreted"),
            "assertions", Output.class.desiredAssertionStatus(),
            // With the serial and the parallel collector it lacks one survivor space of -Xmx.
            "heap_max_bytes", Runtime.getRuntime().maxMemory(), "collector", collector()};
        line("event", "start", "contract", 2, "benchmark", benchmark, "language", "java",
                "tier", tier, "runtime", System.getProperty("java.runtime.version"),
                "threads", threads, "processors", Runtime.getRuntime().availableProcessors(),
                "monotonic_ns", startedNs, "cpu_clock_resolution_ns", 1, "effective", effective,
                "realtime_ns", now.getEpochSecond() * 1_000_000_000 + now.getNano());
    }

    /**
     * The first word of its name in HotSpot's performance data (perfMemory.hpp), or null if that is
     * switched off. The management beans would cost a start some 60 ms of CPU time, Files 2 ms.
     */
    private static String collector() {
        var folder = "/tmp/hsperfdata_".concat(System.getProperty("user.name"));
        try (var file = new FileInputStream(
                new File(folder, new File("/proc/self").getCanonicalFile().getName()))) {
            var data = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
            int entry = data.indexOf("sun.gc.collector."); // Epsilon collects nothing, and has none
            var name = entry < 0 ? "Epsilon" : data.substring(data.indexOf(".name\0", entry) + 5);
            return name.trim().split(" ", 2)[0]; // of "G1 young collection pauses"
        } catch (IOException switchedOff) {
            return null;
        }
    }

    /** Adds an object of names and values by turns; a value of null ends it. */
    void line(Object... fields) { append(fields).append('\n'); }

    private StringBuilder append(Object value) {
        if (value instanceof Object[] fields) {
            for (int i = 0; i < fields.length && fields[i + 1] != null; i += 2) {
                lines.append(i == 0 ? "{\"" : ",\"").append(fields[i]).append("\":");
                append(fields[i + 1]);
            }
            return lines.append('}');
        }
        return lines.append(value instanceof String text ? UserMistake.quoted(text) : value);
    }

    /** Writes the lines, if the last time is so long ago. */
    void flush(long intervalNs) {
        if (System.nanoTime() - writtenNs >= intervalNs) {
            System.out.writeBytes(lines.toString().getBytes(StandardCharsets.UTF_8));
            System.out.flush();
            lines.setLength(0);
            writtenNs = System.nanoTime();
        }
    }
}
