package expect

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, tc := range []struct{ name, text, want, reason string }{
		{"empty", "", "", "no line"},
		{"blank", "\n \r\n\t\n", "", "blank lines say nothing"},
		{"plain", "a\nb\n", "1 a|2 b|", "counted from 1"},
		{"half", "a\nb", "1 a|2 b half|", "the last may be half of a line"},
		{"windows", "\uFEFFa\r\n\r\nb\r\n", "1 a|3 b|", "a byte order mark and CRLF are no part of a case"},
		{"longest", long + "\na\n", "1 " + long + "|2 a|", "as long as may be"},
		{"too long", "a\n" + strings.Repeat("x", 100*maxLine) + "\nb\n", "1 a|2 the line is longer than 1 MiB|3 b|", "the rest is read"},
		{"too long at the end", strings.Repeat("x", 3*maxLine), "1 the line is longer than 1 MiB half|", "nothing behind it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got strings.Builder
			require.NoError(t, eachLine(strings.NewReader(tc.text), func(line int, text []byte, whole bool, err error) error {
				fmt.Fprintf(&got, "%d %s", line, text)
				if err != nil {
					fmt.Fprint(&got, err)
				}
				if !whole {
					fmt.Fprint(&got, " half")
				}
				fmt.Fprint(&got, "|")
				return nil
			}))
			assert.True(t, tc.want == got.String(), "%s: %.200q", tc.reason, got.String()) //nolint:testifylint // a difference of megabytes is not for people
		})
	}
	broken := errors.New("broken")
	none := func(int, []byte, bool, error) error { return nil }
	require.ErrorIs(t, eachLine(iotest.ErrReader(broken), none), broken)
	require.ErrorIs(t, eachLine(strings.NewReader("a\nb"), func(int, []byte, bool, error) error { return io.ErrClosedPipe }), io.ErrClosedPipe)
}
