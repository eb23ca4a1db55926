package moto

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// quotas are the answers about quotas of this program's requests: moto has those of VPC alone, and AWS those of every
// service.
func quotas() []Answer {
	return []Answer{{
		Action: "servicequotas:GetServiceQuota", AWS: "each service has its quotas in Service Quotas",
		Instead: func(r *http.Request, _ url.Values) (int, string, bool) {
			body, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			var of struct{ ServiceCode, QuotaCode string }
			if err != nil || json.Unmarshal(body, &of) != nil || of.ServiceCode == "vpc" {
				return 0, "", false
			}
			return http.StatusOK, fmt.Sprintf(`{"Quota": {"ServiceCode": %q, "QuotaCode": %q, "Value": 100}}`, of.ServiceCode,
				of.QuotaCode), true
		},
	}}
}
