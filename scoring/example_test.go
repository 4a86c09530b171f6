package scoring_test

// An example by hand.
//
// Expected are search, then refund of {"currency":"EUR"}, then mail. The calls are search, search, and refund of
// {"currency":"USD","amount":5}. By name, in any order, search and refund are paired: recall and precision are both 2/3. With
// arguments compared as a subset, refund loses its pair: recall is 1/3, and the reason reads
//
//	Failed: missing mail; wrong arguments: refund (currency). 1 of 3 expected calls matched; not expected: search.
//
// The examples below compute it.

import (
	"fmt"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func Example() {
	expectation, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{
		{Name: "search"},
		{Name: "refund", Arguments: scoring.JSON(`{"currency":"EUR"}`)},
		{Name: "mail"},
	}})
	if err != nil {
		panic(err)
	}
	calls := []scoring.Call{
		{Name: "search"},
		{Name: "search"},
		{Name: "refund", Arguments: scoring.JSON(`{"currency":"USD","amount":5}`)},
	}
	options := scoring.DefaultNative()
	for _, options.Arguments = range []scoring.ArgumentMode{scoring.ArgumentsIgnore, scoring.ArgumentsSubset} {
		method, err := scoring.NewNative(options)
		if err != nil {
			panic(err)
		}
		verdict := method.Judge(expectation, calls)
		fmt.Printf("%v: %.3f %v\n", options.Arguments, verdict.Score, verdict.Passed)
		fmt.Println(verdict.Reason(scoring.ReasonOptions{}))
	}
	// Output:
	// ignore: 0.667 true
	// Passed: 2 of 3 expected calls matched; missing mail; not expected: search.
	// subset: 0.333 false
	// Failed: missing mail; wrong arguments: refund (currency). 1 of 3 expected calls matched; not expected: search.
}

func ExampleNewExpectation() {
	_, err := scoring.NewExpectation(scoring.ExpectationSettings{
		Tools:     []scoring.Tool{{Name: "search", Count: scoring.Count{Min: 3, Max: 2}}, {Name: "delete_order"}},
		Forbidden: []scoring.Tool{{Name: "delete_*"}},
		MaxCalls:  new(3),
	})
	fmt.Println(err)
	// Output:
	// tools[0].count: max 2 is less than min 3
	// tools[1]: "delete_order" is required and forbidden
	// max_calls: is 3, but tools asks for 4
}

func ExampleNameDiff() {
	expectation, err := scoring.NewExpectation(scoring.ExpectationSettings{
		Tools: []scoring.Tool{{Name: "get_*"}, {Names: []string{"mail", "sms"}}, {Name: "log", Optional: true}},
	})
	if err != nil {
		panic(err)
	}
	missing, unexpected := scoring.NameDiff(expectation, []scoring.Call{{Name: "get_order"}, {Name: "log"}, {Name: "pay"}})
	fmt.Println(missing, unexpected)
	// Output: [mail|sms] [pay]
}
