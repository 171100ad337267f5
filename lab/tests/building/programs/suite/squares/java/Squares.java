package suite;

import harness.Harness;

public final class Squares {
    public static void main(String[] arguments) {
        long count = arguments.length > 0 ? Long.parseLong(arguments[0]) : 10;
        System.out.println(Harness.squares(count));
    }
}
