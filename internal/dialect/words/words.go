package words

import "strings"

// A List has JSON strings. They are looked for by their rarest byte: all begin with a quote, which is frequent in JSON, and
// strings.Contains stops at each.
type List []rareByte

// A rareByte is the rarest byte of some words.
type rareByte struct {
	value byte
	words []word
}

type word struct {
	text string
	at   int // where the rare byte stands first
}

// byRarity has bytes that are rare in messages, which are prose and JSON, the rarest first. All other bytes are more
// frequent.
const byRarity = "QZXJKVWUYqzjxCIRT-_kvbwypgfmcu"

// Of is the list of the given names, each in quotes. It is called once for each list.
func Of(names ...string) List {
	var all List
next:
	for _, name := range names {
		text := `"` + name + `"`
		at := rarest(text)
		for i := range all {
			if all[i].value == text[at] {
				all[i].words = append(all[i].words, word{text, at})
				continue next
			}
		}
		all = append(all, rareByte{text[at], []word{{text, at}}})
	}
	return all
}

// rarest is the first place of the rarest byte of text.
func rarest(text string) int {
	for i := range len(byRarity) {
		if at := strings.IndexByte(text, byRarity[i]); at >= 0 {
			return at
		}
	}
	return 0
}

// In reports whether text has one of the words. If there are no words, it returns true.
func (a List) In(text string) bool {
	for i := range a {
		if a[i].in(text) {
			return true
		}
	}
	return len(a) == 0
}

// in stops at each place of the byte. Where the byte is frequent after all, as an underscore is in code, the stops cost
// more than what strings.Contains does.
func (r *rareByte) in(text string) bool {
	const few, apart = 8, 32 // few stops are allowed, and one more for each apart bytes
	at := 0
	for stops := 0; stops <= few+at/apart; stops++ {
		i := strings.IndexByte(text[at:], r.value)
		if i < 0 {
			return false
		}
		at += i
		for j := range r.words {
			w := &r.words[j]
			if start := at - w.at; start >= 0 && text[start] == '"' && strings.HasPrefix(text[start:], w.text) {
				return true
			}
		}
		at++
	}
	return r.contained(text[at:]) // a word has no such byte in front of its first one, so none begins before the last stop
}

// contained is in, without a search for the rare byte.
func (r *rareByte) contained(text string) bool {
	for i := range r.words {
		if strings.Contains(text, r.words[i].text) {
			return true
		}
	}
	return false
}
