import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { clientPackages, installClient, type ClientFolder } from "./client-packages.ts";
import { readClientRuns, writeClientRuns, type ClientRun } from "./client-runs.ts";
import { codingPrograms, type CodingProgram } from "./coding-programs.ts";
import { compiledClients, runCompiled } from "./compiled-clients.ts";
import { runCommand, lastLine } from "./run-command.ts";
import { blocksOf, type Block } from "./test/blocks.ts";
import { runBlock } from "./test/run-block.ts";
import { root, startDemo, type Demo, type Ended } from "./test/start.ts";

/** Text in the comment `<!-- not run: … -->` of blocks that only this command runs. */
const ranByThisCommand = "npm run docs -- clients";

/** Folder of the installed clients. It remains, so that a run installs only newer versions. */
const installed = join(root, ".tools/clients");
const demoKey = "sk-demo-0123456789abcdef";
const question = "Say hello to modelgate.";
const programMs = 180_000;

/**
 * Runs clients at their newest versions against a demo. Prints the outcomes, and writes them to `clients/runs.json`.
 */
export async function runClients(names: readonly string[]): Promise<void> {
  await using demo = await startDemo();
  const pages = Map.groupBy(
    blocksOf(import.meta.dirname).filter(({ place }) => place.startsWith("clients/")),
    ({ place }) => place.replace(/^clients\/(.+)\.md:\d+$/, "$1"),
  );
  pages.delete("index");
  const runs = Object.fromEntries(Object.entries(readClientRuns()).filter(([page]) => pages.has(page)));
  for (const [page, blocks] of pages) {
    if (names.length > 0 && !names.includes(page)) continue;
    const run = await runPage(demo, page, blocks);
    runs[page] = run;
    process.stdout.write(`${page.padEnd(22)} ${run.outcome.padEnd(8)} ${run.versions}\n`);
    writeClientRuns(runs);
  }
  const outcomes = Object.values(runs).map(({ outcome }) => outcome);
  const worked = outcomes.filter((outcome) => outcome === "works").length;
  const failed = outcomes.filter((outcome) => outcome.startsWith("fails")).length;
  process.stdout.write(`${worked} of ${worked + failed} clients work that were run, of ${pages.size} pages\n`);
}

async function runPage(demo: Demo, page: string, blocks: readonly Block[]): Promise<ClientRun> {
  const date = new Date().toISOString().slice(0, 10);
  const versions: string[] = [];
  const outcomes: string[] = [];
  try {
    const client = await installClient(join(installed, page), clientPackages[page] ?? {});
    versions.push(...client.versions);
    for (const block of blocks) outcomes.push(await outcomeOf(demo, page, block, client, versions));
  } catch (error) {
    outcomes.push(`fails: ${error instanceof Error ? error.message : String(error)}`);
  }
  const failure = outcomes.find((each) => each.startsWith("fails"));
  const outcome = failure ?? (outcomes.includes("works") ? "works" : (outcomes[0] ?? "not run: its page has no block"));
  return { date, versions: versions.join(", "), outcome };
}

/** Runs one block of a page, and adds the version of a compiled client to `versions`. */
async function outcomeOf(
  demo: Demo,
  page: string,
  block: Block,
  client: ClientFolder,
  versions: string[],
): Promise<string> {
  const isOurs = block.notRun?.includes(ranByThisCommand) === true;
  if (block.notRun !== undefined && !isOurs) return `not run: ${block.notRun}`;
  const compiled = compiledClients[page];
  if (compiled?.language === block.language) {
    const program = block.text.replaceAll("127.0.0.1:8080", demo.address);
    const { output, version } = await runCompiled(client.path, compiled, program);
    versions.push(version);
    return output.includes("You said") ? "works" : `fails: ${output.slice(0, 200)}`;
  }
  const program = codingPrograms[page];
  if (program !== undefined && isOurs) return await runProgram(program, `http://${demo.address}`, client);
  const runPython = (code: string): Promise<Ended> => demo.run(client.python, ["-c", code]);
  const { status, output } = await runBlock(demo, block, { runPython, path: client.path });
  const isRight = status === 0 && output.toLowerCase().includes((block.prints ?? "").toLowerCase());
  return isRight ? "works" : `fails: ${output.trim().split("\n").at(-1) ?? ""}`;
}

async function runProgram(program: CodingProgram, address: string, { bin }: ClientFolder): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "modelgate-program-"));
  try {
    for (const [path, text] of Object.entries(program.files?.(address, demoKey) ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const path = [...bin, process.env["PATH"]].join(delimiter);
    const env = { PATH: path, HOME: home, ...program.env(address, demoKey) };
    const ran = await runCommand("env", [program.command, ...program.args(question)], {
      cwd: home,
      timeout: programMs,
      env,
    });
    // The demo's models repeat the question.
    const isAnswer = ran.output.includes("You said") && ran.output.includes(question);
    return ran.status === 0 && isAnswer ? "works" : `fails: ${lastLine(ran)}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
