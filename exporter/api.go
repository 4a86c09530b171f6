package toolcorrectnessscoresexporter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/consumer/consumererror"
)

// maxAnswer bounds the bytes of a response that are read. Responses to scores are far smaller.
const maxAnswer = 1 << 20

// An api has what requests to one backend have in common.
type api struct {
	name      string                  // of the backend, for errors
	endpoint  string                  // without a slash at its end
	keys      string                  // of the configuration, for errors about permissions
	authorize func(req *http.Request) // adds the secrets to the header
}

// newAPI returns the api at an endpoint that was checked.
func newAPI(name, endpoint, keys string, authorize func(*http.Request)) api {
	return api{name: name, endpoint: strings.TrimRight(endpoint, "/"), keys: keys, authorize: authorize}
}

// call sends body as JSON, or no body if it is nil. It returns the JSON of an answer with a status of 2xx. All other answers are
// errors, see failure.
func (a *api) call(ctx context.Context, client *http.Client, method, path string, body any) ([]byte, error) {
	req, err := a.request(ctx, method, path, body)
	if err != nil {
		return nil, consumererror.NewPermanent(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, &unavailable{backend: a.name, what: "cannot be reached", cause: withoutURL(err), all: true}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 != 2 {
		return nil, a.failure(resp, answer)
	}
	if err != nil {
		return nil, &unavailable{backend: a.name, what: "ended its response early", cause: err}
	}
	return answer, nil
}

func (a *api) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, errors.New(a.name + ": the score cannot be written as JSON")
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.endpoint+path, content)
	if err != nil {
		return nil, errors.New(a.name + ": `endpoint` is no usable URL")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	a.authorize(req)
	return req, nil
}

// withoutURL returns the cause of an error of the HTTP client. The URL is in the configuration and may be long.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// garbled is the error of a response that is not the API's. The score may have been stored or not.
func (a *api) garbled() error {
	return &unavailable{backend: a.name, what: "sent a response that its API does not define; check `endpoint`"}
}

// each sends scores one by one. If an error concerns all scores, or the backend fails several times in a row, the remaining
// scores get that error and are not sent.
func each(scores []score, send func(*score) error) []error {
	const enough = 3
	errs := make([]error, len(scores))
	failures := 0
	for i := range scores {
		errs[i] = send(&scores[i])
		var u *unavailable
		if errors.As(errs[i], &u) {
			failures++
		} else {
			failures = 0
		}
		if failures == enough || concernsAll(errs[i]) {
			for j := i + 1; j < len(scores); j++ {
				errs[j] = errs[i]
			}
			break
		}
	}
	return errs
}

// together sends scores as one request. If the backend finds the request invalid, the halves are sent, so that only the scores
// are lost that are refused alone.
func together(scores []score, send func([]score) error) []error {
	errs := make([]error, 0, len(scores))
	err := send(scores)
	var r *refusal
	if errors.As(err, &r) && r.invalid && len(scores) > 1 {
		half := len(scores) / 2
		errs = append(errs, together(scores[:half], send)...)
		return append(errs, together(scores[half:], send)...)
	}
	for range scores {
		errs = append(errs, err)
	}
	return errs
}
