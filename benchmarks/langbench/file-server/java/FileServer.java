package langbench.fileserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import runfair.Harness;
import runfair.Options;
import runfair.Service;
import runfair.UserMistake;

/** The benchmark langbench/file-server (contract.md beside this folder). */
public final class FileServer {
    private FileServer() {}

    public static void main(String[] arguments) {
        var benchmark = new Harness.Benchmark(
                "file-server", "standard", List.of("logs", "small-files"), List.of(), 1);
        Service.main(
                benchmark, (options, address) -> new Server(load(options), address), arguments);
    }

    /** The folder that is served. */
    private static Path load(Options options) {
        var path = options.inputs().get(0);
        try {
            var folder = Path.of(path, "files");
            Files.newDirectoryStream(folder).close();
            return folder;
        } catch (IOException | InvalidPathException fault) {
            throw new UserMistake("--input " + Options.quoted(path) + " cannot be read: "
                    + fault.getClass().getSimpleName());
        }
    }
}
