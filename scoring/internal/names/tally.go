package names

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/steps"
)

// A Tally counts names. It reuses its memory, by one goroutine at a time. The zero value is ready to use.
type Tally struct {
	// names are all names, or each once if counted is set. counts has their numbers then.
	names   []string
	counts  map[string]int
	counted bool
}

// Begin starts a tally. names and asked are how often Add and Of will be called.
func (t *Tally) Begin(names, asked int) {
	t.Forget()
	if t.counted = names*asked > few; t.counted && t.counts == nil {
		t.counts = map[string]int{}
	}
}

// Forget drops all names.
func (t *Tally) Forget() {
	clear(t.names)
	clear(t.counts)
	t.names = t.names[:0]
}

// Retained returns about how many words of memory t keeps.
func (t *Tally) Retained() int { return 2*cap(t.names) + 8*len(t.counts) }

// Add adds a name.
func (t *Tally) Add(name string) {
	if t.counted {
		if t.counts[name]++; t.counts[name] > 1 {
			return
		}
	}
	t.names = append(t.names, name)
}

// Of returns how many names a pattern matches. Each comparison spends steps of work. If the work is spent, Of returns any
// number.
func (t *Tally) Of(pattern string, work *steps.Budget) (n int) {
	if t.counted && !glob.Is(pattern) {
		return t.counts[pattern]
	}
	for _, name := range t.names {
		if !work.Spend(glob.Steps(pattern, name)) {
			return n
		}
		switch {
		case !glob.Equal(pattern, name):
		case t.counted:
			n += t.counts[name]
		default:
			n++
		}
	}
	return n
}
