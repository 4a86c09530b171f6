// Package difflib computes how alike two texts are, exactly as Python's difflib does.
//
// Methods of scoring compare texts of arguments under a fuzzy mode, and reference methods must reproduce the scores of
// Python libraries to the last bit. [Ratio] is SequenceMatcher(None, a, b).ratio() of Python 3.11, autojunk included.
//
// # The algorithm
//
// The longest block of characters that stands in both texts is found, then the longest on its left and on its right, and
// so on. The ratio is twice the number of characters in blocks over the number of all characters. Which block is found
// first decides the result, so ties are broken as Python does: the earliest in a, then the earliest in b. In a b of 200
// characters or more, characters that are more than a hundredth of it are popular and begin no block.
//
// # Its cost
//
// Python needs quadratic time for one search and cubic time in the worst case. Arguments are written by strangers, so
// three rules bound the work here:
//
//   - A search that would look at many pairs of places reads one text through the suffix automaton of the other, which
//     takes linear time and finds the same block.
//   - All comparisons of a verdict share a [Budget] of [MaxSteps] steps, some tenths of a second. A comparison that
//     exceeds it is NaN, never a guess.
//   - [Reaches] asks first whether the bounds of the ratios of long texts decide. Usually they do: a text of 60,000
//     characters is at most 0.007 alike to one of 200.
//
// The files are ratio.go (the blocks), index.go (the places of each character), automaton.go (the linear search) and
// bounds.go. The tests compare with vectors that Python computed, and with the definition written down plainly.
package difflib
