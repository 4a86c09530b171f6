package attributes

import "encoding/binary"

// IsASCII reports whether a text has ASCII characters only, as nearly every name and ID has. It reads eight bytes at once, the last
// of which it may have read before, and so takes fewer steps than [utf8.ValidString] does.
func IsASCII(text string) bool {
	const word, high = 8, 0x8080808080808080
	var bits uint64
	if len(text) >= word {
		bits = binary.LittleEndian.Uint64([]byte(text[len(text)-word:]))
		for ; len(text) > word; text = text[word:] {
			bits |= binary.LittleEndian.Uint64([]byte(text[:word]))
		}
		return bits&high == 0
	}
	for i := range len(text) {
		bits |= uint64(text[i])
	}
	return bits&high == 0
}
