package payments;

import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/** The orders of the database, through HikariCP's pool of connections. */
@Repository
class Orders {

    /** That no database was named. */
    static final class NoDatabase extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Optional<JdbcTemplate> database;

    Orders(ObjectProvider<JdbcTemplate> database) {
        this.database = Optional.ofNullable(database.getIfAvailable());
    }

    Optional<Order> find(long id) {
        return database.orElseThrow(NoDatabase::new)
                .query(
                        Order.QUERY,
                        (row, index) -> new Order(
                                row.getLong(1),
                                row.getString(2),
                                row.getString(3),
                                row.getLong(4),
                                row.getString(5)),
                        id)
                .stream()
                .findFirst();
    }
}
