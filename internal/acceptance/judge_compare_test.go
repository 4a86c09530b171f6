package acceptance

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A judgeOutcome says how what a build says differs from what an earlier one said, the smallest difference first.
type judgeOutcome int

const (
	judgeEqual     judgeOutcome = iota
	judgeMoreDoubt              // some runs are no longer complete, and nothing else differs
	judgeLessDoubt              // some runs are now complete, and nothing else differs
	judgeDifferent
)

var judgeWords = [...]string{"equal", "only more doubt", "less doubt", "different"}

func (o judgeOutcome) String() string { return judgeWords[o] }

// judgeComplete begins the last line of a run, which says whether the run is complete.
const judgeComplete = "\tcomplete "

// judgeCompare compares sorted runs. Where nothing but the last line of runs differs, they are in the same order.
func judgeCompare(want, got string) judgeOutcome {
	const complete = judgeComplete + "true\n"
	doubt := strings.NewReplacer(complete, judgeComplete+"false\n").Replace
	if doubt(want) != doubt(got) {
		return judgeDifferent
	}
	was, is := slices.Collect(strings.Lines(want)), slices.Collect(strings.Lines(got))
	more, less := false, false
	for i := range was {
		more = more || was[i] == complete && is[i] != complete
		less = less || was[i] != complete && is[i] == complete
	}
	switch {
	case more && less:
		return judgeDifferent
	case more:
		return judgeMoreDoubt
	case less:
		return judgeLessDoubt
	}
	return judgeEqual
}

// judgeDiff shows all lines: those of both without a sign, those of want alone with -, and those of got alone with +.
func judgeDiff(want, got string) (out string) {
	a, b := slices.Collect(strings.Lines(want)), slices.Collect(strings.Lines(got))
	common := make([][]int, len(a)+1) // how many lines a[i:] and b[j:] have in common
	for i := len(a); i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0 && i < len(a); j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out += "  " + a[i]
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out += "- " + a[i]
			i++
		default:
			out += "+ " + b[j]
			j++
		}
	}
	return out
}

// A judgeRow is a line of the list of differences, whose header says what it means.
type judgeRow struct {
	line  int
	cells string // a glob
	kind  string // what the reason begins with
}

func parseJudgeRows(t *testing.T, text string) (rows []judgeRow) {
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		require.GreaterOrEqual(t, len(words), 3, "line %d: want a recording, a configuration and a reason: %q", i+1, line)
		if !strings.Contains(words[1], ":") {
			words[1] += ":*"
		}
		kind, _, _ := strings.Cut(strings.Join(words[2:], " "), ": ")
		rows = append(rows, judgeRow{i + 1, words[0] + " " + words[1], kind})
	}
	return rows
}

func (r judgeRow) allows(cell string, o judgeOutcome) bool {
	covers, _ := path.Match(r.cells, cell) // a wrong glob covers nothing, so the row is stale
	return covers && o != judgeEqual && (r.kind == o.String() || !slices.Contains(judgeWords[:], r.kind))
}

// isStale reports whether the row allows no difference. If a cell that it covers was not played, that is not known.
func (r judgeRow) isStale(golden map[string]string, played map[string]judgeOutcome) bool {
	for cell := range golden {
		outcome, known := played[cell]
		covers, _ := path.Match(r.cells, cell)
		if covers && !known || r.allows(cell, outcome) {
			return false
		}
	}
	return true
}

func TestComparatorTellsDoubtsFromDifferences(t *testing.T) {
	runs := func(score string, a, b bool) string {
		return fmt.Sprintf("run a\n\tscore %s\n%s%t\nrun b\n%s%t\n", score, judgeComplete, a, judgeComplete, b)
	}
	said := runs("1", true, false)
	for says, want := range map[string]judgeOutcome{
		said:                       judgeEqual,
		runs("1", false, false):    judgeMoreDoubt,
		runs("1", true, true):      judgeLessDoubt,
		runs("1", false, true):     judgeDifferent,
		runs("0", true, false):     judgeDifferent,
		runs("0", false, false):    judgeDifferent,
		said + "run without any\n": judgeDifferent,
	} {
		assert.Equal(t, want, judgeCompare(said, says), judgeDiff(said, says))
	}
	assert.Equal(t, "  a\n- b\n  c\n- d\n+ b\n", judgeDiff("a\nb\nc\nd\n", "a\nc\nb\n"))
}

func TestARowAllowsWhatItNamesAndIsStaleOtherwise(t *testing.T) {
	rows := parseJudgeRows(t, "# a comment\n\nlib@*/* agent:1 only more doubt: roots are late\n*/one * a reason\n")
	const first, second, other = "lib@1/one agent:0", "lib@1/one agent:1", "lib@2/two agent:1"
	assert.True(t, rows[0].allows(second, judgeMoreDoubt))
	assert.True(t, rows[1].allows(second, judgeDifferent))
	assert.False(t, rows[0].allows(second, judgeDifferent), "it names an outcome")
	assert.False(t, rows[0].allows(first, judgeMoreDoubt), "it names an order")
	assert.False(t, rows[1].allows(other, judgeDifferent), "it names a recording")
	golden, played := map[string]string{first: "", second: "", other: ""}, map[string]judgeOutcome{second: judgeEqual}
	assert.False(t, rows[0].isStale(golden, played), "a cell was not played")
	played[other] = judgeEqual
	assert.True(t, rows[0].isStale(golden, played))
	played[second] = judgeMoreDoubt
	assert.False(t, rows[0].isStale(golden, played))
}
