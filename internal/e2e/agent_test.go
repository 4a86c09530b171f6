package e2e

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// An agentRun is what an instrumented agent sent.
type agentRun struct {
	anchor spanID   // the agent's own span
	spans  []spanID // all its spans, the anchor among them
}

// overGRPC sends every span on its own as soon as it ends, so that the anchor comes last, in a request of its own.
func overGRPC(t *testing.T, c *collector) sdktrace.TracerProviderOption {
	t.Helper()
	exporter, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(c.grpc), otlptracegrpc.WithInsecure())
	require.NoError(t, err)
	return sdktrace.WithSyncer(exporter)
}

// overHTTP sends the whole run in one request.
func overHTTP(t *testing.T, c *collector) sdktrace.TracerProviderOption {
	t.Helper()
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpoint(c.http), otlptracehttp.WithInsecure())
	require.NoError(t, err)
	return sdktrace.WithBatcher(exporter)
}

// runAgent plays an agent that calls the tools one after the other. It returns when the collector has taken all spans.
func runAgent(t *testing.T, export sdktrace.TracerProviderOption, tools ...string) agentRun {
	t.Helper()
	return runTurn(t, export, "", tools...)
}

// runTurn is runAgent in a conversation.
func runTurn(t *testing.T, export sdktrace.TracerProviderOption, conversation string, tools ...string) agentRun {
	t.Helper()
	provider := sdktrace.NewTracerProvider(export,
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "shop"))))
	tracer := provider.Tracer("e2e")
	run := agentRun{}

	ctx, agent := tracer.Start(t.Context(), "invoke_agent support", trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", "support")))
	if conversation != "" {
		agent.SetAttributes(attribute.String("gen_ai.conversation.id", conversation))
	}
	run.anchor = sdkID(agent)
	run.child(ctx, tracer, "GET /orders", attribute.String("http.request.method", "GET"))
	for _, tool := range tools {
		run.child(ctx, tracer, "execute_tool "+tool,
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", tool),
			attribute.String("gen_ai.tool.call.arguments", `{"order_id": 7}`))
	}
	agent.End()
	run.spans = append(run.spans, run.anchor)
	require.NoError(t, provider.Shutdown(t.Context()))
	return run
}

func (r *agentRun) child(ctx context.Context, tracer trace.Tracer, name string, attributes ...attribute.KeyValue) {
	_, span := tracer.Start(ctx, name, trace.WithAttributes(attributes...))
	span.End()
	r.spans = append(r.spans, sdkID(span))
}

func sdkID(span trace.Span) spanID {
	return spanID{pcommon.TraceID(span.SpanContext().TraceID()), pcommon.SpanID(span.SpanContext().SpanID())}
}
