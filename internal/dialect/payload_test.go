package dialect

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestDeepValuesAreTooLarge(t *testing.T) {
	for _, tc := range []struct {
		name   string
		depth  int
		want   scoring.Payload
		reason string
	}{
		{"as deep as allowed", attributes.MaxDepth, scoring.JSON(strings.Repeat("[", attributes.MaxDepth) + strings.Repeat("]", attributes.MaxDepth)), "the limit counts levels"},
		{"one deeper", attributes.MaxDepth + 1, scoring.TooLarge(), "never cut and compared"},
		{"hostile", 100_000, scoring.TooLarge(), "no stack is spent on it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := pcommon.NewValueEmpty()
			for inner, i := v, 0; i < tc.depth; i++ {
				slice := inner.SetEmptySlice()
				if i+1 < tc.depth {
					inner = slice.AppendEmpty()
				}
			}
			if got := structured(v); got != tc.want {
				t.Errorf("got %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}
