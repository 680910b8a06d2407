import { tmpdir } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import { findProgram, PythonForks } from "@modelgate/testkit";

const program = findProgram("python3");

describe.skipIf(program === undefined)("samples of Python", () => {
  const forks = new PythonForks(program ?? "");
  afterAll(() => forks[Symbol.asyncDispose]());
  const run = (code: string, env: Readonly<Record<string, string>> = {}): ReturnType<PythonForks["run"]> =>
    forks.run(code, { folder: tmpdir(), env });

  test.each([
    ["that ends", "print('hello')", 0, "hello"],
    ["that raises an error", "raise ValueError('no')", 1, "ValueError: no"],
    ["with an error of syntax", "print(", 1, "SyntaxError"],
    ["that exits", "import sys\nsys.exit(3)", 3, ""],
    ["that a signal ends", "import os\nos.kill(os.getpid(), 9)", -9, ""],
    ["that imports a missing module", "import no_such_module", 1, "ModuleNotFoundError"],
    ["that reads its folder", "import os\nprint(os.getcwd())", 0, tmpdir()],
    ["that reads stdin", "import sys\nprint(repr(sys.stdin.read()))", 0, "''"],
  ])("%s", async (_, code, status, output) => {
    const ended = await run(code);
    expect(ended.status).toBe(status);
    expect(ended.output).toContain(output);
  });

  test("run in turn if they are started together, each with its variables and its output", async () => {
    const code = "import os\nprint('I am', os.environ['NAME'])";
    const ended = await Promise.all(["one", "two", "three"].map((NAME) => run(code, { NAME })));
    expect(ended.map(({ output }) => output)).toEqual(["I am one\n", "I am two\n", "I am three\n"]);
  });

  test("do not see each other's changes", async () => {
    await run("import json\njson.dumps = None");
    expect((await run("import json\nprint(json.dumps([1]))")).output).toBe("[1]\n");
  });

  test("find the modules of earlier samples loaded", async () => {
    const late = "def f():\n  import colorsys\nf()";
    const loaded = "import sys\nprint('colorsys' in sys.modules)";
    expect((await run(loaded)).output).toBe("False\n");
    await run(late);
    expect((await run(loaded)).output).toBe("True\n");
  });
});
