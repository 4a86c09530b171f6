package toolcorrectnessprocessor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectfiles"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// The values of options with a fixed set of words.
const (
	scopeAgent        = "agent"
	scopeTrace        = "trace"
	scopeConversation = "conversation"
	nestedSeparate    = "separate"
	nestedInclude     = "include"
	sourcesAuto       = "auto"
	sourcesSpans      = "spans"
	sourcesMessages   = "messages"
	failedCount       = "count"
	failedIgnore      = "ignore"
)

// sources has the values of the key calls.sources.
var sources = map[string]agentrun.Sources{
	sourcesAuto: agentrun.Auto, sourcesSpans: agentrun.Spans, sourcesMessages: agentrun.Messages,
}

// maxCallsPerRun bounds calls_per_run, because the time of an alignment grows with its square.
const maxCallsPerRun = 50_000

// maxAgentNames bounds agent_names. The OpenTelemetry SDK keeps 2,000 series of a metric, and a name takes several.
const maxAgentNames = 1000

// settings converts c to the settings of the processor. Its error lists all faults of c. OTTL logs to telemetry.
func (c *Config) settings(telemetry component.TelemetrySettings) (toolcorrectness.Settings, error) {
	root := configcheck.New()
	c.check(root)
	set := toolcorrectness.Settings{
		Run: agentrun.Settings{
			WholeTrace:    c.Run.Scope == scopeTrace,
			Conversations: c.Run.Scope == scopeConversation,
			Include:       c.Run.Nested == nestedInclude,
			Wait:          c.Run.Wait,
			IdleTimeout:   c.Run.IdleTimeout,
			MaxCalls:      c.Limits.CallsPerRun,
			MaxPayload:    c.Limits.ArgumentsKiB << 10,
			Sources:       sources[c.Calls.Sources],
		},
		Settings: evaluate.Settings{
			IgnoreFailed:  c.Calls.Failed == failedIgnore,
			Exclude:       c.Calls.Exclude,
			ErrorMode:     c.errorMode(root),
			AnnotateCalls: c.Annotate.Calls,
			QuoteValues:   c.Annotate.Values,
			Forms:         c.Annotate.forms(root),
		},
		ConversationAttributes: c.Run.ConversationAttributes,
		Limits:                 toolcorrectness.Limits{OpenRuns: c.Limits.OpenRuns, Bytes: int64(c.Limits.MemoryMiB) << 20},
		AgentNames:             c.Telemetry.AgentNames,
		Storage:                c.storage(root),
		Fingerprint:            c.fingerprint(),
	}
	set.Metrics = c.metrics(root)
	list := c.inline()
	if len(list) == 0 && len(c.ExpectationFiles) == 0 {
		root.Add("expectations", "must not be empty: say which tools a run is expected to call")
	}
	inline := c.set(root, list, set.Metrics, telemetry)
	if err := root.Err(); err != nil {
		return toolcorrectness.Settings{}, err
	}
	set.Expectations, set.Warnings = inline.Expectations, inline.Warnings
	set.Run.KeepArguments, set.Run.KeepOutput = inline.Arguments, inline.Output
	if c.HasFiles() {
		set.Source, set.ReloadInterval = newFiles(c, set.Fingerprint, set.Metrics, telemetry), c.ReloadInterval
		set.Expectations, set.Warnings = nil, nil // the source has them
		set.Run.KeepArguments, set.Run.KeepOutput = true, true
	}
	return set, nil
}

// set converts a list of expectations. The result has no fingerprint.
func (c *Config) set(errs *configcheck.Errors, list []listed, metrics []evaluate.Metric, telemetry component.TelemetrySettings) evaluate.ExpectationSet {
	all, checked := c.expectations(errs, list, metrics, telemetry)
	if errs.Err() != nil {
		return evaluate.ExpectationSet{}
	}
	set := evaluate.ExpectationSet{
		Expectations: all,
		Warnings:     expectcheck.Warnings(checked, expectcheck.Limits{Exclude: c.Calls.Exclude, CallsPerRun: c.Limits.CallsPerRun}),
	}
	for i, metrics := range reached(set.Expectations) {
		if len(metrics) == 0 {
			continue
		}
		x := set.Expectations[i]
		x.Metrics = metrics
		arguments, output := x.Compares()
		set.Arguments = set.Arguments || arguments
		set.Output = set.Output || output
		if x.FromAttribute != "" && len(expectcheck.NativeNames(methods(metrics))) > 0 { // it may compare both
			set.Arguments, set.Output = true, true
		}
	}
	return set
}

