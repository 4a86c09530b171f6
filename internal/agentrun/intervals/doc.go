// Package intervals finds, among many intervals of time, the innermost one that contains a span.
//
//	interval a   0 ├──────────────────┤ 9
//	interval b       2 ├──────┤ 5
//	span x             3 ├┤ 4               in b: the narrowest that contains it
//	span y             3 ├────────┤ 7       in a
//	span z                       8 ├──────┤ 12    in none, so a: the first that is open and had not ended at 8
//
// [Index.Find] has the rule. Package ownership uses it for calls of unknown origin: the intervals are runs, and open ones have not
// closed.
//
// A [Reach] answers another question: had an interval begun by some time that ends at another time, or later? A [Finder] answers
// both. It reads all intervals until there are many of them, and many questions.
//
// # What it costs
//
// Senders decide how many intervals there are, how they overlap, and how many spans are looked for. So n intervals are put in
// order once, which takes n log n steps. From then on a search takes at most as many steps as the square of the logarithm of n.
package intervals
