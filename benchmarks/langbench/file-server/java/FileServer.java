package langbench.fileserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import runfair.Options;
import runfair.Service;
import runfair.UserMistake;

/** The benchmark langbench/file-server (contract.md beside this folder). */
public final class FileServer {
    private FileServer() {}

    public static void main(String[] arguments) {
        Service.main(
                "file-server",
                "standard",
                (options, address) -> new Server(load(options), address),
                arguments);
    }

    /** The folder that is served. */
    private static Path load(Options options) {
        var path = options.text("input");
        try {
            var folder = Path.of(path, "files");
            Files.newDirectoryStream(folder).close();
            return folder;
        } catch (IOException | InvalidPathException fault) {
            throw UserMistake.unreadableInput(path, fault);
        }
    }
}