// reached returns, by expectation, the metrics that can use it. A metric stops at the first one without a condition.
func reached(all []evaluate.Expectation) [][]evaluate.Metric {
	reached := make([][]evaluate.Metric, len(all))
	closed := map[string]bool{}
	for i := range all {
		for _, m := range all[i].Metrics {
			if !closed[m.Name] {
				reached[i] = append(reached[i], m)
				closed[m.Name] = all[i].Always()
			}
		}
	}
	return reached
}

// check adds an error for each plain value that is out of range.
func (c *Config) check(errs *configcheck.Errors) {
	errs.OneOf("run.scope", c.Run.Scope, scopeAgent, scopeTrace, scopeConversation)
	errs.OneOf("run.nested", c.Run.Nested, nestedSeparate, nestedInclude)
	errs.OneOf("calls.sources", c.Calls.Sources, sourcesAuto, sourcesSpans, sourcesMessages)
	if c.Run.Nested == nestedInclude && c.Run.Scope != scopeAgent {
		errs.Add("run.nested", "must be separate unless run.scope is agent, because such a run has the calls of all its agents")
	}
	for i, key := range c.Run.ConversationAttributes {
		if key == "" {
			errs.Add(fmt.Sprintf("run.conversation_attributes[%d]", i), "must not be empty")
		}
	}
	errs.OneOf("calls.failed", c.Calls.Failed, failedCount, failedIgnore)
	for i, name := range c.Calls.Exclude {
		if name == "" {
			errs.Add(fmt.Sprintf("calls.exclude[%d]", i), "must not be empty")
		}
	}
	if c.Run.Wait < 0 {
		errs.Add("run.wait", "must not be negative, is %s", c.Run.Wait)
	}
	if c.Run.IdleTimeout <= 0 {
		errs.Add("run.idle_timeout", "must be positive, is %s", c.Run.IdleTimeout)
	}
	if c.ReloadInterval < 0 {
		errs.Add("reload_interval", "must not be negative, is %s (0: files are read at start only)", c.ReloadInterval)
	}
	expectfiles.CheckPatterns(errs, "expectation_files", c.ExpectationFiles)
	errs.UpTo("limits.open_runs", c.Limits.OpenRuns, 1<<30)
	errs.UpTo("limits.memory_mib", c.Limits.MemoryMiB, 1<<20)
	errs.UpTo("limits.calls_per_run", c.Limits.CallsPerRun, maxCallsPerRun)
	errs.UpTo("limits.arguments_kib", c.Limits.ArgumentsKiB, 1<<20)
	if n := c.Telemetry.AgentNames; n < 0 || n > maxAgentNames {
		errs.Add("telemetry.agent_names", "must be from 0 to %d, is %d", maxAgentNames, n)
	}
}

// storage parses the id of the storage extension. It returns nil if none is configured.
func (c *Config) storage(errs *configcheck.Errors) *component.ID {
	if c.Storage == nil {
		return nil
	}
	id := new(component.ID)
	if err := id.UnmarshalText([]byte(*c.Storage)); err != nil {
		errs.Add("storage", "must be the id of a storage extension, such as file_storage or file_storage/runs, is %q", *c.Storage)
	}
	return id
}

// fingerprint returns a short hash of the configuration, the same on every machine.
func (c *Config) fingerprint() string {
	text, err := json.Marshal(c) // map keys are sorted
	if err != nil {
		return "" // only infinities and NaN have no JSON, and settings refuses them
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}
