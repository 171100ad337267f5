package langbench.log;

import java.io.IOException;
import runfair.Harness;

/** The benchmark log with the study's dictionaries, which all threads share. */
public final class LogWithSharedDictionary {
    private LogWithSharedDictionary() {}

    public static void main(String[] arguments) throws IOException {
        Harness.main("log", "shared-dictionary", new Log(true), arguments);
    }
}
