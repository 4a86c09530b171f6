package scan

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// Batch has what the spans of one request say.
type Batch struct {
	// Spans is how many there are.
	Spans int
	// Facts are grouped by trace: each of the Groups has the next N of them.
	Facts  []evidence.Fact
	Groups []Group
	// calls and responses are those of the facts.
	calls     []evidence.Call
	responses []evidence.Response
	// Parents are the links of spans that say nothing.
	Parents lookup.ParentBatch
	// Candidates are the spans that may have to be held. Agents are the spans of agents and workflows, in their order.
	Candidates []heldspans.Candidate
	Agents     []heldspans.Place
	// Steps has the senders of model calls without a parent that have everything that is known about their tool calls. Each
	// may be a step of a run.
	Steps   []evidence.Sender
	scratch *dialect.Scratch
	reading dialect.Reading
	source  source
}

// A Group is facts of one trace that follow each other.
type Group struct {
	Key evidence.Key
	N   int
	// Late: all of them are of runs that have closed. The caller finds that out.
	Late bool
}

// NewBatch returns an empty batch.
func NewBatch() Batch { return Batch{scratch: new(dialect.Scratch)} }

// A batch keeps memory for the next one, but at most maxKept of any kind. Requests may have any number of spans, and spans
// any number of calls.
const maxKept = 10_000

// Reset makes the batch empty, and keeps its memory for the next request.
func (b *Batch) Reset() {
	b.Parents.Reset()
	*b = Batch{
		Facts: Emptied(b.Facts), Groups: Emptied(b.Groups), calls: Emptied(b.calls), responses: Emptied(b.responses), Parents: b.Parents,
		Candidates: Emptied(b.Candidates), Agents: Emptied(b.Agents), Steps: Emptied(b.Steps), scratch: b.scratch,
	}
}

// count counts the last fact as one of its trace.
func (b *Batch) count() {
	k := evidence.Key{Trace: b.Facts[len(b.Facts)-1].Trace, Partition: b.source.partition}
	if last := len(b.Groups) - 1; last >= 0 && b.Groups[last].Key == k {
		b.Groups[last].N++
	} else {
		b.Groups = append(b.Groups, Group{Key: k, N: 1})
	}
}

// added adds an element, and returns it where it is. It is zero, as is all that is behind the elements of a list.
func added[T any](all *[]T) *T {
	n := len(*all)
	*all = slices.Grow(*all, 1)[:n+1]
	return &(*all)[n]
}

// Emptied returns list without elements and references. It is nil if its capacity is more than a batch may keep.
func Emptied[T any](list []T) []T {
	if cap(list) > maxKept {
		return nil
	}
	clear(list)
	return list[:0]
}
