// Package scoreforms writes verdicts on spans in the forms that some backends show as scores.
//
// # Forms
//
//	openinference  annotations.<i>.annotation.*  spec/annotations.md in the repository Arize-ai/openinference; names in its
//	                                             python/openinference-semantic-conventions
//	braintrust     braintrust.scores             eval/eval.go in braintrustdata/braintrust-sdk-go; the backend is not public
//	langwatch      langwatch.evaluation.custom   langwatch/src/server/event-sourcing/pipelines/trace-processing/reactors/
//	                                             customEvaluationSync.reactor.ts in langwatch/langwatch
//
// # What others wrote
//
// These names belong to everybody, so a span may have other evaluations under them, of people and of models. They stay. An
// evaluation whose name is one of our metrics is removed by [Forms.Clean], because a reader could not tell it from ours.
package scoreforms
