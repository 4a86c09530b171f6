package processor

import (
	"sync/atomic"
	"time"
)

// clock is the only place where the processor reads the time. It follows the wall clock until it is stopped. After that,
// only its method for it moves the time.
type clock struct{ stood atomic.Pointer[time.Time] }

func (c *clock) now() time.Time {
	if t := c.stood.Load(); t != nil {
		return *t
	}
	return time.Now()
}

func (c *clock) stop() { c.advance(0) }

func (c *clock) advance(d time.Duration) {
	t := c.now().Add(d)
	c.stood.Store(&t)
}

// timeLeft is how long it is until a deadline, by the wall clock.
func timeLeft(end time.Time) time.Duration { return time.Until(end) }
