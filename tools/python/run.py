"""Runs one operation on a stack of the program __main__.py beside it, which the Automation API serves to the engine from this process:
run.py OPERATION PROJECT STACK DIR. No language host is needed."""

import runpy
import sys
from pathlib import Path

from pulumi import automation

operation, project_name, stack_name, work_dir = sys.argv[1:]
stack = automation.select_stack(
    stack_name=stack_name,
    project_name=project_name,
    program=lambda: runpy.run_path(str(Path(__file__).with_name("__main__.py"))),
    opts=automation.LocalWorkspaceOptions(work_dir=work_dir),
)
{
    "up": lambda: stack.up(on_output=print),
    "preview": lambda: stack.preview(on_output=print, expect_no_changes=True),
    "destroy": lambda: stack.destroy(on_output=print),
}[operation]()
