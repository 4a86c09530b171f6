package scoreforms

import "testing"

func TestEachWordButNativeIsAForm(t *testing.T) {
	var all Form
	for i, word := range Words() {
		f := Parse(word)
		if native := word == Native; native != (i == 0) || native != (f == 0) {
			t.Errorf("word %d, %s, is form %d: native comes first and is no form of a backend", i, word, f)
		}
		if all&f != 0 {
			t.Errorf("%s is the form of another word as well", word)
		}
		all |= f
	}
	if all != OpenInference|Braintrust|LangWatch {
		t.Errorf("the words are forms %b: each form needs a word", all)
	}
	if Parse("other") != 0 {
		t.Error("an unknown word is no form")
	}
}
