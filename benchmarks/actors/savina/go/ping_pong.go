package main

// toPing is a number; the first message is pong's mailbox instead.
type toPing struct {
	x    int
	pong chan<- toPong
}

// toPong is a number and who sent it; without a sender it is the end.
type toPong struct {
	x    int
	ping chan<- toPing
}

// pingPong: a number goes to and fro between two actors.
func pingPong(w work, s *stage) {
	ping, pong := make(chan toPing, room), make(chan toPong, room)
	s.spawn(func(counts *counters) int { return sendNumbers(w, ping, counts) })
	s.spawn(func(counts *counters) int { return answerNumbers(pong, counts) })
	ping <- toPing{pong: pong}
}

// sendNumbers is ping.
func sendNumbers(w work, mailbox chan toPing, counts *counters) int {
	pong := (<-mailbox).pong
	counts.messages++ // tick
	x := w.seed
	for k := 0; k < w.amount; k++ {
		pong <- toPong{x, mailbox}
		x = (<-mailbox).x
		counts.messages++ // tick
	}
	pong <- toPong{}
	return x
}

// answerNumbers is pong.
func answerNumbers(mailbox <-chan toPong, counts *counters) int {
	for {
		number := <-mailbox
		counts.messages++ // tick
		if number.ping == nil {
			return 0
		}
		number.ping <- toPing{x: next(number.x)}
	}
}
