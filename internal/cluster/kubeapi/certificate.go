package kubeapi

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// expired returns why the client certificate of a kubeconfig is not valid now, nil if it is or if there is none.
func expired(config *rest.Config) error {
	text := config.CertData
	if len(text) == 0 && config.CertFile != "" {
		text, _ = atomicfile.ReadInput(config.CertFile) // the server's answer says that something is wrong
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil //nolint:nilerr // the server's answer says that something is wrong
	}
	switch now := time.Now(); {
	case now.After(certificate.NotAfter):
		return fmt.Errorf("the client certificate of the kubeconfig expired on %s", certificate.NotAfter.Format(time.RFC3339))
	case now.Before(certificate.NotBefore):
		return fmt.Errorf("the client certificate of the kubeconfig is not valid before %s",
			certificate.NotBefore.Format(time.RFC3339))
	}
	return nil
}
