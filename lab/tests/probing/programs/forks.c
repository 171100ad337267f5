/* Forks as many children as the first argument says. The parent works before the first fork, and
 * each child works as much. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) {
  for (volatile int at = 0; at < 1000; at++) {
  }
}

int main(int count, char** arguments) {
  const int children = count > 1 ? atoi(arguments[1]) : 0;
  work();
  for (int child = 0; child < children; child++) {
    if (fork() == 0) {
      work();
      _exit(0);
    }
    wait(NULL);
  }
  return 0;
}
