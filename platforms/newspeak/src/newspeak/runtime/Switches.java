package newspeak.runtime;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Optimisations of actors and values that can be switched off, so that their gain can be measured: with the
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

  /** What actors pass to each other goes through nodes that specialise; off: a function. */
  public static final boolean ARGUMENT_WRAPPING = on("argumentWrapping");
  /** Each slot of a new value has a node that checks it; off: a function checks all slots. */
  public static final boolean VALUE_CHECKS = on("valueChecks");

  private static final Pattern NEXT_WORD = Pattern.compile("_(.)");

  private Switches() {}

  /** The property of an optimisation whose words are joined as in `lookup_cache`. */
  public static String property(String words) {
    return NEXT_WORD.matcher(words).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
  }

  /** Whether the optimisation with this name is on. */
  public static boolean on(String name) {
    return Boolean.parseBoolean(System.getProperty("newspeak." + name, "true"));
  }
}
