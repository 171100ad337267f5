package langbench.plain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import runfair.UserMistake;

/** The input: a folder of logs, and a file of queries. */
final class Folder {
    private Folder() {}

    static List<String> readQueries(String path) {
        String named = "queries " + UserMistake.quoted(path);
        String content;
        try {
            byte[] bytes = Files.readAllBytes(Paths.get(path));
            content = new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IOException | InvalidPathException fault) {
            throw new UserMistake(named + " cannot be read; name a file of queries, one a line");
        }
        List<String> texts = new ArrayList<>();
        int number = 0;
        for (String line : linesOf(content)) {
            number++;
            for (char c : line.toCharArray()) {
                if (c < ' ' || c > '~') {
                    throw new UserMistake(
                            "line " + number + " of " + named + ": a query is printable ASCII");
                }
            }
            if (!line.isEmpty()) {
                texts.add(line);
            }
        }
        if (texts.isEmpty()) {
            throw new UserMistake(named + " holds no queries; write one a line");
        }
        return texts;
    }

    static List<Path> logFiles(String folder) {
        String named = "input " + UserMistake.quoted(folder);
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Paths.get(folder))) {
            for (Path entry : entries) {
                if (Files.isRegularFile(entry)) {
                    paths.add(entry);
                }
            }
        } catch (IOException | InvalidPathException fault) {
            throw UserMistake.unreadableInput(folder, fault);
        }
        for (Path path : paths) {
            String name = path.getFileName().toString();
            for (char c : name.toCharArray()) {
                if (c >= 128) {
                    throw new UserMistake(
                            named + " holds " + UserMistake.quoted(name) + ": rename it to ASCII");
                }
            }
        }
        if (paths.isEmpty()) {
            throw new UserMistake(named + " holds no files; give a folder of logs");
        }
        Collections.sort(paths);
        return paths;
    }

    static String read(Path path) {
        try {
            return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
        } catch (IOException fault) {
            throw UserMistake.unreadableInput(path.toString(), fault);
        }
    }

    static List<String> linesOf(String content) {
        List<String> lines = new ArrayList<>();
        int begin = 0;
        while (begin < content.length()) {
            int end = content.indexOf('\n', begin);
            if (end < 0) {
                end = content.length();
            }
            lines.add(content.substring(begin, end));
            begin = end + 1;
        }
        return lines;
    }
}
