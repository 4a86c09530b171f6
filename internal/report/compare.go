package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Change says how a verdict compares with the same verdict of an earlier report.
type Change string

// A verdict is worse if it passed before and does not now, or if it did not pass before and has a lower score now. It is better
// the other way round. A verdict that the earlier report does not have is new.
const (
	Worse  Change = "worse"
	Better Change = "better"
	Same   Change = "same"
	New    Change = "new"
)

// againOf is a key of the verdicts that are compared when the agents ran again: those of a case, agent, expectation and metric.
func againOf(r *Row) string {
	return fmt.Sprintf("%q %q %q %q", r.Case, r.Expectation, r.Agent, r.Metric)
}

// idOf is a key that the verdict on one recorded run has in every report. It is empty if the run has no span of its own.
func idOf(r *Row) string {
	if r.SpanID == "" {
		return ""
	}
	return r.TraceID + r.SpanID + r.Metric
}

// ReadJSON reads a report that [JSON] printed, without its calls.
func ReadJSON(in io.Reader) (rows []Row, err error) {
	d := json.NewDecoder(in)
	for run := 0; ; {
		var r Row
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) && rows != nil {
			return rows, nil
		}
		if err != nil || r.Status == "" {
			return nil, fmt.Errorf("number %d is no verdict as -format json prints it", len(rows)+1)
		}
		if last := len(rows) - 1; last < 0 || r.SpanID == "" || rows[last].SpanID != r.SpanID || rows[last].TraceID != r.TraceID {
			run++
		}
		r.Run, r.Change = run, "" // the change is one since a report that is older still
		r.Calls = nil             // they are most of a report, and nothing compares them
		rows = append(rows, r)
	}
}

// passing is below the rank of every verdict that passed, and above that of every other.
const passing = 2

// rank is higher for a better verdict: one that passed, or else one with a higher score. It is -1 without a score.
func (g Gate) rank(r *Row) float64 {
	switch {
	case r.Score == nil:
		return -1
	case g.outcomeOf(r) == passed:
		return passing + *r.Score
	}
	return *r.Score
}

// maxWorse is how many worse verdicts are named.
const maxWorse = 5

// Compare sets the changes of rows since an earlier report, and says what changed, and in further lines what is worse. If at least one run
// has the same span IDs in both, the recordings are the same, and runs are matched by these IDs. Otherwise, the agents ran again, and a run
// is matched with one of the same case, agent and expectation. Several runs of a case are matched from the best to the worst, so their order
// says nothing; without a case, the n-th is matched with the n-th.
func (g Gate) Compare(before, rows []Row) string {
	by, was, is := "trace and span ids", judgedBy(before, idOf), judgedBy(rows, idOf)
	delete(was, "") // without a span of its own a run has no ID
	known := 0
	for id := range is {
		known += len(was[id])
	}
	if known == 0 {
		by, was, is = "case and agent", judgedBy(before, againOf), judgedBy(rows, againOf)
	}
	changed, gone := map[Change]int{}, 0
	for key, now := range is {
		had := was[key]
		if now[0].Case != "" {
			best := func(x, y *Row) int { return cmp.Compare(g.rank(y), g.rank(x)) }
			slices.SortStableFunc(now, best)
			slices.SortStableFunc(had, best)
		}
		for i, r := range now {
			r.Change = New
			if i < len(had) {
				r.Change = changeOf(g.rank(had[i]), g.rank(r))
			}
			changed[r.Change]++
		}
	}
	for key, had := range was {
		gone += max(0, len(had)-len(is[key])) // only the earlier report has them
	}
	text := fmt.Sprintf("compared by %s: %d worse, %d better, %d as before, %d new, %d gone",
		by, changed[Worse], changed[Better], changed[Same], changed[New], gone)
	var worse []string
	for i := range rows {
		if r := &rows[i]; r.Change == Worse {
			worse = append(worse, r.where()+": "+caseName(r)+", "+cell(r.Metric))
		}
	}
	if worse != nil {
		text += "\nworse:\n  " + Few(worse, maxWorse, "\n  ")
	}
	return text
}

// judgedBy are the rows with a verdict by a key.
func judgedBy(rows []Row, key func(*Row) string) map[string][]*Row {
	by := map[string][]*Row{}
	for i := range rows {
		if r := &rows[i]; r.Status != NoExpectation {
			by[key(r)] = append(by[key(r)], r)
		}
	}
	return by
}

// changeOf compares ranks. Of verdicts that passed, none is better than another.
func changeOf(before, now float64) Change {
	switch cmp.Compare(min(before, passing), min(now, passing)) {
	case 1:
		return Worse
	case -1:
		return Better
	}
	return Same
}
