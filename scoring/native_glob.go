package scoring

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
)

// MatchesName reports whether a name of a tool is the pattern, in which each * matches any run of characters, or none. It
// takes at most len(pattern) times len(name) steps.
func MatchesName(pattern, name string) bool { return glob.Equal(pattern, name) }

// names reports whether a call of that name is a call of the tool.
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

// label is the tool's name in a reason, such as "search|lookup".
func (t *Tool) label() string {
	if len(t.Names) == 0 {
		return t.Name
	}
	return strings.Join(t.Names, "|")
}

// alternatives are the patterns of which one must fit.
func (t *Tool) alternatives() []string {
	if len(t.Names) == 0 {
		return []string{t.Name}
	}
	return t.Names
}
