"""Runs Python samples. Each runs in a fork of this process, which has imported the modules that earlier samples used:
loading an SDK takes seconds, a fork some milliseconds.

Reads one JSON object per line: id, code, folder, env, output (path of the file that gets stdout and stderr) and seconds
(maximum duration). Writes one line per ended sample: its id and its exit status, negative for a signal.
"""

import ast
import atexit
import gc
import importlib
import json
import os
import signal
import sys


def main():
    """Forks a process for each sample. Returns the sample in the fork, and None in the first process at the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # A collection during imports finds nothing, and one in a fork would copy the pages of all modules.
    gc.disable()
    list_paths = []
    for line in sys.stdin:
        sample = json.loads(line)
        os.environ.update(sample["env"])
        import_modules(imports_of(sample["code"]))
        for path in [path for path in list_paths if os.path.exists(path)]:
            list_paths.remove(path)
            with open(path) as names:
                import_modules(names.read().split())
        list_paths.append(modules_path(sample))
        gc.freeze()
        if os.fork() == 0:
            return run(sample)
    return None


def imports_of(code):
    """Returns the names of the modules that a sample imports at its top level."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:
        return []
    imports = [alias.name for each in statements if isinstance(each, ast.Import) for alias in each.names]
    return imports + [each.module for each in statements if isinstance(each, ast.ImportFrom)]


def import_modules(names):
    """Imports modules. Ignores errors, because the sample that imports the module itself fails with the same error."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            pass


def modules_path(sample):
    """Returns the path of the file with the names of the modules that a sample has loaded.

    Some are loaded only when the sample calls an SDK.
    """
    return sample["output"] + ".modules"


def write_modules(sample):
    with open(modules_path(sample), "w") as names:
        names.write("\n".join(sys.modules))


def run(sample):
    """Forks once more. The child returns its sample; this process waits for the child and writes its status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        output = os.open(sample["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(sample["folder"])
        gc.enable()
        signal.alarm(sample["seconds"])
        atexit.register(write_modules, sample)
        return sample
    _, status = os.waitpid(child, 0)
    os.write(1, f"{sample['id']} {os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


# The sample runs at the top level, so that the interpreter handles its errors and its end as in any program.
sample = main()
if sample is not None:
    exec(compile(sample["code"], "sample.py", "exec"), {"__name__": "__main__"})
