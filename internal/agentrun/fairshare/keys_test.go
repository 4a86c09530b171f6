package fairshare

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A key is lost until its time. Keys that are met together with a lost one are lost too.
func TestLostKeysLeadToOthers(t *testing.T) {
	const second, minute = pcommon.Timestamp(1e9), pcommon.Timestamp(60e9)
	var l LostKeys
	require.False(t, l.Meet([]string{"a"}, second, minute), "nothing is lost yet")
	l.Add([]string{"a", "b"}, minute)
	require.False(t, l.Meet([]string{"c"}, second, minute), "another key")
	require.True(t, l.Meet([]string{"c", "b"}, minute, 2*minute), "b is still lost")
	require.True(t, l.Meet([]string{"c"}, 2*minute, 2*minute), "c was met with b")
	require.False(t, l.Meet([]string{"a"}, minute+second, 3*minute), "its time is over, and it was not met")
	require.False(t, l.Meet([]string{"c"}, 2*minute+second, 3*minute), "its time is over")
}
