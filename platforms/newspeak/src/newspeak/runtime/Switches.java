package newspeak.runtime;

/**
 * Optimisations of actors that can be switched off, so that their gain can be measured: with the
 * Java property `newspeak.NAME=false`. Off is the simple form that Marr and Mössenböck compare with
 * ("Optimizing Communicating Event-Loop Languages with Truffle", AGERE 2015).
 */
public final class Switches {
  /** The receiving half of an eventual send caches its lookup; off: each message is looked up. */
  public static final boolean LOOKUP_CACHE = on("lookupCache");
  /** Each eventual send has a root node of its own; off: all of one selector share a root node. */
  public static final boolean CALLING_CONTEXT = on("callingContext");
  /** An eventual send whose result is not used makes no promise; off: it makes one. */
  public static final boolean UNUSED_PROMISES = on("unusedPromises");
  /** A thread keeps the actors that it made ready; off: all threads share one queue. */
  public static final boolean LOCAL_QUEUES = on("localQueues");

  private Switches() {}

  private static boolean on(String name) {
    return Boolean.parseBoolean(System.getProperty("newspeak." + name, "true"));
  }
}
