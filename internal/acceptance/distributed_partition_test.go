package acceptance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

// Tenants choose their own IDs, so two of them may have the same ones. With run.partition_by neither sees the other's spans.
func TestDistributedTenants(t *testing.T) {
	sent := func(tenant, tool string) []ptrace.Traces {
		requests := distributedRequests([]*randomSpan{
			distributedAgent("a", "", "assistant", "planner"),
			distributedTool("t", "a", "assistant", tool, `{"q":"x"}`),
			distributedHTTP("h", "a", "assistant", ptrace.SpanKindClient),
			distributedHTTP("i", "h", "tools", ptrace.SpanKindServer),
			distributedTool("u", "i", "tools", tool, `{"q":"y"}`),
		})
		for _, td := range requests {
			for _, rs := range td.ResourceSpans().All() {
				rs.Resource().Attributes().PutStr("tenant.id", tenant)
			}
		}
		return requests
	}
	partitioned := func(cfg *toolcorrectnessprocessor.Config) { cfg.Run.PartitionBy = []string{"tenant.id"} }
	want := []string{`a planner: refund({"q":"x"}), refund({"q":"y"})`, `a planner: search({"q":"x"}), search({"q":"y"})`}
	both := func() []ptrace.Traces { return slices.Concat(sent("acme", "search"), sent("globex", "refund")) }
	assert.Equal(t, want, distributedRuns(t, both(), partitioned))
	assert.Equal(t, want, distributedRuns(t, distributedReversed(both()), partitioned), "callees first")
	assert.Equal(t, want, distributedRuns(t, distributedTogether(both()), partitioned), "in one request")
}
