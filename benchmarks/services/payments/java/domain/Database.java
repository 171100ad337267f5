package payments;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import runfair.UserMistake;

/** Where the orders are: {@code DATABASE_URL=postgresql://USER[:PASSWORD]@HOST:PORT/NAME}. */
public record Database(String user, String password, String host, int port, String name) {

    /** None if the environment names none. */
    public static Optional<Database> ofEnvironment() {
        return Optional.ofNullable(System.getenv("DATABASE_URL"))
                .filter(url -> !url.isEmpty())
                .map(Database::parse);
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
        throw new UserMistake("DATABASE_URL takes postgresql://USER[:PASSWORD]@HOST:PORT/NAME");
    }

    public String jdbcUrl() {
        return "jdbc:postgresql://" + host + ":" + port + "/" + name;
    }

    public UserMistake cannotBeReached(Throwable failure) {
        return new UserMistake(
                "DATABASE_URL cannot be reached: " + UserMistake.quoted(failure.getMessage()));
    }
}
