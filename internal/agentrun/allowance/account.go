// Package allowance says when a trace may be examined again, if it has cost more work than its spans paid for.
//
// Calls of unknown origin wait, and are examined again each time that an agent of their trace closes. A sender that closed an
// agent ten times a second, in a trace with ten thousand such calls, kept a core busy with 20 kB/s. So each span that arrives
// pays for some steps. A trace that has spent more rests before it is examined again. Each time that it cannot pay, it rests
// twice as long as before.
//
//	spans of 2 kB arrive        pay 1,000 steps
//	an examination: 400 steps   600 are left
//	an examination: 700 steps   too much: a rest of 1 s
//	an examination: 100 steps   nothing was paid since: a rest of 2 s
//
// An [Account] belongs to one trace. It knows no clock: the caller passes the time, and finds traces whose rest is over.
package allowance

import (
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// An Account is what the spans of a trace have paid for, and how long the trace rests. A trace has one, so it is small.
type Account struct {
	paid  int32 // steps that no examination has used
	rests uint8 // how often in a row paid was too little
	until int64 // the end of the rest, in nanoseconds since 1970
}

const (
	// bytesPaid is how many kept bytes of a span pay for a step. Examining a trace once takes fewer steps than its calls pay
	// for, so only repeated examinations are unpaid.
	bytesPaid = 2
	// mostPaid is the most that a trace saves up.
	mostPaid = 1 << 30
	// shortestRest is the first one.
	shortestRest = time.Second
)

// Pay adds the steps that the trace earned because it grew by grown bytes.
func (a *Account) Pay(grown int) {
	if grown > 0 {
		a.paid = int32(min(int(a.paid)+grown/bytesPaid, mostPaid))
	}
}

// Charge subtracts the work of an examination from what the spans have paid. If the work is more, the trace rests from now on,
// at most for longest.
func (a *Account) Charge(spent compare.Work, now time.Time, longest time.Duration) {
	if int64(spent) <= int64(a.paid) {
		a.paid -= int32(spent)
		a.rests = 0
		return
	}
	a.paid = 0
	rest := min(shortestRest<<a.rests, max(longest, shortestRest))
	if rest < longest {
		a.rests++
	}
	a.until = now.Add(rest).UnixNano()
}

// Rests reports whether the trace must not be examined now.
func (a *Account) Rests(now time.Time) bool { return a.until > now.UnixNano() }

// Until is when the rest is over.
func (a *Account) Until() time.Time { return time.Unix(0, a.until) }
