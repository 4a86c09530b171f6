package lint

const (
	module    = "github.com/toolcorrectness/toolcorrectnessprocessor"
	collector = "go.opentelemetry.io/collector"
)

// packages says what each package, with all below it, may import. An entry is a package and all below it,
// and std for the whole standard library. Test files are free.
var packages = []struct {
	pkg    string
	may    []string
	not    []string // although may says yes
	reason string
}{
	{
		"scoring",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"scoring is pure arithmetic that any Go program can use: standard library only, and the same answer every time",
	},
	{
		"scoring/jsonvalue",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"jsonvalue reads JSON; it knows no tool and no method, so the rest of scoring builds on it and never the other way round",
	},
	{
		"scoring/internal/difflib",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"difflib compares texts; it knows no value, no tool and no method",
	},
	{
		"scoring/internal/equality",
		[]string{std, module + "/scoring/jsonvalue"},
		[]string{"os", "net", "log", "math/rand"},
		"equality is over values of JSON; it knows no tool and no method",
	},
	{
		"scoring/internal/glob",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"a pattern is a text; whose name it matches is not known here",
	},
	{
		"scoring/internal/names",
		[]string{std, module + "/scoring/internal/glob", module + "/scoring/internal/steps"},
		[]string{"os", "net", "log", "math/rand"},
		"a name is a text; whose name it is, and what else is compared, is not known here",
	},
	{
		"scoring/internal/listed",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"listed reads texts; what is expected of a name is not known here",
	},
	{
		"scoring/internal/steps",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"a budget counts; what is counted is not known here",
	},
	{
		"scoring/internal/rewrite",
		[]string{std, module + "/scoring/jsonvalue", module + "/scoring/internal/glob", module + "/scoring/internal/steps"},
		[]string{"os", "net", "log", "math/rand"},
		"rewrite writes values of JSON; it knows no tool and no mode",
	},
	{
		"scoring/internal/ordered",
		[]string{std, module + "/scoring/internal/assignment"},
		[]string{"os", "net", "log", "math/rand"},
		"an ordered alignment is over rows and columns; it knows no tool and no call",
	},
	{
		"scoring/internal/pairing",
		[]string{std, module + "/scoring/internal/assignment", module + "/scoring/internal/ordered", module + "/scoring/internal/pairing", module + "/scoring/internal/reuse"},
		[]string{"os", "net", "log", "math/rand"},
		"pairs are of rows and columns; it knows no tool and no call",
	},
	{
		"scoring/internal/bipartite",
		[]string{std, module + "/scoring/internal/assignment", module + "/scoring/internal/ordered", module + "/scoring/internal/pairing", module + "/scoring/internal/reuse"},
		[]string{"os", "net", "log", "math/rand"},
		"a matching is of rows and columns; it knows no tool and no call",
	},
	{
		"scoring/internal/intervalorder",
		[]string{std, module + "/scoring/internal/assignment", module + "/scoring/internal/ordered", module + "/scoring/internal/pairing", module + "/scoring/internal/reuse"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"an interval is two numbers; it knows no call and no clock",
	},
	{
		"scoring/internal/byname",
		[]string{std, module + "/scoring/internal/reuse"},
		[]string{"os", "net", "log", "math/rand"},
		"a number has a name; what it is the number of is not known here",
	},
	{
		"scoring/internal/measure",
		[]string{std, module + "/scoring/internal/exact", module + "/scoring/internal/pairing", module + "/scoring/internal/assignment", module + "/scoring/internal/ordered", module + "/scoring/internal/reuse"},
		[]string{"os", "net", "log", "math/rand"},
		"a measure is made of sums; it knows no tool and no call",
	},
	{
		"scoring/internal/outputs",
		[]string{std, module + "/scoring/jsonvalue"},
		[]string{"os", "net", "log", "math/rand"},
		"outputs are compared as values and texts; it knows no payload and no method",
	},
	{
		"scoring/internal/likeness",
		[]string{std, module + "/scoring/jsonvalue", module + "/scoring/internal/difflib", module + "/scoring/internal/equality"},
		[]string{"os", "net", "log", "math/rand"},
		"objects are compared as other systems do; it knows no tool and no call",
	},
	{
		"scoring/internal/valuediff",
		[]string{std, module + "/scoring/jsonvalue", module + "/scoring/internal/safename"},
		[]string{"os", "net", "log", "math/rand"},
		"values of JSON differ at paths; it knows no tool, no call and no mode",
	},
	{
		"scoring/internal/reuse",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"memory is slices; what is in them is not known here",
	},
	{
		"scoring/internal/objects",
		[]string{std, module + "/scoring/jsonvalue", module + "/scoring/internal/difflib"},
		[]string{"os", "net", "log", "math/rand"},
		"objects are compared as values of JSON; it knows no tool, no mode and no credit",
	},
	{
		"scoring/internal/safename",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"a name is a text; what it names is not known here",
	},
	{
		"scoring/internal/exact",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"a fraction is a number; it knows no score",
	},
	{
		"scoring/internal/assignment",
		[]string{std},
		[]string{"os", "net", "log", "math/rand"},
		"an assignment is over numbers; it knows no tool and no call",
	},
	{
		"internal/dialect",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/attributes", module + "/internal/toolname"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a dialect reads one span and knows nothing else: no time, no state, no run",
	},
	{
		"internal/dialect/crewai",
		[]string{std, module + "/scoring", module + "/internal/dialect/pyliteral"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"the output of tasks is a text; which span it was on is not known here",
	},
	{
		"internal/dialect/mask",
		[]string{std},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a mask is known by its text alone",
	},
	{
		"internal/dialect/pyliteral",
		[]string{std, module + "/scoring", module + "/internal/attributes", module + "/internal/dialect/words"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a literal is a text; which span it was on is not known here",
	},
	{
		"internal/dialect/wrapped",
		[]string{std, module + "/scoring", module + "/internal/attributes", module + "/internal/dialect/pyliteral"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a form is an object; which span it was on is not known here",
	},
	{
		"internal/dialect/words",
		[]string{std},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a word is found by its text alone",
	},
	{
		"internal/toolname",
		[]string{std},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a name is a text; what it means for a call is not known here",
	},
	{
		"internal/attributes",
		[]string{std, collector + "/pdata"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"attributes are names and texts; what they say of a run is not known here, so that every package may share them",
	},
	{
		"internal/scoreforms",
		[]string{std, collector + "/pdata"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a form is how a backend reads a verdict; runs and expectations are not known here",
	},
	{
		"internal/agentrun",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun", module + "/internal/toolname"},
		[]string{"os", "net", "log", "math/rand"},
		"agentrun is a calculation over spans and time values; it knows neither dialects nor the processor",
	},
	{
		"internal/agentrun/closedruns",
		[]string{std, collector + "/pdata", module + "/internal/agentrun"},
		[]string{"os", "net", "log", "math/rand"},
		"a cache of closed runs; it knows no open trace and compares no payload",
	},
	{
		"internal/agentrun/ownership",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/compare"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/reconcile"},
		"ownership decides which run owns a call; it knows no clock, no open trace and no stored byte",
	},
	{
		"internal/agentrun/parents",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/compare"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/ownership", module + "/internal/agentrun/reconcile"},
		"parents says which parent a span has; what follows for a run is not known here",
	},
	{
		"internal/agentrun/climb",
		[]string{std, module + "/internal/agentrun/compare"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"climb knows places by their numbers; spans and runs are not known here",
	},
	{
		"internal/agentrun/places",
		[]string{std, collector + "/pdata", module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a place is a number; what stands there is not known here",
	},
	{
		"internal/agentrun/intervals",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/compare"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/ownership", module + "/internal/agentrun/reconcile"},
		"an interval is a start and an end; what it is the time of is not known here",
	},
	{
		"internal/agentrun/represent",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/compare", module + "/internal/agentrun/ownership", module + "/internal/agentrun/parents"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/reconcile"},
		"represent decides which spans represent runs; it knows no clock, no open trace and no stored byte",
	},
	{
		"internal/agentrun/loops",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/compare", module + "/internal/agentrun/ownership", module + "/internal/toolname"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/reconcile"},
		"loops divides what one candidate has; it knows no clock, no open trace and no stored byte",
	},
	{
		"internal/agentrun/groups",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/compare", module + "/internal/agentrun/ownership"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/reconcile"},
		"groups decides which run owns what a group recorded; it knows no clock, no open trace and no stored byte",
	},
	{
		"internal/agentrun/calltimes",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun", module + "/internal/agentrun/compare"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/reconcile", module + "/internal/agentrun/ownership"},
		"calltimes orders the calls of a closed run by what their spans say; it knows no clock and no open trace",
	},
	{
		"internal/agentrun/reconcile",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun", module + "/internal/agentrun/compare", module + "/internal/toolname"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/ownership"},
		"reconcile makes one call of several records; it knows no clock, no open trace and no owner",
	},
	{
		"internal/agentrun/copies",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun", module + "/internal/agentrun/compare", module + "/internal/agentrun/results"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/ownership", module + "/internal/agentrun/reconcile"},
		"copies compares what one span recorded several times; it knows no clock, no open trace and no owner",
	},
	{
		"internal/agentrun/companions",
		[]string{std, module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns", module + "/internal/agentrun/ownership", module + "/internal/agentrun/reconcile"},
		"companions places held spans; it knows no clock and no open trace, and no rule by which a run has its calls",
	},
	{
		"internal/agentrun/allowance",
		[]string{std, module + "/internal/agentrun/compare"},
		[]string{"os", "net", "log", "math/rand"},
		"an account is of numbers; it knows no trace and no span",
	},
	{
		"internal/agentrun/compare",
		[]string{std, module + "/scoring", module + "/internal/agentrun", module + "/internal/toolname"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns"},
		"compare reads names, call IDs and payloads; it knows no run, no trace and no time",
	},
	{
		"internal/agentrun/byprocess",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/toolname", module + "/internal/agentrun/results"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns"},
		"tables of what each process of a trace said; what follows for a run is not known here",
	},
	{
		"internal/agentrun/processid",
		[]string{std, collector + "/pdata", module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/compare"},
		"a process depends on its resource alone, in each run of the program",
	},
	{
		"internal/agentrun/queue",
		[]string{std},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a queue does not know what is in it",
	},
	{
		"internal/agentrun/fairshare",
		[]string{std, collector + "/pdata", module + "/internal/agentrun"},
		[]string{"os", "net", "log", "math/rand", "sync", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/correlate"},
		"a table knows processes and times, not what is in it; the caller gives it the time and a lock",
	},
	{
		"internal/agentrun/summaries",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/toolname"},
		[]string{"time", "os", "net", "log", "math/rand", "sync", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/correlate"},
		"summaries knows runs that have closed; it knows no open trace, no clock and no lock",
	},
	{
		"internal/agentrun/record",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun"},
		[]string{"os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/compare"},
		"records are bytes and the values in them; what they do to an open trace is not known here",
	},
	{
		"internal/agentrun/correlate",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun"},
		[]string{"os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns"},
		"correlate joins runs that have closed; it knows no open trace",
	},
	{
		"internal/agentrun/results",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun", module + "/internal/agentrun/compare"},
		[]string{"time", "os", "net", "log", "math/rand", "sync", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/reconcile"},
		"a result has the ID of a call; which spans and requests are calls is not known here",
	},
	{
		"internal/agentrun/mcpspans",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand", "sync", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/correlate"},
		"MCP spans complete the calls of closed runs; they know no open trace, no lock and no clock",
	},
	{
		"internal/agentrun/tracebuffer",
		[]string{std, collector + "/pdata", module + "/scoring", module + "/internal/agentrun"},
		[]string{"os", "net", "log", "math/rand", module + "/internal/agentrun/correlate"},
		"the trace buffer makes runs of spans; the caller gives it the time and what it stored",
	},
	{
		"internal/runtest",
		[]string{std, collector + "/pdata", "github.com/google/go-cmp", module + "/internal/agentrun"},
		[]string{"net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns"},
		"tests of all packages of agentrun share it, so it knows values alone",
	},
	{
		"internal/scan",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/attributes", module + "/internal/dialect",
			module + "/internal/heldspans", module + "/internal/lookup"},
		[]string{"time", "os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/closedruns"},
		"a scan says what the spans of a batch are; it knows no open trace, no lock and no clock",
	},
	{
		"internal/lookup",
		[]string{std, collector + "/pdata", module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"tables of ids that forget what is old; they know the values of agentrun, and no clock",
	},
	{
		"internal/heldspans",
		[]string{std, collector + "/pdata", module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"spans out of a batch, their weights and counts of what they share; they know no run, dialect or clock",
	},
	{
		"processor/internal/verdictmetrics",
		[]string{std, collector + "/pdata", "go.opentelemetry.io/otel", module + "/internal/agentrun", module + "/internal/evaluate",
			module + "/internal/metadata", module + "/scoring"},
		[]string{"os", "net", "log", "math/rand", "sync"},
		"it records verdicts of closed runs; it knows no open run, no lock and no clock",
	},
	{
		"processor/internal/mcptable",
		[]string{std, collector + "/pdata", module + "/internal/agentrun", module + "/internal/agentrun/mcpspans"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a lock around what mcpspans remembers; it knows no open run and no clock",
	},
	{
		"processor/internal/selfmetrics",
		[]string{std, "go.opentelemetry.io/otel", module + "/internal/agentrun", module + "/internal/heldspans", module + "/internal/metadata"},
		[]string{"os", "net", "log", "math/rand", "sync"},
		"it records what the processor counts; it knows no open run, no lock and no clock",
	},
	{
		"processor/internal/turns",
		[]string{std, module + "/internal/agentrun"},
		[]string{"os", "net", "log", "math/rand", "sync"},
		"it orders closed runs by times that it is given; it knows no verdict, no lock and no clock",
	},
	{
		"internal/releasebatch",
		[]string{std, collector + "/pdata", collector + "/consumer/consumererror", "google.golang.org/grpc", module + "/internal/agentrun"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"a batch is spans and what they weigh; it knows no verdict, no consumer and no clock",
	},
	{
		"internal/journal",
		[]string{std, collector + "/pdata", collector + "/extension/xextension/storage", "github.com/stretchr/testify", module + "/internal/agentrun",
			module + "/internal/heldspans", module + "/internal/lookup"},
		[]string{"os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer", module + "/internal/agentrun/compare"},
		"the journal keeps records; the processor decides what they mean, and the caller gives it the time",
	},
	{
		"internal/ottlcontext",
		[]string{"context", collector + "/pdata", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"},
		nil,
		"it holds what differs between releases of the Collector, and is small enough to be there twice",
	},
	{
		"internal/ottlattributes",
		[]string{std, collector + "/pdata", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"},
		[]string{"os", "net", "log", "math/rand", "sync", "time"},
		"it finds attributes by their keys; it knows no condition, no run and no span",
	},
	{
		"internal/compat",
		[]string{std},
		nil,
		"it tries the module with other releases, so it must compile whatever they are",
	},
	{
		"internal/condition",
		[]string{std, collector + "/pdata"},
		[]string{"os", "net", "log", "math/rand", "context"},
		"a condition is a text with lengths of time in it, which is read and never evaluated; it knows no run and no expectation",
	},
	{
		"internal/ottlfunctions",
		[]string{std, collector + "/pdata", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl", module + "/internal/ottlattributes", module + "/internal/ottlcontext"},
		[]string{"time", "os", "net", "log", "math/rand"},
		"functions read what they are given, within bounds; they know no condition, no run and no expectation",
	},
	{
		"internal/callcondition",
		[]string{std, collector + "/pdata", collector + "/component", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl", module + "/internal/condition", module + "/internal/ottlattributes", module + "/internal/ottlfunctions", module + "/scoring"},
		[]string{"os", "net", "log", "math/rand"},
		"conditions on calls read a call and attributes; they know no span, no expectation and no log",
	},
	{
		"internal/ottltext",
		[]string{std, collector + "/component", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl", module + "/internal/condition",
			module + "/internal/callcondition", module + "/internal/configcheck", module + "/internal/ottlattributes", module + "/internal/ottlfunctions"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"it compiles texts and explains what is wrong with them; it knows no expectation, no span and no key of the configuration",
	},
	{
		"internal/evaluate",
		[]string{std, collector + "/pdata", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl", module + "/internal/agentrun",
			module + "/internal/agentrun/calltimes", module + "/internal/attributes", module + "/internal/callcondition", module + "/internal/condition",
			module + "/internal/heldspans", module + "/internal/maskederror", module + "/internal/ottlattributes", module + "/internal/ottlcontext", module + "/internal/scoreforms", module + "/scoring"},
		[]string{"os", "net", "log", "math/rand", module + "/internal/agentrun/tracebuffer"},
		"it judges a closed run; it knows no open run, no clock and no telemetry, and returns what the processor counts and logs",
	},
	{
		"internal/maskederror",
		[]string{std, collector + "/pdata", "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl", module + "/internal/condition",
			module + "/internal/callcondition", module + "/internal/ottlcontext", module + "/internal/ottlfunctions", module + "/scoring"},
		[]string{"os", "net", "log", "math/rand"},
		"it explains an error of a condition; it knows no expectation and no run, and writes no log",
	},
	{
		"connector",
		[]string{std, collector, module + "/connector", module + "/internal/attributes", module + "/scoring", "go.opentelemetry.io/otel", "github.com/stretchr/testify"},
		[]string{"os", "net", "log", "math/rand"},
		"the connector reads what stands on spans; it knows neither runs nor expectations",
	},
	{
		"exporter",
		[]string{std, collector, module + "/exporter", module + "/internal/attributes", "github.com/google/uuid", "go.opentelemetry.io/otel", "go.uber.org/zap", "github.com/stretchr/testify"},
		[]string{"os", "log", "math/rand"},
		"the exporter reads log records; it knows neither spans nor runs nor expectations, and is the only package that speaks HTTP",
	},
	{
		"internal/configcheck",
		[]string{std, "github.com/agnivade/levenshtein", "go.yaml.in/yaml/v3", module + "/internal/filewatch", module + "/scoring"},
		[]string{"os", "net", "log", "math/rand"},
		"it checks values against Go types that are passed in, and knows no key of the configuration",
	},
	{
		"internal/dataset",
		[]string{std, "go.yaml.in/yaml/v3", module + "/internal/configcheck", module + "/internal/filewatch"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"a dataset reads cases and keeps them as texts by key; what they expect is for the caller, who checks them",
	},
	{
		"internal/expectcheck",
		[]string{std, module + "/scoring", module + "/internal/condition"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"it compares expectations and tries methods; it knows no type of the configuration and no span",
	},
	{
		"internal/expectation",
		[]string{std, module + "/internal/configcheck", module + "/internal/dataset", module + "/internal/ottltext", module + "/scoring"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"it converts what was written about tools; it knows no metric, no span and no type of the configuration",
	},
	{
		"internal/expectfiles",
		[]string{std, collector + "/confmap", "go.yaml.in/yaml/v3", module + "/internal/configcheck", module + "/internal/dataset", module + "/internal/filewatch"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"it reads lists in files when the caller says so; what an expectation is, and what is made of a list, is for the caller",
	},
	{
		"internal/filewatch",
		[]string{std},
		[]string{"net", "log", "math/rand", "time"},
		"it says which files have changed; what stands in them, and when to look, is for the caller",
	},
	{
		"internal/demo",
		[]string{std, collector + "/pdata", module + "/internal/collectorproc", module + "/internal/report"},
		nil,
		"the demo sees what every backend sees: the spans that come out",
	},
	{
		"internal/tracefile",
		[]string{std, collector + "/pdata", "github.com/klauspost/compress"},
		[]string{"net", "log", "math/rand", "time"},
		"what reads files makes OTLP of them; it knows no run and no verdict",
	},
	{
		"internal/report",
		[]string{std, module + "/internal/yamldoc", "github.com/jedib0t/go-pretty/v6"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"a report is made of rows and written to a writer: it knows no span and no processor, so that the command and the demo print alike",
	},
	{
		"internal/spool",
		[]string{std, module + "/internal/report", "github.com/klauspost/compress"},
		[]string{"net", "log", "math/rand", "time"},
		"a spool sorts rows; it knows neither what judged them nor how they are printed",
	},
	{
		"internal/suggest",
		[]string{std, module + "/scoring", module + "/internal/yamldoc", "go.yaml.in/yaml/v3"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"a draft is made of runs and written to a writer: it knows no span and no processor",
	},
	{
		"internal/importer",
		[]string{std, module + "/internal/yamldoc", "go.yaml.in/yaml/v3"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"what imports reads the files of others and writes a configuration: it knows neither spans nor scores",
	},
	{
		"internal/yamldoc",
		[]string{std, "go.yaml.in/yaml/v3"},
		[]string{"os", "net", "log", "math/rand", "time"},
		"it writes YAML, whatever that says",
	},
	{
		"internal/collectorproc",
		[]string{std},
		nil,
		"collectorproc starts and stops a process; it knows nothing of what a collector does",
	},
}

// restrictedImports are packages, with all below them, that only some files may import. The files are those under a folder
// ("cmd/"), those of the root package ("./"), or one file ("factory.go"). Test files are free.
var restrictedImports = []struct {
	path   string
	from   []string
	reason string
}{
	{
		collector + "/processor",
		[]string{"factory.go", "cmd/", "internal/metadatatest/"},
		"only the factory speaks the collector's processor API; the dry run builds the processor's settings",
	},
	{
		collector + "/component",
		[]string{"./", "processor/", "connector/", "exporter/", "cmd/", "internal/callcondition/", "internal/ottltext/", "internal/metadata/", "internal/metadatatest/"},
		"only the processor uses components, storage and telemetry; OTTL's parser of conditions takes a logger from them",
	},
	{
		"go.opentelemetry.io/otel",
		[]string{"processor/", "connector/internal/", "internal/metadata/", "internal/metadatatest/", "exporter/internal/", "cmd/"},
		"only the processor records its own telemetry",
	},
	{
		"go.uber.org/zap",
		[]string{"./", "processor/", "exporter/", "cmd/"},
		"only the processor writes log lines",
	},
	{
		"sync",
		[]string{"processor/", "internal/lookup/", "internal/journal/", "internal/heldspans/", "connector/internal/", "exporter/", "cmd/", "internal/demo/", "internal/collectorproc/", "internal/metadata/", "scoring/", "internal/corpus/", "internal/dataset/"},
		"only the processor, its tables and its journal lock, and heldspans counts atomically; scoring has a sync.Pool of working memory, which no verdict depends on; tests read the corpus once; the check of a dataset waits for its goroutines",
	},
	{
		"context",
		[]string{"./", "processor/", "internal/journal/", "connector/", "internal/ottlfunctions/", "internal/callcondition/", "internal/evaluate/", "internal/maskederror/", "internal/ottlattributes/", "internal/ottlcontext/", "internal/ottltext/", "internal/dataset/", "internal/expectfiles/", "exporter/", "cmd/", "internal/demo/", "internal/collectorproc/", "internal/metadata/", "internal/metadatatest/", "internal/compat/"},
		"calculations need no context",
	},
	{
		module + "/processor",
		[]string{"./", "cmd/"},
		"the processor knows the other packages, never the other way round",
	},
	{
		module + "/internal/metadata",
		[]string{"./", "processor/", "cmd/"},
		"only the component names itself",
	},
	{
		module + "/internal/tracefile",
		[]string{"cmd/"},
		"files are read by the tools; the processor is given spans",
	},
	{
		module + "/internal/report",
		[]string{"cmd/", "internal/demo/", "internal/spool/"},
		"reports are printed by the tools; the processor writes attributes",
	},
	{
		module + "/internal/spool",
		[]string{"cmd/"},
		"only the command keeps verdicts; the processor releases them",
	},
	{
		module + "/internal/suggest",
		[]string{"cmd/"},
		"drafts are for people; the processor judges by what they made of them",
	},
	{
		module + "/internal/importer",
		[]string{"cmd/"},
		"imports are for people; the processor reads configurations",
	},
	{
		"github.com/spf13",
		[]string{"cmd/"},
		"a command line is the command's",
	},
	{
		"github.com/jedib0t/go-pretty/v6",
		[]string{"internal/report/", "cmd/"},
		"one renderer draws tables; the command has a bar",
	},
	{
		module + "/internal/ottlcontext",
		[]string{"internal/ottlfunctions/", "internal/evaluate/", "internal/maskederror/"},
		"only evaluate and maskederror evaluate conditions, and only their functions read the context",
	},
	{
		module + "/internal/condition",
		[]string{"./", "internal/callcondition/", "internal/evaluate/", "internal/ottltext/", "internal/expectcheck/", "internal/maskederror/"},
		"the configuration reads and compares conditions, and evaluate skips those that cannot hold",
	},
	{
		module + "/internal/ottlfunctions",
		[]string{"processor/", "internal/callcondition/", "internal/ottltext/", "internal/maskederror/"},
		"conditions are parsed with these functions, and the processor has texts remembered",
	},
	{
		module + "/internal/callcondition",
		[]string{"internal/ottltext/", "internal/evaluate/", "internal/maskederror/"},
		"ottltext parses conditions on calls, and evaluate evaluates them",
	},
	{
		module + "/internal/ottltext",
		[]string{"./", "internal/expectation/"},
		"only the configuration and its expectations have texts; all other packages are given what they compile to",
	},
	{
		module + "/internal/maskederror",
		[]string{"internal/evaluate/"},
		"only what evaluates conditions explains their errors",
	},
	{
		module + "/internal/evaluate",
		[]string{"./", "processor/", "cmd/"},
		"the configuration makes expectations, the processor has runs judged, and the command shows reports",
	},
	{
		module + "/internal/agentrun/tracebuffer",
		[]string{"processor/"},
		"only the processor groups spans; other packages know the values of agentrun at most",
	},
	{
		module + "/internal/agentrun/closedruns",
		[]string{"internal/agentrun/record/", "internal/agentrun/tracebuffer/"},
		"only the trace buffer asks what has closed, and records have closed runs",
	},
	{
		module + "/internal/agentrun/byprocess",
		[]string{"internal/agentrun/tracebuffer/"},
		"only the trace buffer has traces that are open",
	},
	{
		module + "/internal/agentrun/correlate",
		[]string{"processor/"},
		"only the processor has runs that closed",
	},
	{
		module + "/internal/agentrun/summaries",
		[]string{"internal/agentrun/correlate/", "processor/"},
		"only the correlator has steps, and the processor bounds the summaries",
	},
	{
		module + "/internal/agentrun/record",
		[]string{"internal/agentrun/", "internal/journal/", "internal/scan/", "processor/"},
		"only the trace buffer, the journal and the scan write evidence, and the processor asks which trace it is of",
	},
	{
		module + "/internal/runtest",
		nil,
		"it is for tests alone",
	},
	{
		module + "/internal/lookup",
		[]string{"processor/", "internal/journal/", "internal/scan/"},
		"only the processor looks spans up; the scan collects links for it, and the journal stores them",
	},
	{
		module + "/internal/heldspans",
		[]string{"processor/", "internal/journal/", "internal/evaluate/", "internal/scan/"},
		"only the processor holds spans, the scan finds candidates, evaluate weighs what it writes on them, and the journal resumes them",
	},
	{
		module + "/internal/scan",
		[]string{"processor/"},
		"only the processor is given batches",
	},
	{
		module + "/internal/releasebatch",
		[]string{"processor/"},
		"only the processor releases spans",
	},
	{
		module + "/internal/journal",
		[]string{"processor/"},
		"only the processor survives a crash",
	},
	{
		module + "/internal/configcheck",
		[]string{"./", "internal/ottltext/", "internal/expectation/", "internal/dataset/", "internal/expectfiles/"},
		"only the configuration is checked; all other packages are given settings that are valid",
	},
	{
		module + "/internal/expectcheck",
		[]string{"./"},
		"only the configuration warns; all other packages take expectations as they are",
	},
	{
		module + "/internal/expectation",
		[]string{"./"},
		"only the configuration says what is expected; the processor calls what it is given",
	},
	{
		module + "/internal/dataset",
		[]string{"./", "internal/expectation/", "internal/expectfiles/"},
		"only the configuration reads cases; the processor looks them up by a function",
	},
	{
		module + "/internal/filewatch",
		[]string{"internal/expectfiles/", "internal/dataset/", "internal/configcheck/"},
		"only the configuration has files, and errors with their lines; the processor is given what stands in them",
	},
	{
		module + "/internal/expectfiles",
		[]string{"./"},
		"only the configuration has files; the processor is given a source of sets",
	},
	{
		module + "/scoring/internal/pairing/pairingtest",
		nil,
		"random problems are for tests",
	},
	{
		module + "/internal/conditiontest",
		nil,
		"random conditions are for tests",
	},
	{
		module + "/internal/corpus",
		nil,
		"recorded traces are for tests",
	},
	{
		module + "/internal/lint",
		nil,
		"rules are tests, not a library",
	},
}

// restrictedCalls are what only files under some folders may do. Test files are free.
var restrictedCalls = []struct {
	call   restrictedCall
	from   []string
	reason string
}{
	{startsGoroutine, []string{"processor/", "cmd/", "internal/demo/", "internal/collectorproc/", "internal/dataset/"}, "only the processor starts goroutines, and the check of a dataset, which waits for them"},
	{readsClock, []string{"processor/", "connector/", "exporter/", "cmd/", "internal/demo/", "internal/collectorproc/"}, "all other packages take the time as an argument"},
	{waits, []string{"processor/", "cmd/", "internal/demo/", "internal/collectorproc/"}, "only the processor waits"},
}

// closures bounds what a package brings along, its dependencies' dependencies included. Entries are as in packages.
var closures = []struct {
	pkg    string
	not    []string
	reason string
}{
	{
		"scoring",
		[]string{notStd},
		"scoring brings nothing along but the standard library",
	},
	{
		"internal/dialect",
		[]string{collector + "/component", collector + "/processor", collector + "/consumer", module + "/processor"},
		"a dialect needs the data model of the collector, not the collector",
	},
	{
		"internal/agentrun",
		[]string{collector + "/component", collector + "/processor", collector + "/consumer", module + "/processor"},
		"agentrun needs the data model of the collector, not the collector",
	},
}

// maxLines is how many lines a package may have without a row in sizes: no tests, nothing generated, no packages below it.
const maxLines = 1000

// sizes are the packages that may have more lines. The reason says why one subject needs more.
var sizes = []struct {
	pkg    string
	most   int
	reason string
}{
	{"scoring", 5400, "six methods of other systems with their oddities, and the native one: a method is sealed, so all are one package"},
	{"internal/dialect", 6000, "a file for each way in which instrumentations write spans"},
	{"processor", 2000, "the way of a span, stage by stage, with all locks of open runs, the clock, the goroutine and the storage"},
	{"internal/agentrun/tracebuffer", 1950, "what is open in a trace; what decides about it stands in packages of its own"},
	{"cmd/toolcorrectness", 2000, "the commands and their flags; what they do stands in packages of its own"},
	{"internal/report", 1800, "five forms of a report: a table, JSON, JUnit, Markdown and a page"},
	{"internal/importer", 1700, "a file for each format of test cases"},
	{"internal/evaluate", 1550, "the choice of an expectation, the score and the attributes share one run and its spans"},
	{".", 1150, "the public types of the configuration, with what each key means, and the conversion of what needs them"},
	{"exporter", 1400, "four systems that receive scores: Langfuse, Phoenix, Datadog and MLflow"},
	{"internal/journal", 1350, "one format of records, and all that a crash can leave of it"},
	{"scoring/jsonvalue", 1250, "a parser of JSON, its values and when two are equal"},
}
