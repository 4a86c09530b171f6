package scoring

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
)

// MatchesName reports whether the pattern matches a tool's name. Each * matches any number of characters, also none. The
// work grows with the sum of their lengths.
func MatchesName(pattern, name string) bool { return glob.Equal(pattern, name) }

// names reports whether the tool has that name, or a pattern that matches it.
func (t *Tool) names(name string) bool {
	if len(t.Names) == 0 {
		return glob.Equal(t.Name, name)
	}
	for _, alternative := range t.Names {
		if glob.Equal(alternative, name) {
			return true
		}
	}
	return false
}

// label returns the tool's name in a reason, such as "search|lookup".
func (t *Tool) label() string {
	if len(t.Names) == 0 {
		return t.Name
	}
	return strings.Join(t.Names, "|")
}

// alternatives returns the tool's names and patterns. A call must match one of them.
func (t *Tool) alternatives() []string {
	if len(t.Names) == 0 {
		return []string{t.Name}
	}
	return t.Names
}
