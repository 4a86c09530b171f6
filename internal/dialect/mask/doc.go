// Package mask recognizes the placeholders that instrumentations and applications write in place of content.
//
// Each of them has its own, so a mask is known by its form: [Is]. A text of any other form may be a mask as well, if it stands
// for two things at once: [MayBe].
package mask
