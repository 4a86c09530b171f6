package scoring

const (
	// mostBytes bounds the bytes of JSON that it compares in one verdict. They take about a second.
	mostBytes = 1 << 28
	// fewCells is a number of pairs so small that their bytes need not be counted.
	fewCells = 1 << 10
)

// overload returns a problem if comparing the lists would take too long. parts are the payloads that the method compares.
func (t *referenceRun) overload(parts ...part) *notScored {
	cells := len(t.tools) * len(t.calls)
	if cells > maxCells {
		return notEvaluable("%d expected tools and %d calls are more than this method compares", len(t.tools), len(t.calls))
	}
	if cells > fewCells && len(parts) > 0 && t.bytes(parts) > mostBytes {
		return notEvaluable("the payloads of %d expected tools and %d calls are more than this method compares", len(t.tools), len(t.calls))
	}
	return nil
}

// bytes returns a bound on the bytes that are read to compare every tool with every call of its name.
func (t *referenceRun) bytes(parts []part) int {
	type load struct{ tools, bytes int }
	loads := make(map[string]load)
	for i := range t.tools {
		l := loads[t.tools[i].Name]
		l.tools++
		for _, p := range parts {
			l.bytes += p.of(t.tools[i].Arguments, t.tools[i].Output).Size()
		}
		loads[t.tools[i].Name] = l
	}
	total := 0
	for j := range t.calls {
		l := loads[t.calls[j].Name]
		total += l.bytes
		for _, p := range parts {
			total += l.tools * p.of(t.calls[j].Arguments, t.calls[j].Output).Size()
		}
	}
	return total
}
