package compare

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxSpellings bounds how many names of calls and of tools are compared at once.
const maxSpellings = 1 << 16

// MayMean reports whether a call may be of a tool whose name it has in another spelling. The span of such a call has lost the case
// or the separators of the name.
func MayMean(calls []agentrun.Call, tools []scoring.Tool) bool {
	var names []string
	compared := 0
	for i := range calls {
		if !calls[i].Traits.NormalizedName {
			continue
		}
		if names == nil {
			names = namesOf(tools)
		}
		name := toolname.Folded(calls[i].Name)
		for _, pattern := range names {
			if compared++; compared > maxSpellings {
				return true
			}
			if pattern != calls[i].Name && !scoring.MatchesName(pattern, calls[i].Name) && scoring.MatchesName(foldedPattern(pattern), name) {
				return true
			}
		}
	}
	return false
}

// namesOf returns the names and patterns of tools.
func namesOf(tools []scoring.Tool) []string {
	var names []string
	for i := range tools {
		if tools[i].Name != "" {
			names = append(names, tools[i].Name)
		}
		names = append(names, tools[i].Names...)
	}
	return names
}

// foldedPattern is a name or pattern without case and separators.
func foldedPattern(pattern string) string {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = toolname.Folded(parts[i])
	}
	return strings.Join(parts, "*")
}
