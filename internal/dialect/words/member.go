package words

import "strings"

// Member returns the text of a member of an object, which is JSON, without decoding it. It is "" if there is no such member, or
// if the text ends before the member does. So a member can be read although another one is too deep to be decoded.
func Member(object, name string) string {
	depth, start := 0, -1
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '"':
			end := EndOfString(object, i)
			if depth == 1 && start < 0 && object[i+1:end] == name {
				if rest := strings.TrimLeft(object[min(end+1, len(object)):], " \t\r\n"); strings.HasPrefix(rest, ":") {
					start = len(object) - len(rest) + 1
				}
			}
			i = end
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return memberFrom(object[:i], start)
			}
		case ',':
			if depth == 1 && start >= 0 {
				return memberFrom(object[:i], start)
			}
		}
	}
	return ""
}

// EndOfString is the place of the quote that ends the string at start, or the end of the text.
func EndOfString(text string, start int) int {
	for from := start + 1; ; {
		next := strings.IndexByte(text[min(from, len(text)):], '"')
		if next < 0 {
			return len(text)
		}
		quote, slash := from+next, from+next-1
		for slash > start && text[slash] == '\\' {
			slash--
		}
		if (quote-slash)%2 == 1 {
			return quote
		}
		from = quote + 1
	}
}

func memberFrom(text string, start int) string {
	if start < 0 {
		return ""
	}
	return strings.TrimSpace(text[start:])
}
