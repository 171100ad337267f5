package main

// toProducer is the number of increments; the first message is the counter's mailbox instead.
type toProducer struct {
	total   int
	counter chan<- toCounter
}

// toCounter asks for the number of increments; without a mailbox for the reply it is an increment.
type toCounter struct{ producer chan<- toProducer }

// counting: an actor sends many messages at once to another, which counts them.
func counting(w work, s *stage) {
	producer, counter := make(chan toProducer, room), make(chan toCounter, room)
	s.spawn(func(counts *counters) int { return produce(w, producer, counts) })
	s.spawn(func(counts *counters) int { return count(counter, counts) })
	producer <- toProducer{counter: counter}
}

func produce(w work, mailbox chan toProducer, counts *counters) int {
	counter := (<-mailbox).counter
	counts.messages++ // tick
	for k := 0; k < w.amount; k++ {
		counter <- toCounter{}
	}
	counter <- toCounter{mailbox}
	total := (<-mailbox).total
	counts.messages++ // tick
	return total
}

func count(mailbox <-chan toCounter, counts *counters) int {
	for total := 0; ; total++ {
		message := <-mailbox
		counts.messages++ // tick
		if message.producer != nil {
			message.producer <- toProducer{total: total}
			return 0
		}
	}
}
