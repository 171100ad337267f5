package payments;

/** Numbers in a path, which parseLong would also take with a sign or in another script. */
final class Digits {

    private Digits() {}

    static boolean only(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> '0' <= c && c <= '9');
    }

    /** From 1 to {@code most}. */
    static long number(String text, long most) {
        if (only(text)) {
            try {
                long number = Long.parseLong(text);
                if (1 <= number && number <= most) {
                    return number;
                }
            } catch (NumberFormatException tooGreat) {
                // Said below.
            }
        }
        throw new BadRequest();
    }
}
