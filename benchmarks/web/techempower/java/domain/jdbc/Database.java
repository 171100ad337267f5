package techempower;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import java.net.URI;
import java.net.URISyntaxException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import runfair.UserMistake;

/** The tables, through a pool of connections. */
final class Database implements AutoCloseable {
    private static final int MOST = 10_000;
    private static final String READ = "SELECT id, randomnumber FROM world WHERE id = ?";
    private static final String WRITE =
            "UPDATE world SET randomnumber = v.r FROM unnest(?::int[], ?::int[]) v(i, r)"
                    + " WHERE id = v.i";
    private static final String FORTUNES = "SELECT id, message FROM fortune";

    private final HikariDataSource pool;

    private Database(HikariDataSource pool) {
        this.pool = pool;
    }

    /** With its first connection open; none if the environment names none. */
    static Optional<Database> ofEnvironment(int connections) {
        return Optional.ofNullable(System.getenv("DATABASE_URL"))
                .filter(url -> !url.isEmpty())
                .map(url -> open(url, connections));
    }

    private static Database open(String url, int connections) {
        try {
            var uri = new URI(url);
            var login = uri.getUserInfo().split(":", 2);
            var config = new HikariConfig();
            config.setJdbcUrl("jdbc:postgresql://" + uri.getAuthority().replaceFirst(".*@", "")
                    + uri.getPath());
            config.setUsername(login[0]);
            config.setPassword(login.length == 2 ? login[1] : "");
            config.setMaximumPoolSize(connections);
            return new Database(new HikariDataSource(config));
        } catch (URISyntaxException | NullPointerException malformed) {
            throw new UserMistake("DATABASE_URL takes postgresql://USER[:PASSWORD]@HOST:PORT/NAME");
        } catch (PoolInitializationException failure) {
            throw new UserMistake("DATABASE_URL cannot be reached: "
                    + UserMistake.quoted(failure.getCause().getMessage()));
        }
    }

    World random() throws SQLException {
        try (var connection = pool.getConnection()) {
            return random(connection);
        }
    }

    /** Rows read one after another, on one connection. */
    List<World> rows(int count) throws SQLException {
        try (var connection = pool.getConnection()) {
            return rows(connection, count);
        }
    }

    /** Written in the order of ids, so that concurrent updates lock rows in the same order. */
    List<World> update(int count) throws SQLException {
        try (var connection = pool.getConnection()) {
            var changed = new ArrayList<World>(count);
            for (var row : rows(connection, count)) {
                changed.add(new World(row.id(), drawn()));
            }
            changed.sort(Comparator.comparingInt(World::id));
            try (var statement = connection.prepareStatement(WRITE)) {
                var ids = changed.stream().map(World::id).toArray();
                var numbers = changed.stream().map(World::randomNumber).toArray();
                statement.setArray(1, connection.createArrayOf("int4", ids));
                statement.setArray(2, connection.createArrayOf("int4", numbers));
                statement.executeUpdate();
            }
            return changed;
        }
    }

    List<Fortune> fortunes() throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.prepareStatement(FORTUNES);
                var rows = statement.executeQuery()) {
            var found = new ArrayList<Fortune>();
            while (rows.next()) {
                found.add(new Fortune(rows.getInt(1), rows.getString(2)));
            }
            return found;
        }
    }

    @Override
    public void close() {
        pool.close();
    }

    private static List<World> rows(Connection connection, int count) throws SQLException {
        var rows = new ArrayList<World>(count);
        for (int i = 0; i < count; i++) {
            rows.add(random(connection));
        }
        return rows;
    }

    private static World random(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(READ)) {
            statement.setInt(1, drawn());
            try (var row = statement.executeQuery()) {
                row.next();
                return new World(row.getInt(1), row.getInt(2));
            }
        }
    }

    private static int drawn() {
        return ThreadLocalRandom.current().nextInt(MOST) + 1;
    }
}
