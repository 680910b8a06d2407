import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { throwIfInterrupted } from "./interrupt.mjs";
import { root, tools } from "./places.mjs";
import { ask, onPath, run } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Variable that names the Python for the documentation's samples; `none` for tests without it. */
const variable = "MODELGATE_PYTHON";
const requirements = join(root, "docs/requirements.txt");
/** Maximum ms for pip, less than another bootstrap waits (lock.mjs). */
const installMs = 8 * 60_000;

/**
 * Finds a Python with the SDKs of the documentation's samples: in the variable, or this machine's Python with the
 * packages in `.tools`. Without it, those samples are skipped.
 */
export async function findPython() {
  if (process.env[variable]) return {};
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(tools, `python-${digest}`);
  if (!existsSync(folder)) await install(folder);
  if (existsSync(folder)) return { [variable]: join(folder, "bin/python") };
  printProgress(
    `no Python: the documentation's Python samples are skipped (install Python 3.10, or set ${variable} to one)`,
  );
  return {};
}

/** Installs the packages in a temporary environment and moves it, so that an interruption leaves nothing incomplete. */
async function install(folder) {
  const python = onPath("python3");
  const check = "import sys, venv; sys.exit(sys.version_info < (3, 10))";
  if (python === undefined || (await ask(python, ["-c", check])) === undefined) return;
  for (const stale of readdirSync(tools).filter((entry) => entry.startsWith("python-")))
    rmSync(join(tools, stale), { recursive: true, force: true });
  printProgress("installing the Python SDKs for the documentation's samples (once, a minute or two)");
  const making = `${folder}.making`;
  mkdirSync(making, { recursive: true });
  try {
    await run(python, ["-m", "venv", making], "");
    const pip = join(making, "bin/python");
    const options = ["--quiet", "--disable-pip-version-check", "-r", requirements];
    await run(pip, ["-m", "pip", "install", ...options], "", { timeout: installMs });
    // The environment can be moved, because Python finds its packages by pyvenv.cfg.
    renameSync(making, folder);
  } catch (error) {
    throwIfInterrupted();
    printProgress(`the Python SDKs could not be installed: ${error.message.trim().split("\n").at(-1)}`);
    rmSync(making, { recursive: true, force: true });
  }
}
