package newspeak.primitives;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Map;
import java.util.stream.Stream;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SFile;
import newspeak.objects.SSymbol;
import newspeak.runtime.Universe;

/**
 * Files and folders. What fails answers the text of why: the library turns it into an exception
 * with the file's name.
 */
final class FilePrimitives {
  private FilePrimitives() {}

  /** What may fail with an IOException. */
  private interface FileAction {
    Object run(Universe universe, Object[] all) throws IOException;
  }

  static void addTo(Map<String, Primitive> known) {
    known.put("fileExists:", (universe, all) -> Files.exists(path(all[0])));
    known.put("fileIsDirectory:", (universe, all) -> Files.isDirectory(path(all[0])));
    known.put("fileSize:", guarded((universe, all) -> Files.size(path(all[0]))));
    known.put("fileCreateDirectory:", guarded((universe, all) -> {
      Files.createDirectory(path(all[0]));
      return Nil.NIL;
    }));
    known.put("fileDelete:", guarded((universe, all) -> {
      Files.delete(path(all[0]));
      return Nil.NIL;
    }));
    known.put("filePath:resolve:", (universe, all) -> path(all[0]).resolve(all[1].toString())
        .toString());
    known.put("fileSimpleName:", (universe, all) -> {
      Path name = path(all[0]).getFileName();
      return name == null ? "" : name.toString();
    });
    known.put("fileParent:", (universe, all) -> {
      Path parent = path(all[0]).toAbsolutePath().getParent();
      return parent == null ? all[0] : parent.toString();
    });
    known.put("fileEntries:", guarded((universe, all) -> names(universe, path(all[0]), "*")));
    known.put("fileMatches:in:", guarded((universe, all) ->
        names(universe, path(all[1]), all[0].toString())));
    known.put("fileOpen:mode:", guarded(FilePrimitives::open));
    known.put("handleRead:at:into:count:", guarded(FilePrimitives::read));
    known.put("handleWrite:at:bytes:count:", guarded(FilePrimitives::write));
    known.put("handleSize:", guarded((universe, all) -> ((SFile) all[0]).file().length()));
    known.put("handleClose:", guarded((universe, all) -> {
      ((SFile) all[0]).file().close();
      return Nil.NIL;
    }));
    known.put("textFromBytes:", (universe, all) -> {
      Object[] elements = ((SArray) all[0]).storage();
      byte[] bytes = new byte[elements.length];
      for (int index = 0; index < bytes.length; index++) {
        bytes[index] = ((Long) elements[index]).byteValue();
      }
      return new String(bytes, StandardCharsets.UTF_8);
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
        return SSymbol.of("FileNotFoundException");
      } catch (IOException failed) {
        return SSymbol.of("IOException");
      }
    };
  }

  private static Path path(Object name) {
    return Path.of(name.toString());
  }

  private static Object names(Universe universe, Path folder, String pattern) throws IOException {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    try (Stream<Path> entries = Files.list(folder)) {
      return new SArray(universe.classes().array(), entries
          .filter(entry -> matcher.matches(entry.getFileName()))
          .map(Path::toString).sorted().toArray());
    }
  }

  private static Object open(Universe universe, Object[] all) throws IOException {
    Path path = path(all[0]);
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

  private static Object read(Universe universe, Object[] all) throws IOException {
    RandomAccessFile file = ((SFile) all[0]).file();
    Object[] elements = ((SArray) all[2]).storage();
    byte[] bytes = new byte[((Long) all[3]).intValue()];
    file.seek((Long) all[1]);
    int count = Math.max(0, file.read(bytes));
    for (int index = 0; index < count; index++) {
      elements[index] = (long) (bytes[index] & 0xFF);
    }
    return (long) count;
  }

  private static Object write(Universe universe, Object[] all) throws IOException {
    RandomAccessFile file = ((SFile) all[0]).file();
    Object[] elements = ((SArray) all[2]).storage();
    byte[] bytes = new byte[((Long) all[3]).intValue()];
    for (int index = 0; index < bytes.length; index++) {
      bytes[index] = ((Long) elements[index]).byteValue();
    }
    file.seek((Long) all[1]);
    file.write(bytes);
    return Nil.NIL;
  }
}
