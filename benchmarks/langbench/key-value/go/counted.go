package main

// countedWalk is the walk of store.find, with the counter.
func countedWalk(row *row, key []byte, statistics *statistics) **node {
	link := &row.first
	for *link != nil {
		statistics.tick(chainStepCount)
		if (*link).key == string(key) {
			break
		}
		link = &(*link).next
	}
	return link
}
