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
	e := earlierOf(r, gate)
	if id := idOf(r); id != "" {
		b.byID[id] = e
	}
	b.byOrder[b.order.next(r)] = e
}

func earlierOf(r *Row, gate Gate) earlier {
	r.Change = ""
	e := earlier{passed: gate.outcomeOf(r) == passed, score: -1}
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

// Compare returns the rows with their changes. If at least one run has the same span IDs in both reports, the recordings are
// the same, and runs are matched by these IDs. Otherwise, the agents ran again. Then the n-th run of an agent is matched with
// the n-th of the same agent and expectation in the earlier report.
func (b *Baseline) Compare(rows Rows, gate Gate) (*Comparison, Rows, error) {
	c := &Comparison{}
	matched := compared{rows: rows, baseline: b, gate: gate}
	err := each(rows, func(r *Row) {
		_, known := b.byID[idOf(r)]
		matched.byID = matched.byID || known && r.Status != NoExpectation
	})
	if err != nil {
		return nil, nil, err
	}
	c.ByID = matched.byID
	where, err := placesOf(rows)
	if err != nil {
		return nil, nil, err
	}
	found := 0
	err = each(matched, func(r *Row) {
		n := c.count(r.Change)
		if n == nil {
			return
		}
		*n++
		if r.Change != New {
			found++
		}
		bad := r.Change == Worse || r.Change == New && gate.outcomeOf(r) > known
		if (bad || r.Change == Better) && *n <= maxChanges {
			c.changes = append(c.changes, fmt.Sprintf("%s: %s, %s: score %s. %s", r.Change, cell(r.Agent), where.of(r), r.score(), escape(r.Reason)))
		}
	})
	earlierRows := len(b.byOrder)
	if c.ByID {
		earlierRows = len(b.byID)
	}
	c.Gone = max(0, earlierRows-found)
	return c, matched, err
}

func (c *Comparison) count(change Change) *int {
	return map[Change]*int{Worse: &c.Worse, Better: &c.Better, Same: &c.Same, New: &c.New}[change]
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

// compared are rows with their changes.
type compared struct {
	rows     Rows
	baseline *Baseline
	gate     Gate
	byID     bool
}

// Each calls f with rows that say how they changed.
func (c compared) Each(f func(run []Row) error) error {
	order := ordinals{}
	return c.rows.Each(func(run []Row) error {
		changed := make([]Row, len(run))
		copy(changed, run)
		for i := range changed {
			r := &changed[i]
			if r.Status == NoExpectation {
				continue
			}
			before, had := c.baseline.byOrder[order.next(r)]
			if c.byID {
				before, had = c.baseline.byID[idOf(r)]
			}
			r.Change = changeOf(before, had, earlierOf(r, c.gate))
		}
		return f(changed)
	})
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
