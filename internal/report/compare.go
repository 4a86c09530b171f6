package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	byID, byOrder map[string]earlier
	order         ordinals
}

// An earlier verdict.
type earlier struct {
	passed bool
	score  float64 // -1 without one
}

// ordinals count the verdicts of one expectation, agent and metric.
type ordinals map[string]int

// next is a key that the n-th verdict of an expectation, an agent and a metric has in every report.
func (o ordinals) next(r *Row) string {
	key := fmt.Sprintf("%q %q %q", r.Expectation, r.Agent, r.Metric)
	o[key]++
	return fmt.Sprint(key, " ", o[key])
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
	b := &Baseline{byID: map[string]earlier{}, byOrder: map[string]earlier{}, order: ordinals{}}
	lines, rows := bufio.NewReaderSize(in, 1<<16), 0
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			var r Row
			if bad := json.Unmarshal(text, &r); bad != nil || r.Status == "" {
				return nil, fmt.Errorf("line %d is no verdict as -format json prints it", n)
			}
			rows++
			b.add(&r, g)
		}
		if err != nil {
			break
		}
	}
	if rows == 0 {
		return nil, errors.New("it has no verdicts; -format json writes such a file")
	}
	return b, nil
}

func (b *Baseline) add(r *Row, gate Gate) {
	if r.Status == NoExpectation {
		return
	}
	r.Change = "" // since a report that is older still
	e := gate.earlier(r)
	if id := idOf(r); id != "" {
		b.byID[id] = e
	}
	b.byOrder[b.order.next(r)] = e
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
// runs are matched by these IDs. Otherwise, the agents ran again. Then the n-th run of an agent is matched with the n-th of the
// same agent and expectation in the earlier report.
func (b *Baseline) Compare(rows []Row, gate Gate) *Comparison {
	c := &Comparison{Gone: len(b.byOrder)}
	for i := range rows {
		if _, same := b.byID[idOf(&rows[i])]; same && rows[i].Status != NoExpectation {
			c.ByID, c.Gone = true, len(b.byID)
			break
		}
	}
	where, order := placesOf(rows), ordinals{}
	for i := range rows {
		r := &rows[i]
		if r.Status == NoExpectation {
			continue
		}
		before, had := b.byOrder[order.next(r)]
		if c.ByID {
			before, had = b.byID[idOf(r)]
		}
		r.Change = changeOf(before, had, gate.earlier(r))
		c.add(r, where, gate)
	}
	c.Gone = max(0, c.Gone)
	return c
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
		c.changes = append(c.changes, fmt.Sprintf("%s: %s, %s: score %s. %s", r.Change, cell(r.Agent), where.of(r), r.score(), escape(r.Reason)))
	}
}

// String says what changed.
func (c *Comparison) String() string { return strings.Join(c.lines(), "\n  ") }

// lines are one of counts, and one for each verdict that got worse or better.
func (c *Comparison) lines() []string {
	by := "the order of each agent's runs"
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
