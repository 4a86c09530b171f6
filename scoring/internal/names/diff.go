package names

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
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
// names that no entry has. It looks up names without a *, and tries the others.
func Diff(list []Wanted, called []string) (missing, unexpected []string) {
	made := make(map[string]bool, len(called))
	for _, name := range called {
		made[name] = true
	}
	wasMade := func(name string) bool {
		return made[name] || glob.Is(name) && slices.ContainsFunc(called, func(c string) bool { return glob.Match(name, c) })
	}
	seen, exact := make(map[string]bool, len(list)), make(map[string]bool, len(list))
	var globs []string
	for _, t := range list {
		for _, name := range t.Names {
			if exact[name] = true; glob.Is(name) {
				globs = append(globs, name)
			}
		}
		if t.Optional || seen[t.Label] {
			continue
		}
		if seen[t.Label] = true; !slices.ContainsFunc(t.Names, wasMade) {
			missing = append(missing, t.Label)
		}
	}
	for _, name := range called {
		if !exact[name] && !slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, name) }) {
			unexpected = append(unexpected, name)
		}
	}
	return missing, unexpected
}
