package agentrun

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A checkpoint is due when all of its claims are met, and those of earlier checkpoints.
func TestCheckpoints(t *testing.T) {
	var forgotten []string
	acknowledge := func(r *Checkpoint) {
		r.Ack(func(r, before *Checkpoint) {
			forgotten = append(forgotten, fmt.Sprint(r.Records, before != nil))
		})
	}
	first := &Checkpoint{Records: []uint32{1}, pending: 2}
	second := &Checkpoint{Records: []uint32{2}, pending: 1, before: first}
	third := &Checkpoint{Records: []uint32{3}, pending: 1, before: second}
	acknowledge(first)
	acknowledge(third)
	acknowledge(second)
	assert.Empty(t, forgotten)
	acknowledge(first)
	assert.Equal(t, []string{"[] false", "[1] true", "[2 3] true"}, forgotten)
	acknowledge(nil)
}
