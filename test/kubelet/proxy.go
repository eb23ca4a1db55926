package kubelet

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// proxy is an HTTP proxy for connections to hosts and ports that it resolves.
type proxy func(host, port string) (address string, err error)

func newProxy(resolve proxy) *httptest.Server { return httptest.NewServer(resolve) }

// ServeHTTP implements http.Handler for the method CONNECT.
func (resolve proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if r.Method != http.MethodConnect || err != nil {
		http.Error(w, "only CONNECT HOST:PORT", http.StatusMethodNotAllowed)
		return
	}
	address, err := resolve(host, port)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	in, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = out.Close()
		return
	}
	_, _ = io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(out, buffered)
		_ = out.Close()
	}()
	_, _ = io.Copy(in, out)
	_ = in.Close()
}
