package tracebuffer

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// conversations has the lowest conversation ID in the spans of each process of a trace. Most traces have one process.
type conversations struct {
	lowest string // of all processes
	first  agentrun.Process
	id     string                      // of the first process
	more   map[agentrun.Process]string // of the others
}

// conversationBytes is the size of conversations without texts.
const conversationBytes = 64

// add adds the conversation that a span of a process names, and returns by how many bytes c grew.
func (c *conversations) add(by agentrun.Process, id string) (grown int) {
	if id == "" {
		return 0
	}
	if c.lowest == "" || id < c.lowest {
		c.lowest = id
	}
	if c.id == "" {
		c.first = by
	}
	known := c.id
	if c.first != by {
		known = c.more[by]
	}
	switch {
	case known != "" && known <= id:
		return 0
	case c.first == by:
		c.id = id
	default:
		if c.more == nil {
			c.more = make(map[agentrun.Process]string)
		}
		c.more[by] = id
		if known == "" {
			grown = processBytes
		}
	}
	return grown + len(id) - len(known)
}

// own is the id that a process sent, or else an unknown one.
func (c *conversations) own(by agentrun.Process) string {
	if c == nil {
		return ""
	}
	for _, process := range [...]agentrun.Process{by, 0} {
		if c.id != "" && c.first == process {
			return c.id
		}
		if id := c.more[process]; id != "" {
			return id
		}
	}
	return ""
}

// all yields the id of each process.
func (c *conversations) all(yield func(agentrun.Process, string) bool) {
	if c == nil {
		return
	}
	if c.id != "" && !yield(c.first, c.id) {
		return
	}
	for process, id := range c.more {
		if !yield(process, id) {
			return
		}
	}
}

// of returns the conversation that a process sent, or else that of any process.
func (c *conversations) of(by agentrun.Process) string {
	if id := c.own(by); id != "" || c == nil {
		return id
	}
	return c.lowest
}

// bytes is how many bytes c keeps alive.
func (c *conversations) bytes() (n int) {
	if c == nil {
		return 0
	}
	n = conversationBytes
	for _, id := range c.all {
		n += len(id)
	}
	return n + len(c.more)*processBytes
}
