package runfair;

import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * User and system time of all threads and of reaped children, from /proc/self/stat.
 *
 * <p>OperatingSystemMXBean.getProcessCpuTime asks times(2), which tells the same ticks (seen on
 * OpenJDK 17 and 25), but loading the management beans costs a start of the JVM some 60 ms of CPU
 * time, more than all the rest. The nanoseconds of /proc/self/task/&#42;/schedstat forget the
 * threads that have ended, so they are no alternative.
 */
final class CpuClock {
    /** A tick, USER_HZ of time(7): user and system time are each rounded down to it. */
    static final long RESOLUTION_NS = 10_000_000;

    /** From state, field 3 of proc_pid_stat(5), to utime, 14; stime, cutime, cstime follow. */
    private static final int FIELDS_BEFORE_UTIME = 11;

    private final RandomAccessFile stat = new RandomAccessFile("/proc/self/stat", "r");
    private final byte[] line = new byte[1024];

    CpuClock() throws IOException {}

    long nowNs() throws IOException {
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
        return ticks * RESOLUTION_NS;
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
