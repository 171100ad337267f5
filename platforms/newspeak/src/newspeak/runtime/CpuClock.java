package newspeak.runtime;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The CPU time of all threads of the process, in nanoseconds: the JDK's own clock steps by 10 ms. */
public final class CpuClock {
  private static final int CLOCK_PROCESS_CPUTIME_ID = 2;
  private static final long NANOSECONDS_A_SECOND = 1_000_000_000;
  private static final MemorySegment TIME = Arena.global().allocate(ValueLayout.JAVA_LONG, 2);
  private static final MethodHandle CLOCK_GETTIME = handle();

  private CpuClock() {}

  private static MethodHandle handle() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find("clock_gettime").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  }

  public static synchronized long nanoseconds() {
    try {
      int status = (int) CLOCK_GETTIME.invokeExact(CLOCK_PROCESS_CPUTIME_ID, TIME);
      if (status != 0) {
        throw new IllegalStateException("clock_gettime failed");
      }
    } catch (RuntimeException | Error known) {
      throw known;
    } catch (Throwable unknown) {
      throw new IllegalStateException(unknown);
    }
    return TIME.getAtIndex(ValueLayout.JAVA_LONG, 0) * NANOSECONDS_A_SECOND
        + TIME.getAtIndex(ValueLayout.JAVA_LONG, 1);
  }
}
