#include "squares.hpp"

#include <iostream>
#include <string>

int main(int argc, char **argv) {
  std::cout << squares(argc > 1 ? std::stoull(argv[1]) : 10) << '\n';
}
