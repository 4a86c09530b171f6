package names

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/steps"
)

// A Wanted is an expected entry. One of its names or patterns must be there.
type Wanted struct {
	Names []string
	// Label is what a result has in place of the names.
	Label string
	// Optional entries are never missing.
	Optional bool
}

// Diff compares entries with names, which are all different. It returns the labels of missing entries, each once, and the
// names that no entry has. It looks up names without a *. Each comparison of a pattern with a name spends steps of work. If
// the work is spent, further patterns match nothing.
func Diff(list []Wanted, called []string, work *steps.Budget) (missing, unexpected []string) {
	made := make(map[string]bool, len(called))
	for _, name := range called {
		made[name] = true
	}
	matches := func(pattern, name string) bool {
		return work.Spend(glob.Steps(pattern, name)) && glob.Match(pattern, name)
	}
	wasMade := func(name string) bool {
		return made[name] || glob.Is(name) && !work.Spent() && slices.ContainsFunc(called, func(c string) bool { return matches(name, c) })
	}
	seen, exact := make(map[string]bool, len(list)), make(map[string]bool, len(list))
	var globs []string
	for _, t := range list {
		for _, name := range t.Names {
			if !exact[name] && glob.Is(name) {
				globs = append(globs, name)
			}
			exact[name] = true
		}
		if t.Optional || seen[t.Label] {
			continue
		}
		if seen[t.Label] = true; !slices.ContainsFunc(t.Names, wasMade) {
			missing = append(missing, t.Label)
		}
	}
	for _, name := range called {
		if !exact[name] && (work.Spent() || !slices.ContainsFunc(globs, func(g string) bool { return matches(g, name) })) {
			unexpected = append(unexpected, name)
		}
	}
	return missing, unexpected
}
