package byprocess

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// Conversations has the lowest conversation ID in the spans of each process of a trace. Most traces have one process.
type Conversations struct {
	lowest string // of all processes
	first  agentrun.Process
	id     string                      // of the first process
	more   map[agentrun.Process]string // of the others
}

// ConversationsBytes is the size of Conversations without texts.
const ConversationsBytes = 64

// Add adds the conversation that a span of a process names, and returns by how many bytes c grew.
func (c *Conversations) Add(by agentrun.Process, id string) (grown int) {
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

// Own is the id that a process sent, or else an unknown one.
func (c *Conversations) Own(by agentrun.Process) string {
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

// All yields the id of each process.
func (c *Conversations) All(yield func(agentrun.Process, string) bool) {
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

// Of returns the conversation that a process sent, or else that of any process.
func (c *Conversations) Of(by agentrun.Process) string {
	if id := c.Own(by); id != "" || c == nil {
		return id
	}
	return c.lowest
}

// Bytes is how many bytes c keeps alive.
func (c *Conversations) Bytes() (n int) {
	if c == nil {
		return 0
	}
	n = ConversationsBytes
	for _, id := range c.All {
		n += len(id)
	}
	return n + len(c.more)*processBytes
}
