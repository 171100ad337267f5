package langbench.keyvalue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The distance between two objects, from what stands in the places of references to them in an
 * array. HotSpot without ZGC; a reference of 32 bits is scaled as the virtual machine says.
 */
final class Addresses {
    private static final Pattern COMPRESSED = Pattern.compile(
            "Compressed Oops mode: [^\\n]*?(?:Oop shift amount: (\\d+))?$", Pattern.MULTILINE);

    private final MethodHandle getLong;
    private final long first;
    private final boolean compressed;
    private final int shift;

    private Addresses(MethodHandle getLong, long first, boolean compressed, int shift) {
        this.getLong = getLong;
        this.first = first;
        this.compressed = compressed;
        this.shift = shift;
    }

    /** None where references hold something else than addresses. */
    static Optional<Addresses> told() {
        try {
            var told = virtualMachine();
            if (told.contains(", z gc,")) {
                return Optional.empty();
            }
            // By reflection: the compiler warns of the class's very name.
            var type = Class.forName("sun.misc.Unsafe");
            var field = type.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            var unsafe = field.get(null);
            int first = (int) type.getMethod("arrayBaseOffset", Class.class)
                    .invoke(unsafe, Object[].class);
            int scale = (int) type.getMethod("arrayIndexScale", Class.class)
                    .invoke(unsafe, Object[].class);
            var getLong = MethodHandles.lookup().findVirtual(type, "getLong",
                    MethodType.methodType(long.class, Object.class, long.class)).bindTo(unsafe);
            var mode = COMPRESSED.matcher(told);
            boolean shifted = scale == Integer.BYTES && mode.find() && mode.group(1) != null;
            int shift = shifted ? Integer.parseInt(mode.group(1)) : 0;
            return Optional.of(new Addresses(getLong, first, scale == Integer.BYTES, shift));
        } catch (ReflectiveOperationException | JMException another) {
            return Optional.empty();
        }
    }

    private static String virtualMachine() throws JMException {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "vmInfo", new Object[] {}, new String[] {});
    }

    long distance(Object one, Object other) {
        var pair = new Object[] {one, other};
        if (compressed) {
            // Both at once, so that the collector cannot move them in between.
            long both = at(pair, first);
            return Math.abs((both >>> 32) - (both & 0xffff_ffffL)) << shift;
        }
        return Math.abs(at(pair, first) - at(pair, first + Long.BYTES));
    }

    private long at(Object[] pair, long offset) {
        try {
            return (long) getLong.invoke((Object) pair, offset);
        } catch (RuntimeException | Error unchecked) {
            throw unchecked;
        } catch (Throwable checked) {
            throw new IllegalStateException(checked);
        }
    }
}
