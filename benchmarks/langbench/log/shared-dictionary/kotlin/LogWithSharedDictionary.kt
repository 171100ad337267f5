package langbench.log

import runfair.Harness

/** The benchmark log with the study's dictionaries, which all threads share. */
internal object LogWithSharedDictionary {
    @JvmStatic
    fun main(arguments: Array<String>) =
        Harness.main("log", "shared-dictionary", Log(shared = true), arguments)
}
