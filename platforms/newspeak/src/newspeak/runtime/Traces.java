package newspeak.runtime;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.TruffleStackTrace;
import com.oracle.truffle.api.TruffleStackTraceElement;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.RootNode;
import com.oracle.truffle.api.source.SourceSection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import newspeak.actors.ReceivedRoot;
import newspeak.lexer.SourceText;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SFarReference;

/**
 * Where exceptions were signalled, as far as that is in no file of the library. The latest ones that
 * broke a promise are kept, because it may be reported long after the signal. In an interactive
 * session, the latest ones that were signalled are kept too.
 */
public final class Traces {
  private static final int KEPT = 64;
  private static final int CALLS_SHOWN = 10;

  private final Universe universe;
  private final Map<Object, SException> latest = new LinkedHashMap<>() {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, SException> eldest) {
      return size() > KEPT;
    }
  };

  Traces(Universe universe) {
    this.universe = universe;
  }

  synchronized void add(SException exception) {
    latest.remove(exception.object()); // one that is signalled again is the latest
    latest.put(exception.object(), exception);
  }

  /** Keeps the exception that breaks a promise. Its calls are known before it leaves the turn. */
  public void addBreaking(SException exception) {
    TruffleStackTrace.fillIn(exception);
    add(exception);
  }

  private List<Place> latestPlaces(Object signalled) {
    Object object = signalled instanceof SFarReference far ? far.value() : signalled;
    SException exception;
    synchronized (this) {
      exception = latest.get(object);
    }
    return exception == null ? List.of() : places(exception);
  }

  /**
   * `file:line:column: message`, the line, a caret, and the calls around. The message alone where
   * the place is not known.
   */
  public String report(Object signalled) {
    String message = Sending.text(universe, signalled);
    List<Place> places = latestPlaces(signalled);
    if (places.isEmpty()) {
      return "Run-time Error: " + message;
    }
    return "Run-time Error: " + places.get(0) + ": " + message + "\n" + excerpt(places);
  }

  /** The text of an exception that nobody handled, and where it was signalled if that is known. */
  public String unhandled(SException exception) {
    return unhandled(exception.object(), places(exception));
  }

  /** The same for the error that broke a promise. Its place is known only if it is still kept. */
  public String unhandled(Object error) {
    return unhandled(error, latestPlaces(error));
  }

  private String unhandled(Object error, List<Place> places) {
    String message = Sending.text(universe, error);
    return places.isEmpty() ? message
        : message + "\n  at " + places.get(0) + "\n" + excerpt(places);
  }

  private static String excerpt(List<Place> places) {
    Place first = places.get(0);
    StringBuilder excerpt = new StringBuilder(first.text.excerpt(first.offset));
    places.stream().skip(1).limit(CALLS_SHOWN)
        .forEach(place -> excerpt.append(place.sent ? "\n  sent at " : "\n  called at ")
            .append(place));
    return excerpt.toString();
  }

  /** A place in a text, 0 is the first character; `sent` if a message was sent eventually there. */
  private record Place(SourceText text, int offset, boolean sent) {
    @Override
    public String toString() {
      return text.place(offset);
    }
  }

  private List<Place> places(SException exception) {
    List<Place> places = new ArrayList<>();
    for (TruffleStackTraceElement element : TruffleStackTrace.getStackTrace(exception)) {
      Place place = place(element);
      if (place != null && !universe.isLibrary(place.text)) {
        places.add(place);
      }
    }
    return places;
  }

  /** Where the call is, which is at its selector; else where the code begins. */
  private static Place place(TruffleStackTraceElement element) {
    RootNode root = ((RootCallTarget) element.getTarget()).getRootNode();
    SourceSection code = root.getSourceSection();
    if (code == null) {
      return null;
    }
    int offset = code.getCharIndex();
    for (Node node = element.getLocation(); node != null; node = node.getParent()) {
      if (node instanceof ExpressionNode expression && expression.offset() >= 0) {
        offset = expression.offset();
        break;
      }
    }
    return new Place(new SourceText(
        code.getSource().getName(), code.getSource().getCharacters().toString()), offset,
        root instanceof ReceivedRoot);
  }
}
