package scoring

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// privateNumber is the only number in arguments. No count in a reason is near it.
const privateNumber = "777333"

// privateValue returns a JSON value with Cyrillic strings and, if keys are private, Cyrillic keys. All other text of these
// tests is Latin.
func (d *dice) privateValue(keys []string, depth int) string {
	switch kind := d.below(6); {
	case kind < 3 && depth > 0:
		var members []string
		for range d.below(4) {
			key := keys[d.below(len(keys))] + strconv.Itoa(len(members))
			members = append(members, strconv.Quote(key)+":"+d.privateValue(keys, depth-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	case kind == 3 && depth > 0:
		var elements []string
		for range d.below(3) {
			elements = append(elements, d.privateValue(keys, depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case kind == 4:
		return privateNumber
	}
	return pick(d, []string{`"тайна"`, `"секрет"`, `"секрет\nъ"`, `"\u0436"`})
}

func (d *dice) privatePayload(keys []string) Payload {
	switch d.below(8) {
	case 0:
		return Text("тайна " + privateNumber)
	case 1:
		return Omitted()
	case 2:
		return Payload{}
	}
	return JSON(d.privateValue(keys, 3))
}

// privateMethods returns all methods, each with all comparisons that it has.
func privateMethods(d *dice) []Method {
	native, axion, params := d.options(), DefaultAxion(), []string{"input_parameters", "output"}
	native.ExtraCalls, native.Repeats, native.Threshold = ExtraCalls(d.below(2)), Repeats(d.below(2)), float64(d.below(3))/2
	axion.CheckParameters, axion.StrictOrder, axion.ParameterMatchingStrategy = true, d.chance(2), pick(d, []string{"exact", "subset", "fuzzy"})
	deepEval := DeepEvalOptions{EvaluationParams: params, ShouldExactMatch: d.chance(3), ShouldConsiderOrdering: d.chance(2), StrictMode: d.chance(2)}
	evalSharp := DeepEvalOptions{EvaluationParams: params, ShouldExactMatch: d.chance(3), ShouldConsiderOrdering: d.chance(2)}
	return []Method{
		must(NewNative(native)), must(NewAxion(axion)), must(NewDeepEval(deepEval)), must(NewDeepEvalMultimodal(deepEval)),
		must(NewEvalSharp(evalSharp)), must(NewEvalLib(DefaultEvalLib())), must(NewGaltea(GalteaOptions{})),
	}
}

// FuzzReasonPrivacy: without Values, a reason contains no byte of a value in arguments or outputs, and no key that the
// expectation lacks. With Values it may: see the private key in testdata/rows/quotes.yaml.
func FuzzReasonPrivacy(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		methods := privateMethods(d)
		public, private := []string{"x", "y", "odd key"}, []string{"x", "y", "odd key", "ж@example", "имя"}
		var s ExpectationSettings
		s.Tools = make([]Tool, d.below(4))
		for i := range s.Tools {
			s.Tools[i] = Tool{Name: pick(d, someNames), Arguments: d.privatePayload(public), Output: d.privatePayload(public)}
		}
		e, err := NewExpectation(s)
		if err != nil {
			return
		}
		calls := make([]Call, d.below(5))
		for j := range calls {
			calls[j] = Call{Name: pick(d, someNames), Arguments: d.privatePayload(private), Output: d.privatePayload(private)}
		}
		for _, m := range methods {
			v := m.Judge(e, calls)
			for _, written := range []string{v.Reason(ReasonOptions{}), v.Why} {
				if strings.ContainsFunc(written, isPrivate) || strings.Contains(written, privateNumber) {
					t.Errorf("%s has private text: %s", m.Name(), written)
				}
			}
		}
	})
}

func isPrivate(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
