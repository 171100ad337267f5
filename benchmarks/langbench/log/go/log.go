// Log is the benchmark langbench/log (contract.md beside this folder).
package main

import (
	"fmt"
	"regexp"
	"sort"
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
		sort.SliceStable(found, func(i, j int) bool { return found[i].file < found[j].file })
	}
}

type program struct {
	regexForm bool
	queries   []*query
	files     []string
	workers   int
	results   *results
}

func (p *program) indexed() error {
	parsers := make([]*parser, p.workers)
	err := p.inParallel(func(worker int) error {
		parser := newParser()
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
	archive := merge(parsers)
	plans := make([]*plan, len(p.queries))
	for i, query := range p.queries {
		plans[i] = newPlan(query, archive)
	}
	p.results.archive, p.results.plans = archive, plans
	err = p.inParallel(func(worker int) error {
		archive.renumber(worker)
		found := make([][]match, len(plans))
		for i, plan := range plans {
			for at, m := range archive.blocks[worker].files {
				found[i] = plan.search(found[i], p.first(worker)+at, m)
			}
		}
		p.results.append(found)
		return nil
	})
	p.results.sort()
	return err
}

func (p *program) regex() error {
	expressions := make([]*regexp.Regexp, len(p.queries))
	for i, query := range p.queries {
		expressions[i] = query.expression()
	}
	err := p.inParallel(func(worker int) error {
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
					if expression.Match(line) {
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

// first is the first file of a worker's block.
func (p *program) first(worker int) int {
	return len(p.files) * worker / p.workers
}

func (p *program) block(worker int) []string {
	return p.files[p.first(worker):p.first(worker+1)]
}

// inParallel calls work with the number of each worker, in a goroutine of its
// own if there are several, and gives the first fault.
func (p *program) inParallel(work func(worker int) error) error {
	if p.workers == 1 {
		return work(0)
	}
	faults := make([]error, p.workers)
	var group sync.WaitGroup
	for worker := range faults {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			faults[worker] = work(worker)
		}(worker)
	}
	group.Wait()
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}

// Threads is how many workers there are.
func (p *program) Threads(options *harness.Options) int {
	if options.Threads > maxThreads {
		return maxThreads
	}
	return options.Threads
}

// Load lists the files and cuts the queries.
func (p *program) Load(options *harness.Options) error {
	form := options.Text("form")
	if form != "indexed" && form != "regex" {
		return fmt.Errorf("unknown form %q; it is one of indexed, regex", form)
	}
	p.regexForm = form == "regex"
	queries, known := defaultQueries[options.Workload]
	if !known {
		return fmt.Errorf("unknown workload %q; it is one of hadoop, spark", options.Workload)
	}
	if path := options.Text("queries"); path != "" {
		own, err := readQueries(path)
		if err != nil {
			return err
		}
		queries = own
	}
	for _, text := range queries {
		p.queries = append(p.queries, newQuery(text))
	}
	files, err := logFiles(options.Inputs[0])
	if err != nil {
		return err
	}
	p.files = files
	p.workers = p.Threads(options)
	return nil
}

// Prepare makes room for the results.
func (p *program) Prepare() {
	p.results = &results{matches: make([][]match, len(p.queries))}
}

// Run answers the queries.
func (p *program) Run() error {
	if p.regexForm {
		return p.regex()
	}
	return p.indexed()
}

// Digest hashes the matches of each query, behind their number.
func (p *program) Digest() uint64 {
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

func main() {
	harness.Main(harness.Benchmark{
		Name:      "log",
		Tier:      "standard",
		Workloads: []string{"hadoop", "spark"},
		Params:    []harness.Param{{Name: "form", Default: "indexed"}, {Name: "queries", Default: ""}},
		Inputs:    1,
	}, &program{})
}
