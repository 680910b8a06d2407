import { blocksOf, type Block } from "./test/blocks.ts";
import { python, runBlock } from "./test/run-block.ts";
import { startDemo, type Demo } from "./test/start.ts";

/** Runs every block of the clients' pages against a demo of its own, and prints what became of each client. */
export async function countClients(): Promise<void> {
  await using demo = await startDemo();
  const pages = Map.groupBy(
    blocksOf(import.meta.dirname).filter(({ place }) => place.startsWith("clients/")),
    ({ place }) => place.replace(/^clients\/(.+)\.md:\d+$/, "$1"),
  );
  let worked = 0;
  let run = 0;
  for (const [client, blocks] of pages) {
    const outcomes: string[] = [];
    for (const block of blocks) outcomes.push(await outcomeOf(demo, block));
    const runs = outcomes.filter((outcome) => outcome === "works" || outcome.startsWith("fails"));
    if (runs.length > 0) run++;
    if (runs.length > 0 && runs.every((outcome) => outcome === "works")) worked++;
    process.stdout.write(`${client.padEnd(22)} ${outcomes.join("; ")}\n`);
  }
  process.stdout.write(`${worked} of ${run} clients work that were run, of ${pages.size} pages\n`);
}

async function outcomeOf(demo: Demo, block: Block): Promise<string> {
  if (block.notRun !== undefined) return `not run: ${block.notRun}`;
  if (block.language === "python" && python === undefined) return "not run: no Python with docs/requirements.txt";
  const { status, output } = await runBlock(demo, block);
  const isRight = status === 0 && output.toLowerCase().includes((block.prints ?? "").toLowerCase());
  return isRight ? "works" : `fails: ${output.trim().split("\n").at(-1) ?? ""}`;
}
