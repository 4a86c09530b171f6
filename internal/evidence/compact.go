package evidence

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Settle sorts facts by start, and makes one fact of the copies of a span: a retried export sends a span again, and some
// instrumentations send it when it starts and once more when it ends. Copies that contradict each other are all kept, and
// differ says so. The result does not depend on the order of the facts.
func Settle(facts []Fact) (settled []Fact, differ bool) {
	sort.Sort(byStart(facts))
	n := 0
	for i := 0; i < len(facts); {
		alike := 1
		for i+alike < len(facts) && facts[i].ID == facts[i+alike].ID && facts[i].Start == facts[i+alike].Start && facts[i].Closed == facts[i+alike].Closed && !facts[i].ID.IsEmpty() {
			alike++
		}
		copy(facts[n:], facts[i:i+alike])
		merged := 1
		if alike > 1 {
			merged = mergeCopies(facts[n : n+alike])
			differ = differ || merged > 1
		}
		n += merged
		i += alike
	}
	clear(facts[n:])
	return facts[:n], differ
}

// byStart is the order of facts. [sort.Interface] compares them where they are, and a function of two facts would get copies.
type byStart []Fact

func (f byStart) Len() int      { return len(f) }
func (f byStart) Swap(i, k int) { f[i], f[k] = f[k], f[i] }
func (f byStart) Less(i, k int) bool {
	order := CompareStarts(&f[i].Span, &f[k].Span)
	return order < 0 || order == 0 && f[i].Closed && !f[k].Closed
}

// maxCopies is how many copies of a span are kept that contradict each other. More of them say no more.
const maxCopies = 8

// mergeCopies merges the copies of one span as far as they agree, and returns how many are left.
func mergeCopies(copies []Fact) int {
	sortCopies(copies)
	n := 1
next:
	for i := 1; i < len(copies); i++ {
		for k := range n {
			if merged, ok := Merge(&copies[k], &copies[i]); ok {
				copies[k] = merged
				continue next
			}
		}
		if n < maxCopies {
			copies[n] = copies[i]
			n++
		}
	}
	return n
}

// sortCopies sorts copies of one span: first those that say more. Their stored form has all that they say.
func sortCopies(copies []Fact) {
	type form struct {
		Fact
		stored []byte
	}
	forms := make([]form, len(copies))
	for i := range copies {
		stored, _ := encoding.Marshal(&copies[i]) // it never fails
		forms[i] = form{copies[i], stored}
	}
	slices.SortFunc(forms, func(a, b form) int {
		return cmp.Or(cmp.Compare(b.End, a.End), cmp.Compare(a.Kind, b.Kind), cmp.Compare(len(b.stored), len(a.stored)), bytes.Compare(a.stored, b.stored))
	})
	for i := range forms {
		copies[i] = forms[i].Fact
	}
}

// Merge makes one fact of two copies of a span, unless they contradict each other.
func Merge(a, b *Fact) (Fact, bool) {
	f := *a
	ok := a.Closed == b.Closed && a.ClosedBy == b.ClosedBy && a.Parent == b.Parent &&
		either(&f.Scope, b.Scope) && either(&f.Agent, b.Agent) && either(&f.Conversation, b.Conversation) && a.Process == b.Process
	if !ok {
		return f, false
	}
	f.End, f.Kind, f.Step, f.Judged = max(a.End, b.End), min(a.Kind, b.Kind), a.Step || b.Step, a.Judged || b.Judged
	f.Call, ok = mergeCalls(a.Call, b.Call)
	if !ok {
		return f, false
	}
	f.Response, ok = mergeResponses(a.Response, b.Response)
	return f, ok
}

// either sets *a to b if it is zero, and reports whether b does not contradict it.
func either[T comparable](a *T, b T) bool {
	var zero T
	if *a == zero {
		*a = b
	}
	return b == zero || *a == b
}

func mergeCalls(a, b *Call) (*Call, bool) {
	if a == nil || b == nil || a == b {
		return cmp.Or(a, b), true
	}
	c := *a
	ok := c.Name == b.Name && either(&c.ID, b.ID) && either(&c.Status, b.Status) && c.Type == b.Type &&
		eitherPayload(&c.Arguments, b.Arguments) && eitherPayload(&c.Output, b.Output)
	if !a.Arguments.Captured() {
		c.Traits.UnnamedArgument = b.Traits.UnnamedArgument
	}
	return &c, ok
}

// eitherPayload is [either] for payloads. Copies of a span have the same bytes, so nothing is decoded.
func eitherPayload(a *scoring.Payload, b scoring.Payload) bool {
	if !a.Captured() {
		*a = a.Or(b)
		return true
	}
	return !b.Captured() || *a == b
}

// mergeResponses keeps the response that has all requests of the other. That is an earlier copy: it was exported before the
// response was complete.
func mergeResponses(a, b *Response) (*Response, bool) {
	if a == nil || b == nil {
		return cmp.Or(a, b), true
	}
	if !a.includes(b) {
		if a, b = b, a; !a.includes(b) {
			return b, false
		}
	}
	if b.Unread && !a.Unread {
		a = new(*a)
		a.Unread = true
	}
	return a, true
}

// includes reports whether a has all requests of o, and as many results.
func (r *Response) includes(o *Response) bool {
	if len(o.Requests) > len(r.Requests) || len(o.Results) > len(r.Results) || len(o.Made) > len(r.Made) || (r.Shares == nil) != (o.Shares == nil) ||
		r.Prompt != o.Prompt {
		return false
	}
	return slices.EqualFunc(r.Requests[:len(o.Requests)], o.Requests, func(x, y ToolRequest) bool {
		return x.ID == y.ID && x.Name == y.Name && (x.Arguments == y.Arguments || y.Arguments == scoring.Payload{}) &&
			(x.Hosted || !y.Hosted) && (!y.Answered || x.Answered && x.Failed == y.Failed && x.Output == y.Output)
	})
}

// Tidy drops copies of facts, or of links, when there are many more than before, and sorts the others. So what is sent again and again is
// kept twice at most, and links, which are small, some hundred times. It returns by how many bytes the trace shrank, and is false if
// there was nothing to do.
func (t *Trace) Tidy() (freed int, tidied bool) {
	const few, fewLinks = 16, 1 << 10
	facts, links := len(t.Facts) >= max(few, 2*t.settled), len(t.Links) >= max(fewLinks, 2*t.settledLinks)
	if !facts && !links {
		return 0, false
	}
	before := t.Size()
	if facts {
		t.Facts, _ = Settle(t.Facts)
		t.Facts = Trimmed(t.Facts)
		t.settled = len(t.Facts)
	}
	if links {
		slices.SortFunc(t.Links, func(a, b Link) int {
			return cmp.Or(bytes.Compare(a.ID[:], b.ID[:]), bytes.Compare(a.Parent[:], b.Parent[:]))
		})
		t.Links = Trimmed(slices.Compact(t.Links))
		t.settledLinks = len(t.Links)
	}
	return before - t.Size(), true
}

// Trimmed gives back memory if most of it is not used any more.
func Trimmed[T any](all []T) []T {
	const few = 16
	if cap(all) <= few || len(all) > cap(all)/2 {
		return all
	}
	return append(make([]T, 0, len(all)), all...)
}
