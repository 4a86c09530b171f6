package agentrun

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

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
