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
// Any program may write these attributes, so a span may also have evaluations by people and by models. They stay, with one
// exception: [Forms.Clean] removes an evaluation that has the name of one of our metrics. A reader could not distinguish it
// from ours.
package scoreforms
