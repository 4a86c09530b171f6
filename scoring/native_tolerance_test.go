package scoring

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// FuzzTolerance: a tolerance that no key matches changes no score, and arguments that differ only in ignored keys are equal.
func FuzzTolerance(f *testing.F) {
	f.Add(`{"x":1,"o":{"y":[1,{"z":"é"}]}}`, `{"x":1}`, "v")
	f.Add(`{"x":1e3}`, `{"x":1000,"y":null}`, "\xff\"\\")
	f.Fuzz(func(t *testing.T, wanted, made, value string) {
		if v, err := Decode(wanted); err != nil || v.Kind() != Object {
			return
		}
		for _, mode := range []ArgumentMode{ArgumentsExact, ArgumentsSubset, ArgumentsSuperset, ArgumentsPartial} {
			m := native(t, func(o *NativeOptions) { o.Arguments = mode })
			judge := func(tool Tool, arguments string) Verdict {
				return m.Judge(expectation(t, ExpectationSettings{Tools: []Tool{tool}}), []Call{{Name: "a", Arguments: JSON(arguments)}})
			}
			plain := judge(Tool{Name: "a", Arguments: JSON(wanted)}, made)
			tolerant := judge(Tool{Name: "a", Arguments: JSON(wanted), IgnoreArguments: []string{"no key \x00 is named so"}, ArgumentDefaults: JSON("{}")}, made)
			if plain.Score != tolerant.Score {
				t.Errorf("%v: a tolerance that takes no part moved the score from %v to %v", mode, plain.Score, tolerant.Score)
			}
			work := names.Budget(maxWork)
			quoted := compare.Rewrite(StringValue(value), &compare.Changes{}, &work)
			added := `{"ignored":` + quoted
			if rest := wanted[1:]; len(rest) > 0 && wanted[0] == '{' && mustDecode(wanted).Len() > 0 {
				added += "," + rest
			} else {
				return
			}
			if v, err := Decode(added); err != nil || mustDecode(wanted).Len()+1 != v.Len() {
				return // the key was there
			}
			if got := judge(Tool{Name: "a", Arguments: JSON(wanted), IgnoreArguments: []string{"ignored"}}, added); got.Score != 1 {
				t.Errorf("%v: %q and %q differ in an ignored key, and score %v", mode, wanted, added, got.Score)
			}
		}
	})
}

func mustDecode(text string) Value {
	v, _ := Decode(text)
	return v
}
