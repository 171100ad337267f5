package runfair;

/** The 64-bit FNV-1a hash of an answer (draft-eastlake-fnv). */
public final class Fnv1a {
    private long hash = 0xcbf29ce484222325L;

    public long value() { return hash; }
    public void add(byte b) { hash = (hash ^ (b & 0xff)) * 0x100000001b3L; }

    /** Adds a text of which a character is a byte. It leaves no garbage for the next iteration. */
    public void add(String text) {
        for (int i = 0; i < text.length(); i++) {
            add((byte) text.charAt(i));
        }
    }
}
