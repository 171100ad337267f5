// The command line: sparrow [OPTIONS] FILE ARGUMENTS.
#pragma once

namespace sparrow {

// Runs the program that the command line names; the process's exit status.
int program(int count, char** arguments);

}  // namespace sparrow
