package toolcorrectnessscoresexporter

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
)

// A refusal is an error response that a repeated request does not change.
type refusal struct {
	backend string
	status  int
	rule    string
	code    string // of the error, in MLflow's answers
	invalid bool   // whether the content of the request is at fault, and not its sender or its address
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s refused scores with status %d: %s", r.backend, r.status, r.rule)
}

// unavailable means that the backend may accept the same request later.
type unavailable struct {
	backend string
	status  int // 0 without a response
	what    string
	cause   error
	all     bool          // whether other scores fail alike, so that none should be tried now
	wait    time.Duration // for which the backend asks
}

func (u *unavailable) Error() string {
	s := u.backend + " " + u.what
	if u.status != 0 {
		s += " with status " + strconv.Itoa(u.status)
	}
	if u.cause != nil {
		s += ": " + u.cause.Error()
	}
	return s
}

func (u *unavailable) Unwrap() error { return u.cause }

// concernsAll reports whether all other scores would fail with the same error.
func concernsAll(err error) bool {
	var r *refusal
	var u *unavailable
	return errors.As(err, &r) && !r.invalid || errors.As(err, &u) && u.all
}

// failure turns an answer with a status other than 2xx into an error. The error repeats only names of fields and codes from
// the answer, because the rest may have values.
func (b *backend) failure(resp *http.Response, answer []byte) error {
	status := resp.StatusCode
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		wait := retryAfter(resp.Header.Get("Retry-After"))
		u := &unavailable{backend: b.name, status: status, what: "asked to be sent less", all: true, wait: wait}
		return exporterhelper.NewThrottleRetry(u, wait)
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return &unavailable{backend: b.name, status: status, what: "failed"}
	}
	return consumererror.NewPermanent(b.refused(status, answer))
}

func (b *backend) refused(status int, answer []byte) *refusal {
	r := &refusal{backend: b.name, status: status, code: codeOf(answer)}
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		r.invalid, r.rule = true, "the request is not as the API wants it"
		if fields := fieldsOf(answer); fields != "" {
			r.rule += ", in " + fields
		}
	case http.StatusRequestEntityTooLarge:
		r.invalid, r.rule = true, "the request is too large"
	case http.StatusUnauthorized:
		r.rule = "the key is missing or wrong; check " + b.keys
	case http.StatusForbidden:
		r.rule = "the key may not write scores; check its permissions and " + b.keys
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		r.rule = "there is no such API at this address; check `endpoint` and the version of the server"
	default:
		r.rule = "the request is not accepted"
		if status/100 == 3 {
			r.rule = "redirects are not followed; `endpoint` must be the address that answers"
		}
	}
	return r
}

// retryAfter reads the header Retry-After, which is a number of seconds or a date. Anything else is no wait.
func retryAfter(header string) time.Duration {
	const longest = 24 * time.Hour
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	if date, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(date), 0), longest)
	}
	return 0
}

// sent are the names of the fields that requests have. Only these are repeated from an answer.
var sent = []string{
	"data", "name", "annotator_kind", "result", "label", "score", "explanation", "identifier", "metadata", "span_id",
	"id", "traceId", "observationId", "value", "dataType", "comment", "environment",
}

// fieldsOf returns the fields that an answer finds fault with, such as "data.0.name". FastAPI, which Phoenix is made with, has
// them as detail[].loc, and zod, which Langfuse is made with, as error[].path.
func fieldsOf(answer []byte) string {
	type place struct {
		Loc  []any `json:"loc"`
		Path []any `json:"path"`
	}
	var faults struct {
		Detail []place `json:"detail"`
		Error  []place `json:"error"`
	}
	// Each list is read even if the other has another form.
	_ = json.Unmarshal(answer, &faults)
	var found []string
	for _, p := range append(faults.Detail, faults.Error...) {
		var names []string
		for _, part := range append(p.Loc, p.Path...) {
			switch part := part.(type) {
			case string:
				if slices.Contains(sent, part) {
					names = append(names, part)
				}
			case float64:
				names = append(names, strconv.Itoa(int(part)))
			}
		}
		if name := strings.Join(names, "."); name != "" && !slices.Contains(found, name) && len(found) < 3 {
			found = append(found, "`"+name+"`")
		}
	}
	return strings.Join(found, ", ")
}

// codeOf returns the code of an error of MLflow, such as RESOURCE_DOES_NOT_EXIST.
func codeOf(answer []byte) string {
	var e struct {
		Code string `json:"error_code"`
	}
	_ = json.Unmarshal(answer, &e) // other backends have no code
	return e.Code
}
