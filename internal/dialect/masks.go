package dialect

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/mask"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Placeholders of masks. Instrumentations and applications have their own, so a mask is known by its form, and an unusual
// one because it represents two things at once.

// unmask removes the marks of masked content from a call. Arguments are an object. So if they have the same text as the
// output, both are the mask of an application. A tool may return the text that it was given; then neither counts as
// captured.
func (r *Reading) unmask() {
	if r.Call.Arguments.Look(mask.Is) {
		r.Call.Arguments = scoring.Payload{}
	}
	if r.Call.Output.Look(mask.Is) {
		r.Call.Output = scoring.Payload{}
	}
	if r.Call.Arguments == r.Call.Output && !r.Traits.Has(UnnamedArgument) && r.Call.Arguments.Look(mask.MayBe) {
		r.Call.Arguments, r.Call.Output = scoring.Payload{}, scoring.Payload{}
	}
}
