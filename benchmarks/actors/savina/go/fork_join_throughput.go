package main

// forkJoinThroughput: many actors get many messages each, in turn.
func forkJoinThroughput(w work, s *stage) {
	workers := make([]chan struct{}, w.actors)
	for i := range workers {
		x, mailbox := w.seed+i, make(chan struct{}, room)
		workers[i] = mailbox
		s.spawn(func(counts *counters) int { return compute(x, w.amount, mailbox, counts) })
	}
	for k := 0; k < w.amount; k++ {
		for _, worker := range workers {
			worker <- struct{}{}
		}
	}
}

// compute does a little work for each of the messages.
func compute(x, messages int, mailbox <-chan struct{}, counts *counters) int {
	for k := 0; k < messages; k++ {
		<-mailbox
		counts.messages++ // tick
		x = next(x)
	}
	return x
}
