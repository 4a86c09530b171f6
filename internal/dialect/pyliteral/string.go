package pyliteral

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A quoted is one walk over a string. Bytes become text, because JSON has nothing else for them.
type quoted struct {
	quote byte
	bytes bool
	repr  bool   // half of a surrogate pair becomes U+FFFD
	text  string // what is left
	out   []byte
}

func (s *quoted) read() bool {
	for s.text != "" {
		c := s.text[0]
		s.text = s.text[1:]
		switch {
		case c == s.quote:
			return true
		case c == '\n', c == '\r', c == 0, s.bytes && c >= utf8.RuneSelf:
			return false // not inside one pair of quotes
		case c != '\\':
			s.out = append(s.out, c)
		case !s.escape():
			return false
		}
	}
	return false
}

// escape reads what follows a backslash. It knows the escapes that repr writes; others have changed their meaning over
// Python's versions, or need Unicode's table of names.
func (s *quoted) escape() bool {
	if s.text == "" {
		return false
	}
	c := s.text[0]
	s.text = s.text[1:]
	switch c {
	case '\\', '\'', '"':
		s.out = append(s.out, c)
		return true
	case 'n', 'r', 't':
		s.out = append(s.out, "\n\r\t"[strings.IndexByte("nrt", c)])
		return true
	case 'x':
		return s.code(2)
	case 'u':
		return !s.bytes && s.code(4)
	case 'U':
		return !s.bytes && s.code(8)
	}
	return false
}

// code reads a character's number. Half of a surrogate pair is none, but Python shows one in a string that has it.
func (s *quoted) code(digits int) bool {
	if len(s.text) < digits {
		return false
	}
	n, err := strconv.ParseUint(s.text[:digits], 16, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) && !s.repr {
		return false
	}
	s.text = s.text[digits:]
	if s.bytes {
		s.out = append(s.out, byte(n))
	} else {
		s.out = utf8.AppendRune(s.out, rune(n))
	}
	return true
}
