package compare

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Users of equal texts share one copy, which is kept as long as it has a user.
func TestTextsHaveEqualTextsOnce(t *testing.T) {
	var texts Texts
	size := 0
	add := func(text string) string {
		size += texts.Add(&text)
		return text
	}
	remove := func(text string) { size -= texts.Remove(text) }

	first, second := add(strings.Clone("talk")), add(strings.Clone("talk"))
	require.Equal(t, "talk", second)
	require.Same(t, unsafe.StringData(first), unsafe.StringData(second))
	require.Equal(t, textBytes+4, size)
	require.Equal(t, "other", add("other"))
	require.Empty(t, add(""), "a run without a conversation keeps nothing")
	require.Equal(t, 2*textBytes+9, size)
	remove("talk")
	require.Equal(t, 2*textBytes+9, size, "the second still uses it")
	remove("talk")
	remove("")
	remove("unknown")
	require.Equal(t, textBytes+5, size)
	remove("other")
	require.Zero(t, size)
	require.Empty(t, texts)
}
