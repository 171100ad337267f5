package newspeak.runtime;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.TruffleStackTrace;
import com.oracle.truffle.api.TruffleStackTraceElement;
import com.oracle.truffle.api.source.SourceSection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import newspeak.lexer.SourceText;
import newspeak.objects.SFarReference;

/** Where the latest exceptions were signalled, as far as that is in no file of the library. */
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
    latest.put(exception.object(), exception);
  }

  /**
   * `file:line:column: message`, the line, a caret, and the calls around. The message alone where
   * the place is not known.
   */
  public String report(Object signalled) {
    Object object = signalled instanceof SFarReference far ? far.value() : signalled;
    String message = Sending.text(universe, signalled);
    SException exception;
    synchronized (this) {
      exception = latest.get(object);
    }
    List<SourceSection> places = exception == null ? List.of() : places(exception);
    if (places.isEmpty()) {
      return "Run-time Error: " + message;
    }
    int offset = places.get(0).getCharIndex();
    SourceText text = text(places.get(0));
    StringBuilder report = new StringBuilder(
        "Run-time Error: " + text.place(offset) + ": " + message + "\n" + text.excerpt(offset));
    places.stream().skip(1).limit(CALLS_SHOWN).forEach(place ->
        report.append("\n  called at ").append(text(place).place(place.getCharIndex())));
    return report.toString();
  }

  private List<SourceSection> places(SException exception) {
    List<SourceSection> places = new ArrayList<>();
    for (TruffleStackTraceElement element : TruffleStackTrace.getStackTrace(exception)) {
      SourceSection place = place(element);
      if (place != null && !universe.isLibrary(text(place))) {
        places.add(place);
      }
    }
    return places;
  }

  private static SourceSection place(TruffleStackTraceElement element) {
    SourceSection section = element.getLocation() == null ? null
        : element.getLocation().getEncapsulatingSourceSection();
    return section != null ? section
        : ((RootCallTarget) element.getTarget()).getRootNode().getSourceSection();
  }

  private static SourceText text(SourceSection section) {
    return new SourceText(
        section.getSource().getName(), section.getSource().getCharacters().toString());
  }
}
