// Sort is the benchmark langbench/sort (contract.md beside this folder).
package main

import (
	"slices"

	harness "runfair/harness/go"
)

// counts is what the sort counts: langbench/sort/contract.md, "Task".
var counts struct{ comparisons, swaps uint64 }

// sort sorts x[lo, hi) in place (Katajainen, Pasanen and Teuhola, 1996).
func sort(x []string, lo, hi int) {
	if hi-lo > 1 {
		middle := lo + (hi-lo)/2
		work := lo + hi - middle
		sortInto(x, lo, middle, work)
		for work-lo > 2 {
			end := work
			work = lo + (end-lo+1)/2
			sortInto(x, work, end, lo)
			merge(x, lo, lo+end-work, end, hi, work)
		}
		for next := work; next > lo; next-- {
			for at := next; at < hi && less(x[at], x[at-1]); at++ {
				swap(x, at, at-1)
			}
		}
	}
}

// sortInto sorts x[lo, hi) into x[work, work+hi-lo).
func sortInto(x []string, lo, hi, work int) {
	if hi-lo > 1 {
		middle := lo + (hi-lo)/2
		sort(x, lo, middle)
		sort(x, middle, hi)
		merge(x, lo, middle, middle, hi, work)
	} else if lo < hi {
		swap(x, lo, work)
	}
}

// merge merges the sorted x[a, aEnd) and x[b, bEnd) by swapping into x[work …].
func merge(x []string, a, aEnd, b, bEnd, work int) {
	for a < aEnd && b < bEnd {
		if less(x[a], x[b]) {
			swap(x, work, a)
			a++
		} else {
			swap(x, work, b)
			b++
		}
		work++
	}
	for a < aEnd {
		swap(x, work, a)
		a++
		work++
	}
	for b < bEnd {
		swap(x, work, b)
		b++
		work++
	}
}

func less(p, q string) bool {
	counts.comparisons++ // tick
	return p < q
}

func swap(x []string, i, j int) {
	counts.swaps++ // tick
	x[i], x[j] = x[j], x[i]
}

type sorting struct {
	input []string
	words []string
}

// Threads is one: the sort is single-threaded.
func (*sorting) Threads(harness.Options) int { return 1 }

// Load makes the array of strings, each a string of its own.
func (p *sorting) Load(options harness.Options) error {
	letters, length := options.Int("letters"), options.Int("length")
	n := 1
	for range length {
		n *= letters
	}
	random := options.Seed()
	p.input = make([]string, n)
	switch options.Text("workload") {
	case "classic":
		for i := range n {
			p.input[i] = word(n-1-i, letters, length)
		}
	case "shuffled":
		for i := range n {
			p.input[i] = word(i, letters, length)
		}
		random.Shuffle(n, func(i, j int) { swap(p.input, i, j) })
	case "duplicates":
		for i := range n {
			p.input[i] = word(int(random.Bounded(uint64(min(64, n)))), letters, length)
		}
	}
	return nil
}

// word writes its number in base letters, most significant digit first.
func word(number, letters, length int) string {
	text := make([]byte, length)
	for i := range slices.Backward(text) {
		text[i] = 'a' + byte(number%letters)
		number /= letters
	}
	return string(text)
}

// Prepare copies the array, not the strings.
func (p *sorting) Prepare() {
	p.words = slices.Clone(p.input)
}

// Run sorts the array.
func (p *sorting) Run() error {
	sort(p.words, 0, len(p.words))
	return nil
}

// Digest hashes the sorted words, a line each.
func (p *sorting) Digest() uint64 {
	hash := harness.NewFNV1a()
	for _, word := range p.words {
		hash.AddString(word)
		hash.AddByte('\n')
	}
	return uint64(hash)
}

// Counters are the sort's.
func (*sorting) Counters() map[string]uint64 {
	return map[string]uint64{"comparisons": counts.comparisons, "swaps": counts.swaps}
}

func main() {
	harness.Main("sort", "standard", &sorting{})
}
