// Runs one operation on a stack of the program index.ts beside it, which the Automation API serves to the engine from this process:
// run OPERATION PROJECT STACK DIR. No language host is needed.
import { LocalWorkspace } from "@pulumi/pulumi/automation";

async function main(): Promise<void> {
    const [operation, projectName, stackName, workDir] = process.argv.slice(2);
    const program = async () => require("./index");
    const stack = await LocalWorkspace.selectStack({ stackName, projectName, program }, { workDir });
    const onOutput = (text: string) => void process.stdout.write(text);
    switch (operation) {
        case "up":
            await stack.up({ onOutput, suppressProgress: true });
            break;
        case "preview":
            await stack.preview({ onOutput, expectNoChanges: true });
            break;
        case "destroy":
            await stack.destroy({ onOutput });
            break;
        default:
            throw new Error(`${operation} is no operation; give up, preview or destroy`);
    }
}

main().catch((err) => {
    console.error(err);
    process.exit(1);
});
