package turns

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A job is a run that closes before a slice, counted from 0, and takes its time to be judged.
type job struct {
	name    string
	slice   int
	process agentrun.Process
	bytes   int
	takes   time.Duration
}

// play judges jobs as the processor does. It returns their names in the order in which they are judged, with a bar at the end
// of each slice.
func play(jobs ...job) string {
	var order strings.Builder
	var turns Turns
	var waiting []agentrun.Run
	takes := map[string]job{}
	for slice := 0; len(takes) < len(jobs) || len(waiting) > 0; slice++ {
		for _, j := range jobs {
			if j.slice == slice {
				takes[j.name] = j
				own := agentrun.Anchor{Size: j.bytes, Agent: j.name}
				own.Process = j.process
				waiting = append(waiting, agentrun.Run{Anchors: []agentrun.Anchor{own}})
			}
		}
		turns.Begin(waiting)
		for len(waiting) > 0 && !turns.Over() {
			next := turns.Next(waiting)
			var took time.Duration
			for i := range next {
				j := takes[next[i].Anchors[0].Agent]
				order.WriteString(j.name)
				took += j.takes
			}
			turns.Judged(next, took)
			waiting = waiting[len(next):]
		}
		turns.End(waiting)
		order.WriteByte('|')
	}
	return order.String()
}

func TestTurns(t *testing.T) {
	const ms, small, large, alone = time.Millisecond, 1_000, 30_000, bytesAtOnce + 1
	for _, tc := range []struct {
		name   string
		jobs   []job
		want   string
		reason string
	}{
		{"no waiting", []job{{"a", 0, 1, large, ms}, {"b", 0, 1, small, ms}, {"c", 1, 2, small, ms}}, "ab|c|", "they are judged as they closed"},
		{"small ones first", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, alone, Slice}, {"c", 0, 1, large, ms}, {"d", 0, 1, small, ms}, {"e", 1, 2, small, ms},
		}, "a|decb|", "nothing else is known of them"},
		{"quick ones first", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, small, Slice}, {"c", 0, 1, small, Slice}, {"d", 0, 1, small, Slice},
			{"e", 0, 1, small, Slice}, {"f", 2, 2, small / 2, ms}, {"g", 3, 2, small / 2, ms}, {"h", 5, 2, large, ms},
		}, "a|b|c|fgd|e|h|", "the process of f and g has taken less than that of d"},
		{"a process that is not known", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 2, small, Slice}, {"c", 0, 3, small, Slice}, {"d", 0, 4, small, Slice},
			{"e", 3, 5, small / 2, ms}, {"f", 3, 6, small - 1, ms},
		}, "a|b|c|efd|", "the mean of all counts, so small ones go first"},
		{"old ones at last", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, alone, Slice}, {"c", 0, 1, large, Slice}, {"d", 1, 2, small, Slice},
			{"e", 2, 3, small, Slice}, {"f", 3, 4, small, Slice}, {"g", 4, 5, small, Slice},
		}, "a|d|b|e|c|f|g|", "every other slice judges the run that closed first"},
		{"forgotten", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, small, Slice}, {"c", 0, 2, small / 2, ms},
			{"d", 2, 1, alone, Slice}, {"e", 2, 1, small, ms}, {"f", 3, 2, 2 * small, ms},
		}, "a|cb|d|ef|", "once no run waits, nothing is known any more"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, play(tc.jobs...), tc.reason) })
	}
}
