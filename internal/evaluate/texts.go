package evaluate

// An ottlText is a text of OTTL in an expectation that may fail on an anchor: the condition, or the key of its dataset.
type ottlText struct {
	expectation, text string
	// key is the log's name for the text: "when" or "dataset.key". subject says what failed, and effect what that means.
	key, subject, effect string
}

// condition is the condition of the expectation.
func (x *Expectation) condition() ottlText {
	return ottlText{x.Name, x.Text, "when", "the condition of an expectation", "as false"}
}

// caseKey is the key of the expectation's dataset.
func (x *Expectation) caseKey() ottlText {
	return ottlText{x.Name, x.Cases.Text, "dataset.key", "the key of a dataset", "as none"}
}
