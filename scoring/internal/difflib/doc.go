// Package difflib computes the similarity of two texts, exactly as Python's difflib does.
//
// Fuzzy modes compare the texts of arguments, and reference methods must reproduce the scores of Python libraries to the last
// bit. [Ratio] is SequenceMatcher(None, a, b).ratio() of Python 3.11, autojunk included.
//
// # The algorithm
//
// It finds the longest block of characters that both texts have, then the longest on its left and on its right, and so on.
// The ratio is twice the number of characters in blocks over the number of all characters. The choice among equally long
// blocks changes the result, so ties are broken as in Python: the earliest in a, then the earliest in b. Autojunk: if b has
// 200 characters or more, characters that make up more than a hundredth of it begin no block.
//
// # Its cost
//
// A search takes quadratic time, and a comparison cubic time in the worst case. A hostile sender may write the arguments, so all
// comparisons of a verdict share [MaxSteps] steps, some tenths of a second. A comparison that exceeds them is NaN, never a guess.
package difflib
