// Tests of what the harness makes of options, texts and samples. Exit status 1 if one fails.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "runfair/options.hpp"
#include "runfair/recorder.hpp"

namespace {

int failures = 0;

void check(const std::string& got, const std::string& expected) {
    if (got != expected) {
        std::fprintf(stderr, "harness_test: got %s, expected %s\n", got.c_str(), expected.c_str());
        ++failures;
    }
}

std::string mistake(const auto& work) {
    try {
        work();
    } catch (const runfair::UserError& error) {
        return error.what();
    }
    return "none";
}

void options_are_cut_at_the_first_equals_sign() {
    std::array<std::string, 4> words{"program", "input=/a=b", "seed=18446744073709551615", "none="};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(),
                                   words[3].data()};
    const runfair::Options options("sum", arguments.size(), arguments.data());
    check(options.text("input"), "/a=b");
    check(std::to_string(options.number("seed")), "18446744073709551615");
    check(options.text("none"), "");
    check(mistake([&] { options.text("letters"); }),
          "option letters=VALUE is missing; ./runfair exec sum --print shows a whole command");
}

void a_text_is_quoted_in_one_line() {
    check(runfair::quoted("a\"\\\n\x1f€"), R"("a\"\\\u000a\u001f€")");
}

void a_file_that_cannot_be_read_is_a_mistake() {
    check(mistake([] { runfair::read("/missing"); }),
          R"(input "/missing" cannot be read: No such file or directory)");
    check(mistake([] { runfair::read("/"); }), R"(input "/" cannot be read: Is a directory)");
}

void a_file_is_read_whole_also_if_its_size_is_unknown() {
    const std::string path = (std::filesystem::temp_directory_path() / "runfair-read-").string() +
                             std::to_string(getpid());
    for (const std::size_t size : {0, 1, 4095, 4096, 4097, 65'536, 200'001}) {
        std::string written;
        for (std::size_t i = 0; i < size; ++i)
            written += static_cast<char>(i * i % 251);
        std::ofstream(path, std::ios::binary) << written;
        check(runfair::read(path) == written ? "the same" : "another", "the same");
    }
    std::filesystem::remove(path);
    // The kernel gives the size 0 for this file.
    check(runfair::read("/proc/self/maps").size() > 4096 ? "long" : "short", "long");
}

void each_cell_begins_where_the_one_before_ends() {
    for (std::int64_t cell = 1; cell < 38'912; ++cell) {
        const std::int64_t shift = std::max<std::int64_t>(0, cell / 1024 - 1);
        const std::int64_t first = (cell - shift * 1024) << shift;
        check(std::to_string(runfair::cell(first - 1)), std::to_string(cell - 1));
        check(std::to_string(runfair::cell(first)), std::to_string(cell));
    }
}

void values_out_of_range_are_in_the_outermost_cells() {
    using Limits = std::numeric_limits<std::int64_t>;
    check(std::to_string(runfair::cell(-1)), "0");
    check(std::to_string(runfair::cell(Limits::min())), "0");
    check(std::to_string(runfair::cell(std::int64_t{1} << 47)), "38911");
    check(std::to_string(runfair::cell(Limits::max())), "38911");
}

// A folder for recorders, which goes with them.
struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "runfair-XXXXXX").string();
    std::string option = "samples=" + std::string(mkdtemp(path.data()));
    std::array<char*, 2> arguments{nullptr, option.data()};
    runfair::Options options{"sum", 2, arguments.data()};

    ~Folder() {
        runfair::recorders.clear();
        std::filesystem::remove_all(path);
    }
    // The index in the file of a recorder, then each cell that holds samples, with its count.
    std::string read(const std::string& name) const {
        const std::string bytes = runfair::read(path + "/" + name + ".counts");
        check(std::to_string(bytes.size()), "311304");
        std::vector<std::uint64_t> numbers(bytes.size() / 8);
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        std::string text = std::to_string(numbers[0]);
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            if (numbers[i] > 0)
                text += " " + std::to_string(i - 1) + ":" + std::to_string(numbers[i]);
        }
        return text;
    }
};

void a_recorder_without_a_folder_is_a_mistake() {
    std::array<char*, 1> none{};
    const runfair::Options options("sum", none.size(), none.data());
    check(mistake([&] { options.recorder("lateness"); }),
          "option samples=VALUE is missing; ./runfair exec sum --print shows a whole command");
}

void no_sample_of_several_threads_is_lost() {
    const Folder folder;
    const runfair::Recorder recorder = folder.options.recorder("lateness");
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 8; ++thread) {
            threads.emplace_back([recorder] {
                for (int value = 0; value < 50'000; ++value)
                    recorder.record(value % 2);
            });
        }
    }
    check(folder.read("lateness"), "0 0:200000 1:200000");
}

void an_iteration_begins_without_samples() {
    check(runfair::samples(), "");
    const Folder folder;
    const runfair::Recorder lateness = folder.options.recorder("lateness");
    const runfair::Recorder hops = folder.options.recorder("hops");
    runfair::begin_samples(4);
    lateness.record(2049);
    lateness.record(3);
    lateness.record(2048);
    check(runfair::samples(), R"(,"samples":{"lateness":[3,1,2048,2],"hops":[]})");
    check(folder.read("lateness"), "4 3:1 2048:2");
    runfair::begin_samples(5);
    hops.record(0);
    check(runfair::samples(), R"(,"samples":{"lateness":[],"hops":[0,1]})");
    check(folder.read("lateness"), "5");
    check(folder.read("hops"), "5 0:1");
}

}  // namespace

int main() {
    options_are_cut_at_the_first_equals_sign();
    a_text_is_quoted_in_one_line();
    a_file_that_cannot_be_read_is_a_mistake();
    a_file_is_read_whole_also_if_its_size_is_unknown();
    each_cell_begins_where_the_one_before_ends();
    values_out_of_range_are_in_the_outermost_cells();
    a_recorder_without_a_folder_is_a_mistake();
    no_sample_of_several_threads_is_lost();
    an_iteration_begins_without_samples();
    return failures == 0 ? 0 : 1;
}
