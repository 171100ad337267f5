package main

// token goes around the ring. The first message to a node is the next node's mailbox instead, and
// its last one may be a stop.
type token struct {
	left, x int
	next    chan<- token
	stop    int // this message stops so many nodes, one after the other
}

// threadRing: a token goes around a ring of actors.
func threadRing(w work, s *stage) {
	ring := make([]chan token, w.actors)
	for i := range ring {
		number, mailbox := i, make(chan token, room)
		ring[i] = mailbox
		s.spawn(func(counts *counters) int { return pass(number, w, mailbox, counts) })
	}
	for i, node := range ring {
		node <- token{next: ring[(i+1)%w.actors]}
	}
	ring[0] <- token{left: w.amount, x: w.seed}
}

// pass is node i.
func pass(i int, w work, mailbox <-chan token, counts *counters) int {
	following := (<-mailbox).next
	counts.messages++ // tick
	for {
		message := <-mailbox
		counts.messages++ // tick
		if message.stop > 0 {
			if message.stop > 1 {
				following <- token{stop: message.stop - 1}
			}
			return 0
		}
		x := (next(message.x) + i) & 0xffff
		if message.left == 0 {
			following <- token{stop: w.actors - 1}
			return x
		}
		following <- token{left: message.left - 1, x: x}
	}
}
