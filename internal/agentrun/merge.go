package agentrun

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// merge folds calls that are right below a call of the same name into it. It returns for each call the one that
// it was folded into, or none.
func (r *resolver) merge(calls []record) []int {
	into := make([]int, len(calls))
	for i := range into {
		into[i] = none
	}
	outermost := func(i int) int {
		for into[i] >= 0 {
			if next := into[into[i]]; next >= 0 {
				into[i] = next // halves the way for the next one
			}
			i = into[i]
		}
		return i
	}
	for outcome, of := range outcomesOf(calls) {
		into[outcome] = of
	}
	for i := range calls {
		up := r.ascend(calls[i].parent).call
		if up == none || into[i] != none || calls[up].name != calls[i].name || calls[i].name == "" {
			continue
		}
		// In a cycle of parents a call is its own ancestor; there the first one stays.
		if top := outermost(up); top != i {
			into[i] = top
		}
	}
	for i := range calls {
		if into[i] >= 0 {
			calls[outermost(i)].absorb(calls[i])
		}
	}
	return into
}

// outcomesOf finds, for each span that tells only how a call ended, the span that tells of the call itself: by call id,
// else the next one with the same name and arguments. An outcome without such a span is a call, for something ended;
// but not one without a name, which is none's. The calls are in order.
func outcomesOf(calls []record) map[int]int {
	some := false
	for i := range calls {
		some = some || calls[i].doubts.Outcome
	}
	if !some {
		return nil
	}
	type likeness struct {
		name      string
		arguments scoring.Payload
	}
	byID := make(map[string]int)
	alike := make(map[likeness][]int)
	for i := range calls {
		if calls[i].doubts.Outcome {
			continue
		}
		if id := calls[i].callID; id != "" {
			byID[id] = i
		}
		like := likeness{calls[i].name, calls[i].arguments()}
		alike[like] = append(alike[like], i)
	}
	of := make(map[int]int)
	for i := range calls {
		if !calls[i].doubts.Outcome {
			continue
		}
		if start, ok := byID[calls[i].callID]; ok {
			of[i] = start
			continue
		}
		like := likeness{calls[i].name, calls[i].arguments()}
		if starts := alike[like]; len(starts) > 0 {
			of[i], alike[like] = starts[0], starts[1:]
		} else if like.name == "" {
			of[i] = nobody
		}
	}
	return of
}

// nobody is where a span goes that tells of no call.
const nobody = -2

func (r *record) arguments() scoring.Payload {
	if r.payloads == nil {
		return scoring.Payload{}
	}
	return r.payloads.arguments
}
