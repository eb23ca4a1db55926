package invocation

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The annotations with which a command for one stack is a command of fleet too: its help there, and which of its flags,
// separated by spaces, it has there. Each stack runs the command as it is. With a question, the command changes stacks:
// it is asked once, and the stacks run it with --yes. FleetSelect are the stacks for which it is meant, as in --select,
// separated by spaces; without it, all are.
const (
	FleetShort    = "fleet-short"
	FleetLong     = "fleet-long"
	FleetFlags    = "fleet-flags"
	FleetQuestion = "fleet-question"
	FleetSelect   = "fleet-select"
)

// Prepare sets how a command tree checks its arguments and flags, completes them, and shows its help.
func Prepare(root *cobra.Command) {
	root.SetHelpFunc(Help)
	root.SetUsageFunc(Usage)
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(environmentTopic())
	prepare(root)
}

func prepare(cmd *cobra.Command) {
	if cmd.Args == nil {
		cmd.Args = ArgsOfUse
	}
	completeRest(cmd)
	for _, sub := range cmd.Commands() {
		prepare(sub)
	}
}

// allSet are the flags at the end of cobra's error on flags that exclude each other.
var allSet = regexp.MustCompile(`\[([^]]+)\] were all set$`)

// CheckFlags refuses flags that exclude each other, as other wrong usage, and unknown regions.
func CheckFlags(cmd *cobra.Command) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return checkRegions(cmd)
	}
	if match := allSet.FindStringSubmatch(err.Error()); match != nil {
		return Refuse("--%s cannot be used together: leave one of them out",
			strings.Join(strings.Fields(match[1]), " and --"))
	}
	return Refuse("%w", err)
}

// ArgsOfUse refuses arguments that a command's Use line does not have, such as "render [DIR]" and "pack FOLDER".
func ArgsOfUse(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]
	switch {
	case len(args) > 0 && len(names) == 0 && cmd.HasSubCommands():
		return unknownCommand(cmd, args[0])
	case len(args) > len(names) && (args[0] == "true" || args[0] == "false"):
		return Refuse("%s takes no arguments, but got %q: the value of a boolean flag follows an equals sign, as in --yes=%s", cmd.CommandPath(), args[0], args[0])
	case len(args) > len(names) && len(names) == 0:
		return Refuse("%s takes no arguments, but got %q: use -s %s for a stack of this name, and see %s --help for the flags", cmd.CommandPath(), args[0], Quote(args[0]), cmd.CommandPath())
	case len(args) > len(names):
		return Refuse("%s takes only %s, but also got %q", cmd.CommandPath(), strings.Join(names, " "), args[len(names)])
	case len(args) < len(names) && !strings.HasPrefix(names[len(args)], "["):
		return Refuse("%s needs %s: see %s --help", cmd.CommandPath(), names[len(args)], cmd.CommandPath())
	}
	return nil
}

// otherNames maps other names for commands, from other programs and former versions, to the commands' paths.
var otherNames = map[string][]string{
	"apply": {"up"}, "create": {"new", "up"}, "deploy": {"up"}, "install": {"up"}, "update": {"up"},
	"delete": {"destroy"}, "down": {"destroy"}, "remove": {"destroy"}, "rm": {"destroy"}, "uninstall": {"destroy"},
	"diff": {"preview"}, "plan": {"preview"}, "cost": {"preview"}, "validate": {"preview", "preflight"},
	"init": {"new"}, "import": {"adopt"}, "get": {"outputs"}, "output": {"outputs"}, "graph": {"picture"},
	"diagram": {"picture"}, "doctor": {"diagnose", "preflight"}, "describe": {"status", "outputs"},
	"show": {"status", "outputs"}, "state": {"stacks", "status"},
	"list": {"stacks"}, "ls": {"stacks"}, "stack": {"stacks"}, "sync": {"refresh"}, "unlock": {"cancel"},
	"cleanup": {"sweep"}, "prune": {"sweep"}, "all": {"fleet"}, "iam": {"permissions"}, "quotas": {"preflight"},
	"release": {"forget"}, "restore": {"relocate"}, "recover": {"repair"}, "offline": {"sandbox"}, "check": {"paths"},
	"policies": {"plan-policies", "permissions"}, "render-pko": {"render pko"},
	"audit": {"history"}, "troubleshoot": {"diagnose"}, "debug": {"diagnose"}, "rbac": {"permissions"},
}

// otherWays maps what users look for as a command to how it is done.
var otherWays = map[string]string{
	"login":    "none is needed: the state is in a folder, unless --backend or PULUMI_BACKEND_URL names a bucket or Pulumi Cloud",
	"logs":     "`hypershift-aws diagnose` shows what a cluster reports, and `hypershift-aws up -o json` each event of an update",
	"rollback": "restore the former values in the stack's file, and run `hypershift-aws up`; docs/day-two.md says what cannot go back",

	"config":  "edit Pulumi.<stack>.yaml, whose keys `hypershift-aws schema` prints, and run `hypershift-aws up`",
	"edit":    "edit Pulumi.<stack>.yaml, whose keys `hypershift-aws schema` prints, and run `hypershift-aws up`",
	"set":     "edit Pulumi.<stack>.yaml, whose keys `hypershift-aws schema` prints, and run `hypershift-aws up`",
	"scale":   "change replicas or autoScaling of the node pools in the stack's file, and run `hypershift-aws up`",
	"upgrade": "change hostedCluster.release in the stack's file, and run `hypershift-aws up`",
	"rotate":  "change etcdKey or kmsKeyARN in the stack's file, and run `hypershift-aws up`: docs/day-two.md has the steps",
}

