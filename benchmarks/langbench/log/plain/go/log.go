// The contract's pseudocode over strings, slices and maps: langbench/log/contract.md. Of the
// language it asks no more than Go 1.0 had.
package main

import (
	"regexp"
	"strconv"

	harness "runfair/harness/go"
)

var counts struct {
	lines, tokens, numbers, references, logTypes, variables, scanned, candidates, matches uint64
}

type program struct {
	regexForm bool
	queries   []*query
	files     []string
	archive   *archive
	found     [][]string
}

func (*program) Threads(harness.Options) int { return 1 }

func (p *program) Load(options harness.Options) error {
	p.regexForm = options.Text("form") == "regex"
	texts := defaultQueries[options.Text("workload")]
	if path := options["queries"]; path != "" {
		own, err := readQueries(path)
		if err != nil {
			return err
		}
		texts = own
	}
	for _, text := range texts {
		p.queries = append(p.queries, newQuery(text))
	}
	files, err := logFiles(options.Text("input"))
	p.files = files
	return err
}

func (p *program) Prepare() {
	p.archive = &archive{typeIDs: map[string]int64{}, variableIDs: map[string]int64{}}
	p.found = make([][]string, len(p.queries))
}

func (p *program) Run() error {
	if p.regexForm {
		return p.regex()
	}
	return p.indexed()
}

func (p *program) indexed() error {
	for _, path := range p.files {
		content, err := read(path)
		if err != nil {
			return err
		}
		p.archive.parse(content)
	}
	var plans []*plan
	for _, query := range p.queries {
		plans = append(plans, newPlan(query, p.archive))
	}
	for i, plan := range plans {
		for _, messages := range p.archive.files {
			p.found[i] = plan.search(messages, p.found[i])
		}
	}
	return nil
}

func (p *program) regex() error {
	var expressions []*regexp.Regexp
	for _, query := range p.queries {
		expressions = append(expressions, query.expression())
	}
	for i, expression := range expressions {
		for _, path := range p.files {
			content, err := read(path)
			if err != nil {
				return err
			}
			for _, line := range linesOf(content) {
				counts.lines++ // tick
				if expression.MatchString(line) {
					counts.matches++ // tick
					p.found[i] = append(p.found[i], line)
				}
			}
		}
	}
	return nil
}

func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for _, found := range p.found {
		hash.AddString(strconv.Itoa(len(found)))
		hash.AddByte('\n')
		for _, line := range found {
			hash.AddString(line)
			hash.AddByte('\n')
		}
	}
	return uint64(hash)
}

func (*program) Counters() map[string]uint64 {
	return map[string]uint64{
		"lines": counts.lines, "tokens": counts.tokens, "numbers": counts.numbers,
		"references": counts.references, "log_types": counts.logTypes,
		"variables": counts.variables, "scanned": counts.scanned,
		"candidates": counts.candidates, "matches": counts.matches,
	}
}

func main() {
	harness.Main("log", "plain", &program{})
}
