package main

// end is an actor's last message: its result, and what it counted.
type end struct {
	result  int
	counted counters
}

// stage is main's side of the actors: its mailbox, and how many it has started.
type stage struct {
	main   chan end
	actors int
}

// spawn starts an actor. Its behaviour gives its result.
func (s *stage) spawn(behaviour func(counts *counters) int) {
	s.actors++
	go func() {
		var counts counters
		result := behaviour(&counts)
		s.main <- end{result, counts}
	}()
}
