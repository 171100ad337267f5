package langbench.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import runfair.UserMistake;

/** The folder of logs, and the queries that are asked. */
final class Folder {
    static final Map<String, List<String>> QUERIES = Map.of(
            "hadoop",
            List.of(
                    "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
                    " container_1445144423722_0001_01_000007 ",
                    "[fetcher#7] ",
                    " attempt_*_0001_m_000003_1 is : ",
                    "WARN * Slow ReadProcessor * took *77 ms; ack",
                    " ip=/10.0.3.7 cmd=open ",
                    "ERROR * Giving up * node-07.cluster.example:8020;"),
            "spark",
            List.of(
                    " spark.ContextCleaner: Started accumulator for stage ",
                    " rdd_42_7 ",
                    " boot = 17, ",
                    " broadcast_1*7_piece0 stored ",
                    "Finished task * in stage 12.0 (TID *). 2077 bytes",
                    " ip=/10.0.3.7 cmd=remove ",
                    "WARN util.Utils: Lost * retry 3 of 4"));

    private Folder() {}

    /** Reads the queries of a file, one a line. */
    static List<String> readQueries(String path) {
        var named = "queries " + UserMistake.quoted(path);
        String content;
        try {
            content = Files.readString(Path.of(path), StandardCharsets.ISO_8859_1);
        } catch (IOException | InvalidPathException fault) {
            throw new UserMistake(named + " cannot be read; name a file of queries, one a line");
        }
        var queries = new ArrayList<String>();
        int number = 0;
        for (var line : content.split("\n")) {
            number++;
            if (!line.chars().allMatch(c -> ' ' <= c && c <= '~')) {
                throw new UserMistake(
                        "line " + number + " of " + named + ": a query is printable ASCII");
            }
            if (!line.isEmpty()) {
                queries.add(line);
            }
        }
        if (queries.isEmpty()) {
            throw new UserMistake(named + " holds no queries; write one a line");
        }
        return queries;
    }

    /** The files of a folder, in the order of their names. */
    static List<Path> logFiles(String folder) {
        var named = "input " + UserMistake.quoted(folder);
        var files = new ArrayList<Path>();
        try (var entries = Files.newDirectoryStream(Path.of(folder), Files::isRegularFile)) {
            entries.forEach(files::add);
        } catch (IOException | InvalidPathException fault) {
            throw UserMistake.unreadableInput(folder, fault);
        }
        for (var file : files) {
            var name = file.getFileName().toString();
            if (!name.chars().allMatch(c -> c < 128)) {
                throw new UserMistake(
                        named + " holds " + UserMistake.quoted(name) + ": rename it to ASCII");
            }
        }
        if (files.isEmpty()) {
            throw new UserMistake(named + " holds no files; give a folder of logs");
        }
        Collections.sort(files);
        return files;
    }

    /** The bytes of a file, a character each. */
    static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException fault) {
            throw UserMistake.unreadableInput(file.toString(), fault);
        }
    }
}
