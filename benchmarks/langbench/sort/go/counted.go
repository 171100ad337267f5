package main

// counted is the sort of sort.go, line by line, with counters.
type counted struct {
	x           []string
	comparisons uint64
	swaps       uint64
}

func (c *counted) sort(lo, hi int) {
	if hi-lo > 1 {
		middle := lo + (hi-lo)/2
		work := lo + hi - middle
		c.sortInto(lo, middle, work)
		for work-lo > 2 {
			end := work
			work = lo + (end-lo+1)/2
			c.sortInto(work, end, lo)
			c.merge(lo, lo+end-work, end, hi, work)
		}
		for next := work; next > lo; next-- {
			for at := next; at < hi && c.less(c.x[at], c.x[at-1]); at++ {
				c.swap(at, at-1)
			}
		}
	}
}

func (c *counted) sortInto(lo, hi, work int) {
	if hi-lo > 1 {
		middle := lo + (hi-lo)/2
		c.sort(lo, middle)
		c.sort(middle, hi)
		c.merge(lo, middle, middle, hi, work)
	} else if lo < hi {
		c.swap(lo, work)
	}
}

func (c *counted) merge(a, aEnd, b, bEnd, work int) {
	for a < aEnd && b < bEnd {
		if c.less(c.x[a], c.x[b]) {
			c.swap(work, a)
			a++
		} else {
			c.swap(work, b)
			b++
		}
		work++
	}
	for a < aEnd {
		c.swap(work, a)
		a++
		work++
	}
	for b < bEnd {
		c.swap(work, b)
		b++
		work++
	}
}

func (c *counted) less(p, q string) bool {
	c.comparisons++
	return p < q
}

func (c *counted) swap(i, j int) {
	c.swaps++
	c.x[i], c.x[j] = c.x[j], c.x[i]
}
