import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programs, type CodingProgram } from "./programs.ts";
import { root, startDemo, type Ended } from "./test/start.ts";

/** Kept, so that the next run finds them; together they are 1.6 GB. */
const installed = join(root, ".tools/coding-programs");
const demoKey = "sk-demo-0123456789abcdef";
const question = "Say hello to modelgate.";
/** Longest that an installation and a run may take. */
const [installMs, runMs] = [300_000, 120_000];

/** Installs each coding program from npm, asks one question of the demo through it, and prints what became of it. */
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
}

async function outcomeOf(program: CodingProgram, address: string): Promise<string> {
  const install = ["install", "--no-audit", "--no-fund", "--prefer-offline", program.npmPackage];
  const had = await ended("npm", install, { cwd: installed, timeout: installMs, env: process.env });
  if (had.status !== 0) return `cannot be had: ${lastLine(had)}`;
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

function ended(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly timeout: number; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (error, stdout, stderr) =>
      resolve({
        status: error === null ? 0 : Number(error.code ?? 1),
        output: error === null ? stdout : stdout + stderr,
      }),
    );
    child.stdin?.end();
  });
}

function lastLine({ output }: Ended): string {
  return output.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}
