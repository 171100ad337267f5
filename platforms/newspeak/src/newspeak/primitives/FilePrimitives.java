package newspeak.primitives;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SFile;
import newspeak.objects.SSymbol;
import newspeak.runtime.Universe;

/**
 * Files and folders. What fails answers a symbol that says why: the library turns it into an
 * exception with the file's name.
 */
final class FilePrimitives {
  private FilePrimitives() {}

  /** What may fail with an IOException. */
  private interface FileAction {
    Object run(Universe universe, Object[] all) throws IOException;
  }

  static void addTo(Map<String, Primitive> known) {
    known.put("fileExists:", (universe, all) -> Files.exists(path(universe, all[0])));
    known.put("fileIsDirectory:", (universe, all) -> Files.isDirectory(path(universe, all[0])));
    known.put("fileIsWritable:", (universe, all) -> Files.isWritable(path(universe, all[0])));
    known.put("fileSize:", guarded((universe, all) -> Files.size(path(universe, all[0]))));
    known.put("fileLastModified:", guarded((universe, all) ->
        Files.getLastModifiedTime(path(universe, all[0])).toMillis()));
    known.put("fileCreateDirectory:", guarded((universe, all) -> {
      Files.createDirectories(path(universe, all[0]));
      return Nil.NIL;
    }));
    known.put("fileDelete:", guarded((universe, all) -> {
      Files.delete(path(universe, all[0]));
      return Nil.NIL;
    }));
    known.put("file:copyAs:", guarded((universe, all) -> {
      Files.copy(path(universe, all[0]), path(universe, all[1]));
      return Nil.NIL;
    }));
    known.put("file:moveAs:", guarded((universe, all) -> {
      Files.move(path(universe, all[0]), path(universe, all[1]));
      return Nil.NIL;
    }));
    known.put("fileIsAbsolute:", (universe, all) -> path(universe, all[0]).isAbsolute());
    known.put("fileAbsolute:", (universe, all) ->
        path(universe, all[0]).toAbsolutePath().toString());
    known.put("filePath:resolve:", (universe, all) ->
        path(universe, all[0]).resolve(path(universe, all[1])).toString());
    known.put("fileSimpleName:", (universe, all) -> {
      Path name = path(universe, all[0]).getFileName();
      return name == null ? "" : name.toString();
    });
    known.put("fileParent:", (universe, all) -> {
      Path parent = path(universe, all[0]).toAbsolutePath().getParent();
      return parent == null ? all[0] : parent.toString();
    });
    known.put("fileMatches:in:", guarded((universe, all) ->
        names(universe, path(universe, all[1]), all[0].toString())));
    known.put("fileOpen:mode:", guarded(FilePrimitives::open));
    known.put("handleRead:at:into:", guarded((universe, all) -> read(universe, all, 0xFF)));
    known.put("handleRead:at:intoSigned:", guarded((universe, all) -> read(universe, all, -1)));
    known.put("handleWrite:at:bytes:count:", guarded(FilePrimitives::write));
    known.put("handleSize:", guarded((universe, all) -> file(all[0]).length()));
    known.put("handleIsClosed:", (universe, all) ->
        !((SFile) all[0]).file().getChannel().isOpen());
    known.put("handleClose:", guarded((universe, all) -> {
      file(all[0]).close();
      return Nil.NIL;
    }));
    known.put("textFromBytes:", (universe, all) -> {
      SArray array = array(universe, all[0]);
      return new String(bytes(universe, array, array.size()), StandardCharsets.UTF_8);
    });
    known.put("bytesFromText:", (universe, all) -> {
      byte[] bytes = all[0].toString().getBytes(StandardCharsets.UTF_8);
      Object[] elements = new Object[bytes.length];
      for (int index = 0; index < bytes.length; index++) {
        elements[index] = (long) (bytes[index] & 0xFF);
      }
      return new SArray(universe.classes().array(), elements);
    });
  }

  /** Answers a symbol that names the failure, which no successful call does. */
  private static Primitive guarded(FileAction action) {
    return (universe, all) -> {
      try {
        return action.run(universe, all);
      } catch (NoSuchFileException | java.io.FileNotFoundException missing) {
        return SSymbol.of("FileNotFound");
      } catch (IOException failed) {
        return SSymbol.of("IOException");
      }
    };
  }

  /** The path of a text; no file's name contains the character NUL. */
  static Path path(Universe universe, Object name) {
    String text = TextPrimitives.text(universe, name);
    if (text.indexOf('\0') >= 0) {
      throw universe.signals().argumentError(name);
    }
    return Path.of(text);
  }

  private static RandomAccessFile file(Object handle) throws IOException {
    if (handle instanceof SFile open) {
      return open.file();
    }
    throw new IOException("the file is not open");
  }

  private static Object names(Universe universe, Path folder, String pattern) throws IOException {
    Pattern wanted = Pattern.compile(
        "\\Q" + pattern.replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q") + "\\E", Pattern.DOTALL);
    try (Stream<Path> entries = Files.list(folder)) {
      return new SArray(universe.classes().array(), entries
          .filter(entry -> wanted.matcher(entry.getFileName().toString()).matches())
          .map(Path::toString).sorted().toArray());
    }
  }

  private static Object open(Universe universe, Object[] all) throws IOException {
    Path path = path(universe, all[0]);
    String mode = all[1].toString();
    if (mode.equals("read") && !Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    RandomAccessFile file = new RandomAccessFile(path.toFile(), mode.equals("read") ? "r" : "rw");
    if (mode.equals("write")) {
      file.setLength(0);
    }
    return new SFile(file);
  }

  /** Reads as many bytes as there are, up to the array's size; the mask makes them unsigned. */
  private static Object read(Universe universe, Object[] all, long mask) throws IOException {
    RandomAccessFile file = file(all[0]);
    Object[] elements = array(universe, all[2]).storage();
    byte[] bytes = new byte[elements.length];
    file.seek(TextPrimitives.index(universe, all[1]));
    int count = Math.max(0, file.read(bytes));
    for (int index = 0; index < count; index++) {
      elements[index] = bytes[index] & mask;
    }
    return (long) count;
  }

  private static Object write(Universe universe, Object[] all) throws IOException {
    RandomAccessFile file = file(all[0]);
    byte[] bytes = bytes(universe, array(universe, all[2]), TextPrimitives.index(universe, all[3]));
    file.seek(TextPrimitives.index(universe, all[1]));
    file.write(bytes);
    return Nil.NIL;
  }

  private static SArray array(Universe universe, Object argument) {
    if (argument instanceof SArray array) {
      return array;
    }
    throw universe.signals().argumentError(argument);
  }

  private static byte[] bytes(Universe universe, SArray array, long count) {
    Object[] elements = array.storage();
    if (count < 0 || count > elements.length) {
      throw universe.signals().argumentError(count);
    }
    byte[] bytes = new byte[(int) count];
    for (int index = 0; index < bytes.length; index++) {
      bytes[index] = (byte) TextPrimitives.index(universe, elements[index]);
    }
    return bytes;
  }
}
