package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

const (
	tableFile  = "testdata/corpus/README.md"
	tableBegin = "<!-- The table below is made from the recordings: go test ./internal/acceptance -run TestTableOfRecordings -update -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

// The table of recordings beside them agrees with the recordings.
func TestTableOfRecordings(t *testing.T) {
	var table strings.Builder
	table.WriteString("\n| recording | calls | arguments | outputs | failures | agents' names | conversation | without content |\n|---|---|---|---|---|---|---|---|\n")
	for _, library := range corpus.All(t) {
		table.WriteString(rowOf(t, library))
	}
	table.WriteString("\n")
	text, err := os.ReadFile(inRoot(tableFile))
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), tableBegin)
	old, after, ends := strings.Cut(rest, tableEnd)
	require.True(t, begins && ends, "%s has no place for the table", tableFile)
	if *update {
		require.NoError(t, os.WriteFile(inRoot(tableFile), []byte(before+tableBegin+table.String()+tableEnd+after), 0o600))
		return
	}
	require.Equal(t, table.String(), old, "the recordings show something else: run with -update")
}

const (
	isRead   = "read"
	isAbsent = "not recorded"
)

// rowOf returns a library's row.
func rowOf(t *testing.T, library corpus.Library) string {
	outputs, calls := 0, 0
	conversation := "–"
	for _, scenario := range library.Scenarios {
		if scenario.Name == "no_content" {
			continue
		}
		for _, r := range reportsOf(t, scenario.Requests) {
			for i := range r.Run.Calls {
				calls++
				if r.Run.Calls[i].Output.Captured() {
					outputs++
				}
			}
			if scenario.Runs[0].Session != "" && conversation != isRead {
				conversation = isAbsent
				if r.Run.Conversation != "" {
					conversation = isRead
				}
			}
		}
	}
	output := isRead
	switch {
	case outputs == 0:
		output = isAbsent
	case outputs < calls:
		output = "of most calls" // a call that failed has none
	}
	read := readOr(library.Name, lostCalls)
	if strings.HasPrefix(read, isAbsent) {
		return fmt.Sprintf("| %s | %s | – | – | – | – | – | – |\n", library.Name, read)
	}
	if read == isRead {
		read = readOr(library.Name, lostNames)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", library.Name, read, readOr(library.Name, lostArguments),
		output, readOr(library.Name, lostErrors), readOr(library.Name, lostAgents), conversation, withoutContent(library))
}

// readOr returns "read", or why no recording of a library with content has a part.
func readOr(library string, p part) string {
	for _, l := range losses {
		switch {
		case !matches(l.library, library), l.part != p, l.scenario == "no_content":
		case strings.Contains(l.scenario, "*"):
			return isAbsent + ": " + l.reason
		default:
			return fmt.Sprintf("%s, but not in `%s`: %s", isRead, l.scenario, l.reason)
		}
	}
	return isRead
}

// withoutContent returns what a library records if content is switched off.
func withoutContent(library corpus.Library) string {
	recorded := false
	for _, scenario := range library.Scenarios {
		recorded = recorded || scenario.Name == "no_content"
	}
	if !recorded {
		return "–"
	}
	parts := lossesOf(library.Name, "no_content").parts()
	switch {
	case parts[lostCalls]:
		return "nothing"
	case parts[lostNames]:
		return "calls without names"
	case parts[lostArguments]:
		return "calls by name"
	}
	return "all that is recorded"
}
