// Search of logs by the CLP algorithm or by regular expressions; see langbench/log/contract.md.
//
// A `Library` is what the tiers differ in: `tier`, the templates `Map` and `Set`, the class
// `Expression` of a compiled regular expression, and `longest_line`, the longest line that it can
// search.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "archive.hpp"
#include "folder.hpp"
#include "query.hpp"
#include "runfair.hpp"

namespace clp {

enum Counters : std::size_t {
    lines,
    tokens,
    numbers,
    references,
    log_types,
    variables,
    scanned,
    candidates,
    matching,
    decoded_lines
};

// A matching line, and the number of its file.
struct Match {
    std::size_t file;
    std::string line;
};

// Matches of each query.
using Found = std::vector<std::vector<Match>>;

// Calls `work` with the number of each worker, in a thread of its own if there are several.
template <class Work>
void in_parallel(std::size_t workers, const Work& work) {
    if (workers == 1)
        return work(0);
    std::vector<std::future<void>> futures;
    for (std::size_t worker = 0; worker < workers; ++worker)
        futures.push_back(std::async(std::launch::async, work, worker));
    for (auto& future : futures)
        future.get();
}

template <class Library>
class Log {
public:
    static constexpr std::string_view name = "log";
    static constexpr std::string_view tier = Library::tier;
    static constexpr std::array<std::string_view, 2> workloads{"hadoop", "spark"};
    static constexpr std::array<runfair::Parameter, 2> parameters{
        {{"form", "indexed"}, {"queries", ""}}};
    static constexpr std::array<std::string_view, 10> counters{
        "lines",     "tokens",  "numbers",    "references", "log_types",
        "variables", "scanned", "candidates", "matches",    "decoded_lines"};
    static constexpr std::size_t inputs = 1;
    static constexpr std::uint64_t max_threads = 1024;

    static Log load(const runfair::Options& options) {
        static constexpr std::array<std::string_view, 2> forms{"indexed", "regex"};
        const std::string& queries = options.parameters.find("queries")->second;
        Log log;
        log.indexed_ =
            runfair::one_of(forms, "form", options.parameters.find("form")->second) == "indexed";
        log.queries_ = queries.empty() ? default_queries(options.workload) : read_queries(queries);
        log.files_ = log_files(options.inputs.front());
        log.workers_ = std::min(options.threads, max_threads);
        return log;
    }

    struct Work {};

    // What workers find; it keeps what they made, so that freeing that is not timed.
    struct Results {
        explicit Results(std::size_t queries) : matches(queries) {}

        void append(Found found) {
            const std::lock_guard lock(mutex);
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

    template <class Counter>
    std::unique_ptr<Results> run(Work, Counter& counter) const {
        auto results = std::make_unique<Results>(queries_.size());
        if (indexed_)
            indexed(*results);
        else
            regex(*results);
        if constexpr (std::is_same_v<Counter, runfair::Counted>)
            count(*results, counter);
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
        return hash.value();
    }

private:
    void indexed(Results& results) const {
        std::vector<Parser<Library>> parsers(workers_);
        in_parallel(workers_, [&](std::size_t worker) {
            for (std::size_t file = first(worker); file < first(worker + 1); ++file)
                parsers[worker].parse(runfair::read(files_[file]));
        });
        Archive<Library>& archive = results.archive.emplace(std::move(parsers));
        for (const Query& query : queries_)
            results.plans.emplace_back(query, archive);
        in_parallel(workers_, [&](std::size_t worker) {
            archive.renumber(worker);
            Found found(queries_.size());
            for (std::size_t query = 0; query < queries_.size(); ++query) {
                std::size_t file = first(worker);
                for (const Messages& messages : archive.files(worker)) {
                    results.plans[query].search(messages, [&](std::string line) {
                        found[query].push_back({file, std::move(line)});
                    });
                    ++file;
                }
            }
            results.append(std::move(found));
        });
        results.sort();
    }

    void regex(Results& results) const {
        std::vector<typename Library::Expression> expressions;
        for (const Query& query : queries_)
            expressions.emplace_back(query.expression());
        in_parallel(workers_, [&](std::size_t worker) {
            Found found(queries_.size());
            for (std::size_t query = 0; query < queries_.size(); ++query) {
                for (std::size_t file = first(worker); file < first(worker + 1); ++file) {
                    const std::string content = runfair::read(files_[file]);
                    for_each_line(content, [&](std::string_view line) {
                        if (line.size() > Library::longest_line)
                            throw too_long(files_[file], line.size());
                        if (expressions[query].is_found_in(line))
                            found[query].push_back({file, std::string(line)});
                    });
                }
            }
            results.append(std::move(found));
        });
        results.sort();
    }

    // The first file of a worker's block.
    std::size_t first(std::size_t worker) const { return files_.size() * worker / workers_; }

    static runfair::UserError too_long(const std::string& file, std::size_t length) {
        return runfair::UserError("--input " + runfair::quoted(file) + " has a line of " +
                                  std::to_string(length) + " bytes, and std::regex takes " +
                                  std::to_string(Library::longest_line) +
                                  "; search it by the tier boost");
    }

    // What an iteration made; every file is decoded and compared with what is read anew.
    void count(const Results& results, runfair::Counted& counter) const {
        const auto add = [&](std::size_t which, std::size_t amount) {
            while (amount-- > 0)
                counter.tick(which);
        };
        for (const auto& found : results.matches)
            add(matching, found.size());
        if (!results.archive) {
            for (const std::string& file : files_) {
                for_each_line(runfair::read(file),
                              [&](std::string_view) { add(lines, queries_.size()); });
            }
            return;
        }
        const Archive<Library>& archive = *results.archive;
        add(log_types, archive.log_types().size());
        add(variables, archive.variables().texts().size());
        for (const Plan<Library>& plan : results.plans)
            add(scanned, plan.scanned());
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            std::size_t file = first(worker);
            for (const Messages& messages : archive.files(worker)) {
                const std::string content = runfair::read(files_[file++]);
                if (decoded(archive, messages) != content)
                    throw std::logic_error("a file does not come back from its encoding");
                add(lines, messages.types.size());
                add(decoded_lines, messages.types.size());
                for (const Id type : messages.types) {
                    for (const char kind : archive.log_type(type).kinds)
                        counter.tick(kind == number_placeholder ? numbers : references);
                }
                for (Token token = next_token(content, 0); token.begin < content.size();
                     token = next_token(content, token.end))
                    counter.tick(tokens);
                for (const Plan<Library>& plan : results.plans) {
                    plan.for_each_candidate(messages, [&](auto&&...) { counter.tick(candidates); });
                }
            }
        }
    }

    static std::string decoded(const Archive<Library>& archive, const Messages& messages) {
        std::string content;
        std::span<const std::int64_t> rest = messages.values;
        for (const Id id : messages.types) {
            const LogType& type = archive.log_type(id);
            content += archive.decode(type, rest.first(type.kinds.size())) + '\n';
            rest = rest.subspan(type.kinds.size());
        }
        if (!messages.ended && !content.empty())
            content.pop_back();
        return content;
    }

    bool indexed_ = true;
    std::vector<Query> queries_;
    std::vector<std::string> files_;
    std::size_t workers_ = 1;
};

}  // namespace clp
