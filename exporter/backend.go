package toolcorrectnessscoresexporter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
)

// maxAnswer bounds the bytes of a response that are read. Responses to scores are far smaller.
const maxAnswer = 1 << 20

// A backend is a place for scores, with an API of its own.
type backend struct {
	name      string // for errors
	keys      string // of the configuration, for errors about permissions
	config    *confighttp.ClientConfig
	authorize func(req *http.Request) // adds the secrets to the header
	http      *http.Client

	// takes reports whether the backend has a place for s. Each has one for a score, and some for a run without.
	takes func(s *score) bool
	// post sends scores to b as one request; only one of them if single is set. The error is permanent if repeating the request is useless.
	post   func(ctx context.Context, b *backend, scores []score) error
	single bool
	adds   bool // whether a request that is sent again adds scores
}

// A form is an object of JSON in a request.
type form map[string]any

// said is the form without texts that are empty.
func (f form) said() form {
	maps.DeleteFunc(f, func(_ string, value any) bool { return value == "" })
	return f
}

// ask sends body as JSON, or none if it is nil. The error is nil if the status is 2xx and accepts says of the answer that the API did what
// it was asked.
func (b *backend) ask(ctx context.Context, method, path string, body form, accepts func(answer []byte) bool) error {
	var content []byte
	if body != nil {
		content, _ = json.Marshal(body) // it has texts and finite numbers
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(b.config.Endpoint, "/")+path, bytes.NewReader(content))
	if err != nil {
		return consumererror.NewPermanent(errors.New(b.name + ": `endpoint` is no usable URL"))
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	b.authorize(req)
	resp, err := b.http.Do(req)
	if err != nil {
		cause := errors.Unwrap(err) // without the URL, which is in the configuration and may be long
		return &failure{backend: b.name, what: "cannot be reached", cause: cause, all: true}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case resp.StatusCode/100 != 2:
		return b.failure(resp, answer)
	case err != nil:
		return &failure{backend: b.name, what: "ended its response early", cause: err}
	case accepts(answer):
		return nil
	}
	// The response is not the API's; the scores may have been stored or not.
	err = &failure{backend: b.name, what: "sent a response that its API does not define; check `endpoint`"}
	if b.adds {
		err = consumererror.NewPermanent(err)
	}
	return err
}

// send sends all scores. The error at index i is for the score at index i; it is nil if the backend accepted the score. If the backend finds
// a request of several invalid, the halves are sent, so that only the scores are lost that are refused alone.
func (b *backend) send(ctx context.Context, scores []score) []error {
	if b.single || len(scores) == 0 {
		return b.each(ctx, scores)
	}
	err := b.post(ctx, b, scores)
	if half := len(scores) / 2; half > 0 && failureOf(err).invalid {
		return append(b.send(ctx, scores[:half]), b.send(ctx, scores[half:])...)
	}
	return slices.Repeat([]error{err}, len(scores))
}

// each sends scores one by one. If an error concerns all scores, or the backend fails several times in a row, the remaining
// scores get that error and are not sent.
func (b *backend) each(ctx context.Context, scores []score) []error {
	const enough = 3
	errs := make([]error, 0, len(scores))
	failures := 0
	for i := range scores {
		err := b.post(ctx, b, scores[i:i+1])
		failures++
		if !unavailable(err) {
			failures = 0
		}
		if failures == enough || failureOf(err).all {
			return append(errs, slices.Repeat([]error{err}, len(scores)-i)...)
		}
		errs = append(errs, err)
	}
	return errs
}

// A failure is why a backend has not stored a score. It is permanent to [consumererror] if it is final. Its text has neither keys nor values.
type failure struct {
	backend string
	what    string // happened
	status  int    // of the response; 0 without one
	cause   error
	answer  []byte // that came with the status
	invalid bool   // whether the content of the request is at fault, and not its sender or its address
	all     bool   // whether other scores would fail alike, so that none should be tried now
}

func (f *failure) Error() string {
	s := f.backend + " " + f.what
	if f.status != 0 {
		s += " with status " + strconv.Itoa(f.status)
	}
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

func (f *failure) Unwrap() error { return f.cause }

// failureOf returns the failure behind an error, or one that says nothing.
func failureOf(err error) *failure {
	f := new(failure)
	errors.As(err, &f)
	return f
}

// unavailable reports whether the backend may accept the same request later.
func unavailable(err error) bool {
	return failureOf(err).backend != "" && !consumererror.IsPermanent(err)
}

// failure turns a response with a status other than 2xx into an error, which repeats no text of the response, because that may
// have values.
func (b *backend) failure(resp *http.Response, answer []byte) error {
	f := &failure{backend: b.name, what: "refused scores", status: resp.StatusCode, answer: answer}
	rule := "the request is not accepted"
	switch {
	case f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable:
		f.what, f.all = "asked to be sent less", true
		return exporterhelper.NewThrottleRetry(f, retryAfter(resp.Header.Get("Retry-After")))
	case f.status == http.StatusRequestTimeout || f.status >= http.StatusInternalServerError:
		f.what = "failed"
		return f
	case f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity:
		rule, f.invalid = "the request is not as the API wants it", true
	case f.status == http.StatusRequestEntityTooLarge:
		rule, f.invalid = "the request is too large", true
	case f.status == http.StatusUnauthorized:
		rule = "the key is missing or wrong; check " + b.keys
	case f.status == http.StatusForbidden:
		rule = "the key may not write scores; check its permissions and " + b.keys
	case f.status == http.StatusNotFound || f.status == http.StatusMethodNotAllowed:
		rule = "there is no such API at this address; check `endpoint` and the version of the server"
	case f.status/100 == 3:
		rule = "redirects are not followed; `endpoint` must be the address that answers"
	}
	f.cause, f.all = errors.New(rule), !f.invalid
	return consumererror.NewPermanent(f)
}

// retryAfter reads the header Retry-After, which is a number of seconds or a date. Anything else is no wait.
func retryAfter(header string) time.Duration {
	const longest = 24 * time.Hour
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	date, _ := http.ParseTime(header) // else a time long ago
	return min(max(time.Until(date), 0), longest)
}
