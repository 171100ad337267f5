package payments;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import runfair.Options;
import runfair.UserMistake;

/** Where the orders are: {@code --param database=postgresql://USER[:PASSWORD]@HOST:PORT/NAME}. */
public record Database(String user, String password, String host, int port, String name) {

    public static Optional<Database> of(Options options) {
        var url = options.parameters().get("database");
        return url.isEmpty() ? Optional.empty() : Optional.of(parse(url));
    }

    private static Database parse(String url) {
        try {
            var uri = new URI(url);
            if ("postgresql".equals(uri.getScheme())
                    && uri.getHost() != null
                    && uri.getUserInfo() != null
                    && uri.getPath().length() > 1) {
                var login = uri.getUserInfo().split(":", 2);
                return new Database(
                        login[0],
                        login.length == 2 ? login[1] : "",
                        uri.getHost(),
                        uri.getPort() == -1 ? 5432 : uri.getPort(),
                        uri.getPath().substring(1));
            }
        } catch (URISyntaxException malformed) {
            // Said below.
        }
        throw new UserMistake(
                "--param database takes postgresql://USER[:PASSWORD]@HOST:PORT/NAME, not "
                        + Options.quoted(url));
    }

    public String jdbcUrl() {
        return "jdbc:postgresql://" + host + ":" + port + "/" + name;
    }

    public UserMistake cannotBeReached(Throwable failure) {
        return new UserMistake(
                "--param database cannot be reached: " + Options.quoted(failure.getMessage()));
    }
}
