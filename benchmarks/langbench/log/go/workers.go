package main

import "sync"

// inParallel calls work with the number of each worker and counters of its own,
// in a goroutine if there are several, and returns the first mistake.
func (p *log) inParallel(work func(worker int, counts *counters) error) error {
	if p.workers == 1 {
		return work(0, &p.counts)
	}
	counts, mistakes := make([]counters, p.workers), make([]error, p.workers)
	var group sync.WaitGroup
	for worker := range p.workers {
		group.Add(1)
		go func() {
			defer group.Done()
			mistakes[worker] = work(worker, &counts[worker])
		}()
	}
	group.Wait()
	for worker := range p.workers {
		p.counts.add(&counts[worker])
	}
	for _, mistake := range mistakes {
		if mistake != nil {
			return mistake
		}
	}
	return nil
}

// first is the first file of a worker's block.
func (p *log) first(worker int) int {
	return len(p.files) * worker / p.workers
}

func (p *log) block(worker int) []string {
	return p.files[p.first(worker):p.first(worker+1)]
}

// counters of the task: langbench/log/contract.md, "Counters".
type counters struct {
	lines, tokens, numbers, references, logTypes, variables, scanned, candidates, matches uint64
}

func (c *counters) add(other *counters) {
	c.lines += other.lines
	c.tokens += other.tokens
	c.numbers += other.numbers
	c.references += other.references
	c.logTypes += other.logTypes
	c.variables += other.variables
	c.scanned += other.scanned
	c.candidates += other.candidates
	c.matches += other.matches
}
