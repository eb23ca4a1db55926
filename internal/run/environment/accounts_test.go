package environment

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheOwnerOfCredentialsIsAskedForOncePerOperation: the file, the plan and the state write the same settings in
// different ways.
func TestTheOwnerOfCredentialsIsAskedForOncePerOperation(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	failing := atomic.Bool{}
	sts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if failing.Load() {
			http.Error(w, `<ErrorResponse><Error><Code>InvalidClientTokenId</Code></Error></ErrorResponse>`, http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>`+
			`<Arn>arn:aws:iam::123456789012:user/test</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	}))
	t.Cleanup(sts.Close)
	now := time.Now()
	accounts := &realAccounts{now: func() time.Time { return now }}
	identify := func(more map[string]any) error {
		settings := map[string]any{"region": "us-east-1", "accessKey": "a", "secretKey": "s",
			"endpoints": []any{map[string]any{"sts": sts.URL}}}
		for key, value := range more {
			settings[key] = value
		}
		opened, err := accounts.Open(nil, func() (map[string]any, error) { return settings, nil })
		require.NoError(t, err)
		_, err = opened.Identity(t.Context())
		return err
	}
	inPlan := map[string]any{"version": "6.83.4", "defaultTags": `{"tags":{"a":"b"}}`, "skipRegionValidation": "true",
		"endpoints": fmt.Sprintf(`[{"sts":%q}]`, sts.URL)}

	failing.Store(true)
	require.Error(t, identify(nil))
	failing.Store(false)
	asked.Store(0)
	require.NoError(t, identify(nil), "a failure is not kept")
	require.NoError(t, identify(inPlan))
	require.EqualValues(t, 1, asked.Load())
	require.NoError(t, identify(map[string]any{"accessKey": "b"}))
	require.EqualValues(t, 2, asked.Load(), "other credentials are asked for themselves")
	require.NoError(t, identify(map[string]any{"region": "eu-west-1"}))
	require.EqualValues(t, 3, asked.Load(), "and another region")

	accounts.Renew()
	require.NoError(t, identify(nil))
	require.EqualValues(t, 4, asked.Load(), "directly before the engine starts, they are asked for again")
	now = now.Add(sharedFor)
	require.NoError(t, identify(nil))
	require.EqualValues(t, 5, asked.Load(), "files may have new credentials")
}
