package processor

import (
	"sync/atomic"
	"time"
)

// clock is the one place where the processor reads the time. It goes with the wall clock until it is stopped; then it
// stands, and moves only when it is told to.
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
