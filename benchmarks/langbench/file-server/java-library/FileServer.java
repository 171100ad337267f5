package langbench.fileserver.library;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import runfair.Options;
import runfair.Service;
import runfair.UserMistake;

/** The benchmark langbench/file-server by com.sun.net.httpserver, a thread a connection. */
public final class FileServer {
    /** With none the kernel's own limit holds, 4,096 on Linux; the JDK's choice is 50. */
    private static final int BACKLOG = 4096;

    /** The JDK waits it out whole where no request is under way. */
    private static final int STOP_LIMIT_S = 1;

    private FileServer() {}

    public static void main(String[] arguments) {
        Service.main("file-server", "library", FileServer::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws IOException {
        var handler = handler(load(options));
        var server = HttpServer.create(address, BACKLOG);
        server.createContext("/", handler);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        return new Service.Running() {
            @Override
            public int port() {
                return server.getAddress().getPort();
            }

            @Override
            public void stop() {
                server.stop(STOP_LIMIT_S);
            }
        };
    }

    /** SimpleFileServer is Java 18's, while all programs are compiled for 17: found by its name. */
    private static HttpHandler handler(Path folder) {
        try {
            return (HttpHandler) Class.forName("com.sun.net.httpserver.SimpleFileServer")
                    .getMethod("createFileHandler", Path.class)
                    .invoke(null, folder.toAbsolutePath());
        } catch (ClassNotFoundException older) {
            throw new UserMistake("the tier library needs Java 18 or newer");
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException other) {
            throw new IllegalStateException("SimpleFileServer is not as Java 18 has it", other);
        }
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
