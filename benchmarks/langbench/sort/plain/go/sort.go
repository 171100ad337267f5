// The contract's pseudocode as methods of the array: langbench/sort/contract.md. Of the language
// it asks no more than Go 1.0 had.
package main

import harness "runfair/harness/go"

var comparisons, swaps uint64

type words []string

func (x words) sort(lo, hi int) {
	if hi-lo <= 1 {
		return
	}
	middle := lo + (hi-lo)/2
	work := lo + hi - middle
	x.sortInto(lo, middle, work)
	for work-lo > 2 {
		end := work
		work = lo + (end-lo+1)/2
		x.sortInto(work, end, lo)
		x.merge(lo, lo+end-work, end, hi, work)
	}
	for next := work; next > lo; next-- {
		at := next
		for at < hi && x.less(at, at-1) {
			x.swap(at, at-1)
			at++
		}
	}
}

func (x words) sortInto(lo, hi, work int) {
	if hi-lo > 1 {
		middle := lo + (hi-lo)/2
		x.sort(lo, middle)
		x.sort(middle, hi)
		x.merge(lo, middle, middle, hi, work)
	} else if lo < hi {
		x.swap(lo, work)
	}
}

func (x words) merge(a, aEnd, b, bEnd, work int) {
	for a < aEnd && b < bEnd {
		if x.less(a, b) {
			x.swap(work, a)
			a++
		} else {
			x.swap(work, b)
			b++
		}
		work++
	}
	for a < aEnd {
		x.swap(work, a)
		a++
		work++
	}
	for b < bEnd {
		x.swap(work, b)
		b++
		work++
	}
}

func (x words) less(p, q int) bool {
	comparisons++ // tick
	return x[p] < x[q]
}

func (x words) swap(i, j int) {
	swaps++ // tick
	x[i], x[j] = x[j], x[i]
}

type program struct {
	input, words words
}

func (*program) Threads(harness.Options) int { return 1 }

func (p *program) Load(options harness.Options) error {
	letters, length := options.Int("letters"), options.Int("length")
	count := 1
	for i := 0; i < length; i++ {
		count *= letters
	}
	different := 64
	if count < different {
		different = count
	}
	random := options.Seed()
	workload := options.Text("workload")
	for i := 0; i < count; i++ {
		number := i
		if workload == "classic" {
			number = count - 1 - i
		} else if workload == "duplicates" {
			number = int(random.Bounded(uint64(different)))
		}
		p.input = append(p.input, word(number, letters, length))
	}
	if workload == "shuffled" {
		random.Shuffle(count, func(i, j int) {
			p.input[i], p.input[j] = p.input[j], p.input[i]
		})
	}
	return nil
}

// word is the number in base letters, most significant digit first.
func word(number, letters, length int) string {
	text := make([]byte, length)
	for i := length - 1; i >= 0; i-- {
		text[i] = byte('a' + number%letters)
		number /= letters
	}
	return string(text)
}

func (p *program) Prepare() {
	p.words = make(words, len(p.input))
	copy(p.words, p.input)
}

func (p *program) Run() error {
	p.words.sort(0, len(p.words))
	return nil
}

func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for _, word := range p.words {
		hash.AddString(word)
		hash.AddByte('\n')
	}
	return uint64(hash)
}

func (*program) Counters() map[string]uint64 {
	return map[string]uint64{"comparisons": comparisons, "swaps": swaps}
}

func main() {
	harness.Main("sort", "plain", &program{})
}
