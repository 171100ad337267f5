// The suite's own generator of numbers below 65536.

#pragma once

namespace awfy {

class Random {
public:
    int next() {
        seed_ = (seed_ * 1309 + 13849) & 65535;
        return seed_;
    }

private:
    int seed_ = 74755;
};

}  // namespace awfy
