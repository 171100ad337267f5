// What the system has to provide.

#include "../domain/requirements.hpp"
