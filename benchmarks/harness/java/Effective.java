package runfair;

import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.*;

/** What is really in force in this virtual machine. */
final class Effective {
    static Object[] fields() throws IOException {
        var info = System.getProperty("java.vm.info"); // "mixed mode, sharing"
        var execution = info.substring(0, info.indexOf(" mode"));
        // With the serial and the parallel collector maxMemory lacks one survivor space of -Xmx.
        return new Object[] {
            "vm", System.getProperty("java.vm.name"), "vm_info", info, "execution", execution,
            "jit", !execution.equals("interpreted"), "collector", collector(),
            "heap_max_bytes", Runtime.getRuntime().maxMemory(),
            "assertions", Effective.class.desiredAssertionStatus()};
    }

    /**
     * The collector as its -XX flag names it, from HotSpot's performance data (perfMemory.hpp): an
     * entry's name, zero bytes, its text. The management beans cost a start some 60 ms of CPU time,
     * and are asked only if that file is switched off (-XX:-UsePerfData).
     */
    private static String collector() throws IOException {
        var process = new File("/proc/self").getCanonicalFile().getName();
        var folder = new File("/tmp/hsperfdata_".concat(System.getProperty("user.name")));
        String name;
        try (var file = new FileInputStream(new File(folder, process))) {
            var data = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
            int entry = data.indexOf("sun.gc.collector."); // Epsilon collects nothing, and has none
            name = entry < 0 ? "Epsilon" : data.substring(data.indexOf(".name\0", entry) + 5);
        } catch (FileNotFoundException switchedOff) {
            name = ManagementFactory.getGarbageCollectorMXBeans().get(0).getName();
        }
        var word = new StringTokenizer(name, " \0").nextToken().toLowerCase(Locale.ROOT);
        return switch (word) { // of "G1 young collection pauses" and such like
            case "copy" -> "serial";
            case "ps" -> "parallel";
            case "zgc" -> "z";
            default -> word;
        };
    }
}
