// The benchmarks awfy/awfy (contract.md beside this folder); the form says which one.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "benchmark.hpp"
#include "bounce.hpp"
#include "cd.hpp"
#include "counts.hpp"
#include "deltablue.hpp"
#include "havlak.hpp"
#include "json.hpp"
#include "list.hpp"
#include "mandelbrot.hpp"
#include "nbody.hpp"
#include "permute.hpp"
#include "queens.hpp"
#include "richards.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "sieve.hpp"
#include "storage.hpp"
#include "towers.hpp"

namespace {

using namespace awfy;

std::unique_ptr<Benchmark> benchmark(const runfair::Options& options) {
    const std::string& form = options.text("form");
    if (form == "bounce")
        return std::make_unique<Bounce>();
    if (form == "cd")
        return std::make_unique<CD>();
    if (form == "deltablue")
        return std::make_unique<DeltaBlue>();
    if (form == "havlak")
        return std::make_unique<Havlak>(static_cast<int>(options.number("parallel")));
    if (form == "json")
        return std::make_unique<Json>();
    if (form == "list")
        return std::make_unique<List>();
    if (form == "mandelbrot")
        return std::make_unique<Mandelbrot>();
    if (form == "nbody")
        return std::make_unique<NBody>();
    if (form == "permute")
        return std::make_unique<Permute>();
    if (form == "queens")
        return std::make_unique<Queens>();
    if (form == "richards")
        return std::make_unique<Richards>();
    if (form == "sieve")
        return std::make_unique<Sieve>();
    if (form == "storage")
        return std::make_unique<Storage>();
    return std::make_unique<Towers>();
}

class Awfy {
public:
    static constexpr const char* name = "awfy";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 1;

    static Awfy load(const runfair::Options& options) {
        const auto inner = static_cast<int>(options.number("inner"));
        return Awfy(benchmark(options), inner);
    }

    int prepare() const { return inner_; }

    std::int64_t run(int inner) const { return benchmark_->run(inner); }

    // Hashes the answer's decimal digits.
    static std::uint64_t digest(std::int64_t answer) {
        runfair::Fnv1a hash;
        hash.add(std::to_string(answer));
        return hash.value;
    }

    static runfair::Counters counters() {
        return {{"elements", counts.elements}, {"steps", counts.steps}};
    }

private:
    Awfy(std::unique_ptr<Benchmark> benchmark, int inner)
        : benchmark_(std::move(benchmark)), inner_(inner) {}

    std::unique_ptr<Benchmark> benchmark_;
    int inner_;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Awfy>(argc, argv);
}
