import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compiledSamples, type CompiledSample } from "./compiled-samples.ts";
import { programs, type CodingProgram } from "./programs.ts";
import { ended, lastLine } from "./run-command.ts";
import { blocksOf } from "./test/blocks.ts";
import { root, startDemo } from "./test/start.ts";

/** Kept, so that the next run finds them; together they are 1.6 GB. */
const installed = join(root, ".tools/coding-programs");
const compiled = join(root, ".tools/compiled-samples");
const demoKey = "sk-demo-0123456789abcdef";
const question = "Say hello to modelgate.";
/** Longest that an installation and a run may take. */
const [installMs, runMs] = [300_000, 120_000];

/**
 * Installs each coding program from npm, asks one question of the demo through it, and prints what became of it; then compiles
 * the pages' samples in Go and Java and runs those, where their toolchains are on PATH.
 */
export async function runPrograms(): Promise<void> {
  await using demo = await startDemo();
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "package.json"), '{"private":true}');
  let worked = 0;
  for (const program of programs) {
    const outcome = await outcomeOf(program, `http://${demo.address}`);
    if (outcome === "works") worked++;
    process.stdout.write(`${program.npmPackage.padEnd(34)} ${outcome}\n`);
  }
  process.stdout.write(`${worked} of ${programs.length} coding programs work\n`);
  for (const sample of compiledSamples)
    process.stdout.write(`${sample.page.padEnd(34)} ${await outcomeOfSample(sample, demo.address)}\n`);
}

/** Compiles and runs the one block of a page, with the packages of its language's own registry. */
async function outcomeOfSample({ page, language, files, commands }: CompiledSample, address: string): Promise<string> {
  const block = blocksOf(import.meta.dirname).find(
    (each) => each.place.startsWith(`clients/${page}.md:`) && each.language === language,
  );
  if (block === undefined) return `its page has no block of ${language}`;
  const folder = join(compiled, page);
  for (const [path, text] of Object.entries(files(block.text.replaceAll("127.0.0.1:8080", address)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  let last = "";
  for (const [command, ...args] of commands) {
    const ran = await ended(command, args, { cwd: folder, timeout: installMs, env: process.env });
    if (ran.status !== 0) return `fails: ${lastLine(ran)}`;
    last = ran.output;
  }
  return last.includes("You said") ? "works" : `fails: ${last.slice(0, 200)}`;
}

async function outcomeOf(program: CodingProgram, address: string): Promise<string> {
  const install = ["install", "--no-audit", "--no-fund", "--prefer-offline", program.npmPackage];
  const had = await ended("npm", install, { cwd: installed, timeout: installMs, env: process.env });
  if (had.status !== 0) return `not available: ${lastLine(had)}`;
  const folder = mkdtempSync(join(tmpdir(), "modelgate-program-"));
  try {
    for (const [path, text] of Object.entries(program.files?.(address, demoKey) ?? {})) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const env = { PATH: process.env["PATH"], HOME: folder, ...program.env(address, demoKey) };
    const command = join(installed, "node_modules/.bin", program.command);
    const ran = await ended(command, program.args(question), { cwd: folder, timeout: runMs, env });
    // The demo's models repeat what they were asked.
    const isAnswer = ran.output.includes("You said") && ran.output.includes(question);
    return ran.status === 0 && isAnswer ? "works" : `fails: ${lastLine(ran)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
