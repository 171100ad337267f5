// Log is the benchmark langbench/log (contract.md beside this folder).
package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"sync"

	harness "runfair/harness/go"
)

const maxThreads = 1024

// match is a matching line, and the number of its file.
type match struct {
	file int
	line string
}

// results are the matches of every query, to which workers append theirs; they
// keep what the workers made, so that its memory lives as long as elsewhere.
type results struct {
	mutex   sync.Mutex
	matches [][]match
	archive *archive
	plans   []*plan
}

func (r *results) append(found [][]match) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for query := range r.matches {
		r.matches[query] = append(r.matches[query], found[query]...)
	}
}

func (r *results) sort() {
	for _, found := range r.matches {
		slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(a.file, b.file) })
	}
}

type log struct {
	regexForm bool
	queries   []*query
	files     []string
	workers   int
	counts    counters
	results   *results
}

func (p *log) indexed() error {
	parsers := make([]*parser, p.workers)
	types, variables := newDictionary(), newDictionary()
	err := p.inParallel(func(worker int, counts *counters) error {
		parser := newParser(counts)
		if shared {
			parser.types, parser.variables = types, variables
		}
		parsers[worker] = parser
		for _, path := range p.block(worker) {
			content, err := readLog(path)
			if err != nil {
				return err
			}
			parser.parse(content)
		}
		return nil
	})
	if err != nil {
		return err
	}
	archive := merge(parsers, &p.counts)
	plans := make([]*plan, len(p.queries))
	for i, query := range p.queries {
		plans[i] = newPlan(query, archive, &p.counts)
	}
	p.results.archive, p.results.plans = archive, plans
	err = p.inParallel(func(worker int, counts *counters) error {
		archive.renumber(worker)
		found := make([][]match, len(plans))
		for i, plan := range plans {
			for at, m := range archive.blocks[worker].files {
				found[i] = plan.search(found[i], p.first(worker)+at, m, counts)
			}
		}
		p.results.append(found)
		return nil
	})
	p.results.sort()
	return err
}

func (p *log) regex() error {
	expressions := make([]*regexp.Regexp, len(p.queries))
	for i, query := range p.queries {
		expressions[i] = query.expression()
	}
	err := p.inParallel(func(worker int, counts *counters) error {
		found := make([][]match, len(expressions))
		for i, expression := range expressions {
			for at, path := range p.block(worker) {
				content, err := readLog(path)
				if err != nil {
					return err
				}
				for len(content) > 0 {
					var line []byte
					line, content = nextLine(content)
					counts.lines++ // tick
					if expression.Match(line) {
						counts.matches++ // tick
						found[i] = append(found[i], match{p.first(worker) + at, string(line)})
					}
				}
			}
		}
		p.results.append(found)
		return nil
	})
	p.results.sort()
	return err
}

// Threads is how many workers there are.
func (*log) Threads(options harness.Options) int {
	return min(options.Int("threads"), maxThreads)
}

// Load lists the files and cuts the queries.
func (p *log) Load(options harness.Options) error {
	p.regexForm = options.Text("form") == "regex"
	queries := defaultQueries[options.Text("workload")]
	if path := options["queries"]; path != "" {
		own, err := readQueries(path)
		if err != nil {
			return err
		}
		queries = own
	}
	for _, text := range queries {
		p.queries = append(p.queries, newQuery(text))
	}
	files, err := logFiles(options.Text("input"))
	if err != nil {
		return err
	}
	p.files = files
	p.workers = p.Threads(options)
	return nil
}

// Prepare makes room for the results.
func (p *log) Prepare() {
	p.results = &results{matches: make([][]match, len(p.queries))}
}

// Run answers the queries.
func (p *log) Run() error {
	if p.regexForm {
		return p.regex()
	}
	return p.indexed()
}

// Digest hashes the matches of each query, behind their number.
func (p *log) Digest() uint64 {
	hash := harness.NewFNV1a()
	for _, found := range p.results.matches {
		hash.AddString(strconv.Itoa(len(found)))
		hash.AddByte('\n')
		for _, match := range found {
			hash.AddString(match.line)
			hash.AddByte('\n')
		}
	}
	return uint64(hash)
}

// Counters are those of all workers.
func (p *log) Counters() map[string]uint64 {
	return map[string]uint64{
		"lines":      p.counts.lines,
		"tokens":     p.counts.tokens,
		"numbers":    p.counts.numbers,
		"references": p.counts.references,
		"log_types":  p.counts.logTypes,
		"variables":  p.counts.variables,
		"scanned":    p.counts.scanned,
		"candidates": p.counts.candidates,
		"matches":    p.counts.matches,
	}
}

func main() {
	harness.Main("log", tier, &log{})
}
