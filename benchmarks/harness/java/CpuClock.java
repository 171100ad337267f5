package runfair;

import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * User and system time of all threads and of reaped children.
 *
 * <p>The JDK tells it only in ticks of 10 ms: OperatingSystemMXBean.getProcessCpuTime asks times(2)
 * (seen on OpenJDK 17 and 25), and loading the management beans costs a start of the JVM some 60 ms
 * of CPU time, more than all the rest. The nanoseconds of /proc/self/task/&#42;/schedstat forget
 * the threads that have ended. So a small native library (cpu_clock.cpp) reads the kernel's clock
 * where the property runfair.cpuClock names it; without it /proc/self/stat gives the ticks.
 */
final class CpuClock {
    /** USER_HZ of time(7): user and system time are each rounded down to a tick. */
    private static final long TICK_NS = 10_000_000;

    private static final String LIBRARY = System.getProperty("runfair.cpuClock");

    /** From state, field 3 of proc_pid_stat(5), to utime, 14; stime, cutime, cstime follow. */
    private static final int FIELDS_BEFORE_UTIME = 11;

    private final RandomAccessFile stat = new RandomAccessFile("/proc/self/stat", "r");
    private final byte[] line = new byte[1024];

    CpuClock() throws IOException {
        if (LIBRARY != null) {
            System.load(LIBRARY);
        }
    }

    long resolutionNs() {
        return LIBRARY != null ? 1 : TICK_NS;
    }

    long nowNs() throws IOException {
        return LIBRARY != null ? processCpuNs() : ticksNs();
    }

    private static native long processCpuNs();

    private long ticksNs() throws IOException {
        int at = read();
        // The command's name, in parentheses, may itself hold spaces and parentheses.
        while (line[at - 1] != ')') {
            at--;
        }
        at++;
        for (int skipped = 0; skipped < FIELDS_BEFORE_UTIME; at++) {
            if (line[at] == ' ') {
                skipped++;
            }
        }
        long ticks = 0;
        for (int field = 0; field < 4; field++, at++) {
            long value = 0;
            for (; line[at] != ' '; at++) {
                value = 10 * value + line[at] - '0';
            }
            ticks += value;
        }
        return ticks * TICK_NS;
    }

    long processId() throws IOException {
        read();
        long id = 0;
        for (int at = 0; line[at] != ' '; at++) {
            id = 10 * id + line[at] - '0';
        }
        return id;
    }

    private int read() throws IOException {
        stat.seek(0);
        return stat.read(line);
    }
}
