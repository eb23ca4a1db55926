package transit

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnotherServerDecryptsACiphertext(t *testing.T) {
	t.Parallel()
	const plaintext = "c2VjcmV0"
	ciphertext := call(t, serve(t), "encrypt", map[string]string{"plaintext": plaintext})["ciphertext"]
	require.NotEqual(t, plaintext, ciphertext)
	require.Equal(t, plaintext, call(t, serve(t), "decrypt", map[string]string{"ciphertext": ciphertext})["plaintext"])
}

func TestARequestThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	code, _ := send(t, serve(t), "encrypt", []byte("{"))
	require.Equal(t, http.StatusBadRequest, code)
}

func serve(t *testing.T) *Server {
	t.Helper()
	server, err := Serve()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server
}

func call(t *testing.T, server *Server, operation string, fields map[string]string) map[string]string {
	t.Helper()
	body, err := json.Marshal(fields)
	require.NoError(t, err)
	code, text := send(t, server, operation, body)
	require.Equal(t, http.StatusOK, code)
	var answer struct{ Data map[string]string }
	require.NoError(t, json.Unmarshal(text, &answer))
	return answer.Data
}

func send(t *testing.T, server *Server, operation string, body []byte) (code int, answer []byte) {
	t.Helper()
	url := server.Environ()["VAULT_SERVER_URL"] + "/v1/transit/" + operation + "/offline"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, bytes.NewReader(body))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	answer, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, answer
}
