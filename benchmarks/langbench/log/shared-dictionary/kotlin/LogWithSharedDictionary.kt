package langbench.log.shared

import langbench.log.Log
import runfair.Harness

/** The benchmark log with the study's dictionaries, which all threads share. */
fun main(arguments: Array<String>) = Harness.main("log", "shared-dictionary", Log(true), arguments)
