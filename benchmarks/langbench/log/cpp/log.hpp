// Search of logs by the CLP algorithm or by regular expressions; see langbench/log/contract.md.
//
// A `Library` is what the tiers differ in: `tier`, `shared_dictionary` (whether all workers fill
// the same dictionaries), the templates `Map` and `Set`, the class `Expression` of a compiled
// regular expression, and `longest_line`, the longest line that it can search.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive.hpp"
#include "counts.hpp"
#include "folder.hpp"
#include "query.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "workers.hpp"

namespace clp {

// Of all workers and iterations.
inline Counts totals;

template <class Library>
class Log {
public:
    static constexpr const char* name = "log";
    static constexpr const char* tier = Library::tier;
    static constexpr std::uint64_t max_threads = 1024;

    static Log load(const runfair::Options& options) {
        const std::string& queries = options.text("queries");
        Log log;
        log.indexed_ = options.text("form") == "indexed";
        log.queries_ =
            queries.empty() ? default_queries(options.text("workload")) : read_queries(queries);
        log.files_ = log_files(options.text("input"));
        log.workers_ = std::min(options.number("threads"), max_threads);
        return log;
    }

    struct Work {};

    // What workers find; it keeps what they made, so that freeing that is not timed.
    struct Results {
        explicit Results(std::size_t queries) : matches(queries) {}

        void append(Found found, const Counts& counts) {
            const std::lock_guard lock(mutex);
            totals += counts;
            for (std::size_t query = 0; query < matches.size(); ++query) {
                std::move(found[query].begin(), found[query].end(),
                          std::back_inserter(matches[query]));
            }
        }

        void sort() {
            for (auto& found : matches) {
                std::stable_sort(
                    found.begin(), found.end(),
                    [](const Match& one, const Match& other) { return one.file < other.file; });
            }
        }

        Found matches;
        std::optional<Archive<Library>> archive;
        std::vector<Plan<Library>> plans;
        std::mutex mutex;
    };

    Work prepare() const { return {}; }

    std::unique_ptr<Results> run(Work) const {
        auto results = std::make_unique<Results>(queries_.size());
        if (indexed_)
            indexed(*results);
        else
            regex(*results);
        return results;
    }

    std::uint64_t digest(const std::unique_ptr<Results>& results) const {
        runfair::Fnv1a hash;
        for (const auto& found : results->matches) {
            hash.add(std::to_string(found.size()) + '\n');
            for (const Match& match : found) {
                hash.add(match.line);
                hash.add("\n");
            }
        }
        return hash.value;
    }

    runfair::Counters counters() const {
        return {{"lines", totals.lines},         {"tokens", totals.tokens},
                {"numbers", totals.numbers},     {"references", totals.references},
                {"log_types", totals.log_types}, {"variables", totals.variables},
                {"scanned", totals.scanned},     {"candidates", totals.candidates},
                {"matches", totals.matches}};
    }

private:
    void indexed(Results& results) const {
        std::vector<Parser<Library>> parsers = parsers_of<Library>(workers_);
        in_parallel(workers_, [&](std::size_t worker) {
            for (std::size_t file = first(worker); file < first(worker + 1); ++file)
                parsers[worker].parse(runfair::read(files_[file]));
        });
        for (const Parser<Library>& parser : parsers)
            totals += parser.counts;
        Archive<Library>& archive = results.archive.emplace(std::move(parsers), totals);
        for (const Query& query : queries_)
            results.plans.emplace_back(query, archive, totals);
        in_parallel(workers_, [&](std::size_t worker) {
            archive.renumber(worker);
            Counts counts;
            Found found(queries_.size());
            for (std::size_t query = 0; query < queries_.size(); ++query) {
                std::size_t file = first(worker);
                for (const Messages& messages : archive.files(worker)) {
                    results.plans[query].search(messages, counts, [&](std::string line) {
                        found[query].push_back({file, std::move(line)});
                    });
                    ++file;
                }
            }
            results.append(std::move(found), counts);
        });
        results.sort();
    }

    void regex(Results& results) const {
        std::vector<typename Library::Expression> expressions;
        for (const Query& query : queries_)
            expressions.emplace_back(query.expression());
        in_parallel(workers_, [&](std::size_t worker) {
            Counts counts;
            Found found(queries_.size());
            for (std::size_t query = 0; query < queries_.size(); ++query) {
                for (std::size_t file = first(worker); file < first(worker + 1); ++file) {
                    const std::string content = runfair::read(files_[file]);
                    for_each_line(content, [&](std::string_view line) {
                        counts.lines++;  // tick
                        if (line.size() > Library::longest_line)
                            throw too_long(files_[file], line.size());
                        if (expressions[query].is_found_in(line)) {
                            counts.matches++;  // tick
                            found[query].push_back({file, std::string(line)});
                        }
                    });
                }
            }
            results.append(std::move(found), counts);
        });
        results.sort();
    }

    // The first file of a worker's block.
    std::size_t first(std::size_t worker) const { return files_.size() * worker / workers_; }

    static runfair::UserError too_long(const std::string& file, std::size_t length) {
        return runfair::UserError("input " + runfair::quoted(file) + " has a line of " +
                                  std::to_string(length) + " bytes, and std::regex takes " +
                                  std::to_string(Library::longest_line) +
                                  "; search it by the tier boost");
    }

    bool indexed_ = true;
    std::vector<Query> queries_;
    std::vector<std::string> files_;
    std::size_t workers_ = 1;
};

}  // namespace clp
