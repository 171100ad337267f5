package main

// forkJoinCreation: many actors are made for one message each.
func forkJoinCreation(w work, s *stage) {
	for i := 0; i < w.actors; i++ {
		x, mailbox := w.seed+i, make(chan struct{}, room)
		s.spawn(func(counts *counters) int { return compute(x, 1, mailbox, counts) })
		mailbox <- struct{}{}
	}
}
