package compare

// Texts has equal texts once, and counts how often each is used. The zero value has none.
type Texts map[string]*usedText

// A usedText is a text, and how many users it has.
type usedText struct {
	text  string
	users int
}

// textBytes is the size of a text in Texts without its content.
const textBytes = 100

// Add adds a user of a text, and replaces it by the copy that all users share. It returns how many bytes more are kept.
func (t *Texts) Add(text *string) (grown int) {
	if *text == "" {
		return 0
	}
	if known := (*t)[*text]; known != nil {
		known.users++
		*text = known.text
		return 0
	}
	if *t == nil {
		*t = make(Texts)
	}
	(*t)[*text] = &usedText{*text, 1}
	return textBytes + len(*text)
}

// Remove removes a user of a text. It returns how many bytes fewer are kept.
func (t Texts) Remove(text string) (shrunk int) {
	known := t[text]
	if known == nil {
		return 0
	}
	if known.users--; known.users > 0 {
		return 0
	}
	delete(t, text)
	return textBytes + len(text)
}
