package langbench.log;

/** A dictionary that all workers fill together. */
final class SharedDictionary extends Dictionary {
    SharedDictionary(Counts.Entries entries) {
        super(entries);
    }

    @Override
    synchronized int id(String text) {
        return super.id(text);
    }
}
