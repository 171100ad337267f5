package payments;

/** A row of the table, and the answer to {@code GET /order/ID}. */
public record Order(long id, String customer, String status, long amount, String note) {

    private static final String COLUMNS = "id, customer, status, amount, note";

    /** By JDBC's placeholder. */
    public static final String QUERY = "SELECT " + COLUMNS + " FROM orders WHERE id = ?";

    /** By PostgreSQL's own. */
    public static final String NATIVE_QUERY = "SELECT " + COLUMNS + " FROM orders WHERE id = $1";

    /** @throws BadRequest for anything but an id in decimal digits */
    public static long id(String text) {
        return Digits.number(text, Long.MAX_VALUE);
    }
}