func unknownCommand(cmd *cobra.Command, name string) error {
	if way := otherWays[name]; way != "" {
		return Refuse("unknown command %q: %s", name, way)
	}
	var names, similar []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	for _, other := range otherNames[name] {
		if slices.Contains(names, other) {
			similar = append(similar, other)
		}
	}
	if len(similar) == 0 {
		similar = nearest(name, names)
	}
	if len(similar) == 0 {
		for _, other := range otherNames[name] {
			similar = append(similar, cmd.Root().Name()+" "+other)
		}
	}
	if len(similar) > 0 {
		return Refuse("unknown command %q: did you mean %s?", name, strings.Join(similar, " or "))
	}
	return Refuse("unknown command %q: see %s --help", name, cmd.CommandPath())
}

// nearest returns the names that differ least from a misspelt one, and by at most a third of its letters, or else those
// that begin with it.
func nearest(misspelt string, names []string) []string {
	least := max(1, len(misspelt)/3)
	var found, longer []string
	for _, name := range names {
		distance := levenshtein.Distance(misspelt, name, nil)
		if distance > 1 && sameLetters(misspelt, name) { // two of them changed places
			distance = 1
		}
		switch {
		case distance < least:
			least, found = distance, []string{name}
		case distance == least:
			found = append(found, name)
		case strings.HasPrefix(name, misspelt):
			longer = append(longer, name)
		}
	}
	if len(found) == 0 {
		return longer
	}
	return found
}

func sameLetters(a, b string) bool {
	return slices.Equal(slices.Sorted(slices.Values([]rune(a))), slices.Sorted(slices.Values([]rune(b))))
}

// otherFlags maps other programs' names for flags to this program's.
var otherFlags = map[string]string{
	"auto-approve": "--yes", "non-interactive": "--yes", "skip-preview": "--yes", "json": "-o json", "format": "-o json",
	"chdir": "-C", "cwd": "-C", "out": "--save-plan",
}

// otherFlagWays maps what users look for as a flag to how it is done.
var otherFlagWays = map[string]string{
	"dry-run": "`hypershift-aws preview` shows what would change",
	"refresh": "`hypershift-aws preview --drift` shows what was changed in AWS, and `hypershift-aws refresh` writes it to the state",
	"target":  "a plan is carried out as a whole; `hypershift-aws up --allow NAME` permits one replacement or deletion",
	"vpc-id":  existingVPC, "vpc": existingVPC, "subnet-ids": existingVPC, "subnets": existingVPC,
}

const existingVPC = "an existing VPC and its subnets are network.existing in the stack's file, as docs/networks.md shows"

// flagError adds to the error of an unknown flag what was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return valueError(cmd, err)
	}
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 { // a flag of a command that does not exist
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	name := unknown.GetSpecifiedName()
	if way := otherFlagWays[name]; way != "" {
		return fmt.Errorf("%w: %s", err, way)
	}
	if meant := otherFlags[name]; meant != "" && cmd.Flags().Lookup(strings.TrimPrefix(meant, "--")) != nil ||
		meant == "-C" || meant == "-o json" {
		return fmt.Errorf("%w: did you mean %s?", err, meant)
	}
	var flags, others []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
	if similar := nearest("--"+name, flags); len(name) > 1 && len(similar) > 0 {
		return fmt.Errorf("%w: did you mean %s?", err, strings.Join(similar, " or "))
	}
	eachCommand(cmd.Root(), func(other *cobra.Command) {
		if other.LocalFlags().Lookup(name) != nil {
			others = append(others, other.CommandPath())
		}
	})
	if len(others) > 0 {
		return fmt.Errorf("%w: it is a flag of %s", err, commandList(others))
	}
	return fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())
}

// commandList lists commands, each but the first without the words of the one before it: "hypershift-aws fleet drift
// and up".
func commandList(paths []string) string {
	var short []string
	group := ""
	for _, path := range paths {
		i := strings.LastIndex(path, " ") + 1
		if path[:i] == group {
			short = append(short, path[i:])
			continue
		}
		short, group = append(short, path), path[:i]
	}
	switch last := len(short) - 1; last {
	case 0, 1:
		return strings.Join(short, " and ")
	default:
		return strings.Join(short[:last], ", ") + ", and " + short[last]
	}
}

// flagValues says what a flag takes, by its type.
var flagValues = map[string]string{
	"int": "a whole number", "bool": "true or false", "duration": "a duration, such as 30m or 24h", "float64": "a number",
}

// valueError returns the error for a flag whose value is missing or is none of its type.
func valueError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing):
		_, usage := pflag.UnquoteUsage(missing.GetFlag())
		return fmt.Errorf("--%s needs a value: %s", missing.GetFlag().Name, usage)
	case errors.As(err, &invalid) && flagValues[invalid.GetFlag().Value.Type()] != "":
		return fmt.Errorf("--%s %s: use %s", invalid.GetFlag().Name, invalid.GetValue(),
			flagValues[invalid.GetFlag().Value.Type()])
	}
	return fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())
}

func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, do)
	}
}
