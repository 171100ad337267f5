package langbench.log

/** Texts with ids from 0 on, in the order of their first appearance. */
internal open class Dictionary(private val entries: Counts.Entries) {
    private val ids = HashMap<String, Int>()
    val texts = ArrayList<String>()

    /** The id of the text, which is entered if it is new. */
    open fun id(text: String): Int {
        val next = texts.size
        val known = ids.putIfAbsent(text, next)
        if (known != null) {
            return known
        }
        entries.made++ // tick
        texts += text
        return next
    }

    fun find(text: String): Int? = ids[text]

    /** Enters another's texts in their order, and tells their ids. */
    fun enter(other: Dictionary) = IntArray(other.texts.size) { id(other.texts[it]) }
}
