package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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

// A Baseline is an earlier report, as [JSON] printed it.
type Baseline struct {
	byID  map[string]earlier
	again map[string][]earlier // by what is the same when the agents run again
}

// An earlier verdict.
type earlier struct {
	passed bool
	score  float64 // -1 without one
}

// againOf is a key of the verdicts that are compared when the agents ran again: those of a case, agent, expectation and metric.
func againOf(r *Row) string {
	return fmt.Sprintf("%q %q %q %q", r.Case, r.Expectation, r.Agent, r.Metric)
}

// best puts verdicts that passed first, then higher scores.
func (e earlier) best(than earlier) int {
	if e.passed != than.passed {
		if e.passed {
			return -1
		}
		return 1
	}
	return cmp.Compare(than.score, e.score)
}

// idOf is a key that the verdict on one recorded run has in every report. It is empty if the run has no span of its own.
func idOf(r *Row) string {
	if r.SpanID == "" {
		return ""
	}
	return r.TraceID + r.SpanID + r.Metric
}

// ReadBaseline reads an earlier report. The gate says what passed. An error names the line.
func (g Gate) ReadBaseline(in io.Reader) (*Baseline, error) {
	rows, err := ReadJSON(in)
	if err != nil {
		return nil, err
	}
	b := &Baseline{byID: map[string]earlier{}, again: map[string][]earlier{}}
	for i := range rows {
		b.add(&rows[i], g)
	}
	return b, nil
}

// ReadJSON reads a report that [JSON] printed. An error names the line.
func ReadJSON(in io.Reader) (rows []Row, err error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	for n, run := 1, 0; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			var r Row
			if bad := json.Unmarshal(text, &r); bad != nil || r.Status == "" {
				return nil, fmt.Errorf("line %d is no verdict as -format json prints it", n)
			}
			if last := len(rows) - 1; last < 0 || r.SpanID == "" || rows[last].SpanID != r.SpanID || rows[last].TraceID != r.TraceID {
				run++
			}
			r.Run, r.Change = run, "" // the change is one since a report that is older still
			rows = append(rows, r)
		}
		if err != nil {
			break
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("it has no verdicts; -format json writes such a file")
	}
	return rows, nil
}

func (b *Baseline) add(r *Row, gate Gate) {
	if r.Status == NoExpectation {
		return
	}
	e := gate.earlier(r)
	if id := idOf(r); id != "" {
		b.byID[id] = e
	}
	key := againOf(r)
	b.again[key] = append(b.again[key], e)
}

func (g Gate) earlier(r *Row) earlier {
	e := earlier{passed: g.outcomeOf(r) == passed, score: -1}
	if r.Score != nil {
		e.score = *r.Score
	}
	return e
}

// A Comparison counts the verdicts of a report by how they changed.
type Comparison struct {
	Worse, Better, Same, New int
	// Gone is how many verdicts only the earlier report has.
	Gone int
	// ByID says how runs were matched: by the ids of their spans, or else by their order.
	ByID bool
	// changes say what got worse, then what got better, and what is new and did not pass.
	changes []string
}

// maxChanges is how many changes of a kind are listed.
const maxChanges = 10

// Compare sets the changes of rows. If at least one run has the same span IDs in both reports, the recordings are the same, and
// runs are matched by these IDs. Otherwise, the agents ran again, and a run is matched with one of the same case, agent and
// expectation. Several runs of a case are matched from the best to the worst, so their order says nothing; without a case, the n-th
// is matched with the n-th.
func (b *Baseline) Compare(rows []Row, gate Gate) *Comparison {
	c := &Comparison{}
	var judged []*Row
	for i := range rows {
		if r := &rows[i]; r.Status != NoExpectation {
			judged = append(judged, r)
			_, same := b.byID[idOf(r)]
			c.ByID = c.ByID || same
		}
	}
	if c.ByID {
		c.Gone = len(b.byID)
		for _, r := range judged {
			before, had := b.byID[idOf(r)]
			r.Change = changeOf(before, had, gate.earlier(r))
		}
	} else {
		c.Gone = b.compareAgain(judged, gate)
	}
	where := placesOf(rows)
	for _, r := range judged {
		c.add(r, where, gate)
	}
	c.Gone = max(0, c.Gone)
	return c
}

// compareAgain sets the changes of rows of agents that ran again. It returns how many verdicts the earlier report has.
func (b *Baseline) compareAgain(rows []*Row, gate Gate) (all int) {
	now := map[string][]*Row{}
	for _, r := range rows {
		now[againOf(r)] = append(now[againOf(r)], r)
	}
	for _, before := range b.again {
		all += len(before)
	}
	for key, rows := range now {
		before := b.again[key]
		if rows[0].Case != "" {
			slices.SortStableFunc(rows, func(x, y *Row) int { return gate.earlier(x).best(gate.earlier(y)) })
			slices.SortFunc(before, earlier.best)
		}
		for i, r := range rows {
			had := i < len(before)
			e := earlier{}
			if had {
				e = before[i]
			}
			r.Change = changeOf(e, had, gate.earlier(r))
		}
	}
	return all
}

// add counts a verdict, and keeps what is to be said of it.
func (c *Comparison) add(r *Row, where places, gate Gate) {
	n, tell := &c.Same, false
	switch r.Change {
	case Worse:
		n, tell = &c.Worse, true
	case Better:
		n, tell = &c.Better, true
	case New:
		n, tell = &c.New, gate.outcomeOf(r) > known
	case Same:
	}
	*n++
	if r.Change != New {
		c.Gone--
	}
	if tell && *n <= maxChanges {
		c.changes = append(c.changes, fmt.Sprintf("%s: %s, %s: score %s. %s", r.Change, cell(r.Agent), cell(r.asked())+", "+where.of(r), r.score(), escape(r.Reason)))
	}
}

// String says what changed.
func (c *Comparison) String() string { return strings.Join(c.lines(), "\n  ") }

// lines are one of counts, and one for each verdict that got worse or better.
func (c *Comparison) lines() []string {
	by := "case and agent"
	if c.ByID {
		by = "trace and span ids"
	}
	return append([]string{fmt.Sprintf("compared by %s: %d worse, %d better, %d as before, %d new, %d gone", by, c.Worse, c.Better, c.Same, c.New, c.Gone)}, c.changes...)
}

func changeOf(before earlier, had bool, now earlier) Change {
	switch {
	case !had:
		return New
	case before.passed && now.passed:
		return Same
	case before.passed != now.passed && now.passed, !now.passed && !before.passed && now.score > before.score:
		return Better
	case before.passed != now.passed, now.score < before.score:
		return Worse
	}
	return Same
}
