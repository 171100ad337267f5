package langbench.log

/** A dictionary that all workers fill together. */
internal class SharedDictionary(entries: Counts.Entries) : Dictionary(entries) {
    @Synchronized override fun id(text: String): Int = super.id(text)
}
