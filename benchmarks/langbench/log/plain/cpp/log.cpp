// The contract's pseudocode over strings, vectors and hash tables; see langbench/log/contract.md.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "archive.hpp"
#include "counts.hpp"
#include "folder.hpp"
#include "plan.hpp"
#include "query.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace plain {

constexpr std::size_t longest_line = 8192;

struct Answer {
    std::vector<std::vector<std::string>> found;
    Archive archive;
};

struct Log {
    static constexpr const char* name = "log";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = 1;

    bool is_indexed = true;
    std::vector<Query> queries;
    std::vector<std::string> files;

    static Log load(const runfair::Options& options) {
        const std::string& path = options.text("queries");
        Log log;
        log.is_indexed = options.text("form") == "indexed";
        log.queries = path.empty() ? default_queries(options.text("workload")) : read_queries(path);
        log.files = log_files(options.text("input"));
        return log;
    }

    struct Work {};

    Work prepare() const { return {}; }

    std::unique_ptr<Answer> run(Work) const {
        auto answer = std::make_unique<Answer>();
        answer->found.resize(queries.size());
        if (is_indexed)
            indexed(*answer);
        else
            regex(*answer);
        return answer;
    }

    void indexed(Answer& answer) const {
        for (const std::string& path : files)
            answer.archive.parse(runfair::read(path));
        std::vector<Plan> plans;
        for (const Query& query : queries)
            plans.emplace_back(query, answer.archive);
        for (std::size_t query = 0; query < plans.size(); query++) {
            for (const std::vector<Message>& messages : answer.archive.files)
                plans[query].search(answer.archive, messages, answer.found[query]);
        }
    }

    void regex(Answer& answer) const {
        std::vector<std::regex> expressions;
        for (const Query& query : queries)
            expressions.emplace_back(query.expression());
        for (std::size_t query = 0; query < expressions.size(); query++) {
            for (const std::string& path : files) {
                for_lines(runfair::read(path), [&](std::string_view line) {
                    lines++;  // tick
                    if (line.size() > longest_line)
                        throw too_long(path, line.size());
                    if (std::regex_search(line.begin(), line.end(), expressions[query])) {
                        matching++;  // tick
                        answer.found[query].emplace_back(line);
                    }
                });
            }
        }
    }

    // libstdc++ recurses for each byte that a repetition takes, on a stack of 8 MiB.
    static runfair::UserError too_long(const std::string& path, std::size_t length) {
        return runfair::UserError("input " + runfair::quoted(path) + " has a line of " +
                                  std::to_string(length) + " bytes, and std::regex takes " +
                                  std::to_string(longest_line) + "; search it by the tier boost");
    }

    std::uint64_t digest(const std::unique_ptr<Answer>& answer) const {
        runfair::Fnv1a hash;
        for (const std::vector<std::string>& found : answer->found) {
            hash.add(std::to_string(found.size()) + '\n');
            for (const std::string& line : found) {
                hash.add(line);
                hash.add("\n");
            }
        }
        return hash.value;
    }

    static runfair::Counters counters() {
        return {
            {"lines", lines},           {"tokens", tokens},         {"numbers", numbers},
            {"references", references}, {"log_types", log_types},   {"variables", variable_entries},
            {"scanned", scanned},       {"candidates", candidates}, {"matches", matching}};
    }
};

}  // namespace plain

int main(int argc, char** argv) {
    return runfair::main<plain::Log>(argc, argv);
}
