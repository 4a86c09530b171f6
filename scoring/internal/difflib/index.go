package difflib

import "unicode/utf8"

// newTextDiff numbers the characters of both texts and indexes those of b. It uses room if that is large enough.
func newTextDiff(a, b string, room []int32) textDiff {
	// No text has more code points than bytes, so these lengths suffice for any.
	need := 2*len(a) + 2*len(b) + (len(b) + 2) + 2*(len(b)+1)
	if need > len(room) {
		room = make([]int32, need)
	}
	take := func(n int) []int32 {
		part := room[:n:n]
		room = room[n:]
		return part
	}
	var n numbering
	d := textDiff{
		b:      n.number(take(len(b))[:0], b, true),
		a:      n.number(take(len(a))[:0], a, false),
		hot:    take(len(a))[:0],
		places: take(len(b)),
		starts: take(len(b) + 2),
		old:    take(len(b) + 1),
		now:    take(len(b) + 1),
	}
	d.index(int(n.last))
	for i, c := range d.a {
		if d.indexed(c) {
			d.hot = append(d.hot, int32(i))
		}
	}
	return d
}

// numbering gives each character of b a number from 1 up.
type numbering struct {
	last  int32
	ascii [utf8.RuneSelf]int32
	other map[rune]int32
}

// number appends the numbers of text's characters to dst. A new character gets the next number if grow is set, else 0.
func (n *numbering) number(dst []int32, text string, grow bool) []int32 {
	for _, r := range text {
		var c int32
		if r < utf8.RuneSelf {
			c = n.ascii[r]
		} else {
			c = n.other[r]
		}
		if c == 0 && grow {
			n.last++
			c = n.last
			if r < utf8.RuneSelf {
				n.ascii[r] = c
			} else {
				if n.other == nil {
					n.other = make(map[rune]int32)
				}
				n.other[r] = c
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// index fills starts and places for the characters 1 to last of b. Number 0 has no places, because b lacks it.
//
// Autojunk: if b has n >= 200 characters, one that occurs more than n/100+1 times is not indexed.
func (d *textDiff) index(last int) {
	counts := d.old[:last+1] // no runs are kept yet
	for _, c := range d.b {
		counts[c]++
	}
	limit := int32(len(d.b))
	if len(d.b) >= 200 {
		limit = int32(len(d.b)/100 + 1)
	}
	// starts[c+1] first is the start of c's places, and moves to their end, which is the start of those of c+1.
	d.starts = d.starts[:last+2]
	d.starts[0] = 0
	total := int32(0)
	for c, count := range counts {
		d.starts[c+1] = total
		if count <= limit {
			total += count
		}
	}
	d.places = d.places[:total]
	for j, c := range d.b {
		if counts[c] <= limit {
			d.places[d.starts[c+1]] = int32(j)
			d.starts[c+1]++
		}
	}
	clear(counts)
}

// indexed reports whether c has places in b.
func (d *textDiff) indexed(c int32) bool { return d.starts[c] < d.starts[c+1] }
