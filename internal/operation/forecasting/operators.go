package forecasting

import (
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// What operators do after a plan, and what they find out about its objects.

// objects are the kinds of objects on which operators work after the engine is done, and what they do.
var objects = map[string]string{
	"HostedCluster": "the control plane", "NodePool": "the nodes",
	"Cluster": "the control plane", "MachineDeployment": "the nodes", "MachinePool": "the nodes",
}

// operatorWork returns what operators do after a plan.
func operatorWork(planned *changes.Plan) string {
	verbs := map[changes.Change]string{
		changes.Create: "the start of ", changes.Replace: "the start of ", changes.Update: "the update of ", changes.Delete: "the end of ",
	}
	parts := map[string][]string{}
	for _, step := range plan.Listed(planned) {
		part := objects[step.Type[strings.LastIndex(step.Type, ":")+1:]]
		verb := verbs[step.Change]
		if strings.HasPrefix(step.Type, "kubernetes:") && part != "" && verb != "" && !slices.Contains(parts[verb], part) {
			parts[verb] = append(parts[verb], part)
		}
	}
	var texts []string
	for _, verb := range slices.Backward(slices.Sorted(maps.Keys(parts))) {
		slices.Sort(parts[verb])
		texts = append(texts, verb+strings.Join(parts[verb], " and "))
	}
	return strings.Join(texts, " and ")
}

// uncheckedLine returns the line about what only HyperShift's operator can check, "" if there is nothing.
func uncheckedLine(f *forecast.Forecast, width int) string {
	if len(f.Unchecked) == 0 {
		return ""
	}
	return "not checked here; HyperShift's operator checks whether:\n  " + report.List(f.Unchecked, max(0, width-2)) + "\n"
}

// uncheckedMarkdown returns the same as a list in Markdown.
func uncheckedMarkdown(f *forecast.Forecast) string {
	if len(f.Unchecked) == 0 {
		return ""
	}
	return "\nNot checked here; HyperShift's operator checks whether:\n- " + strings.Join(f.Unchecked, "\n- ") + "\n"
}
