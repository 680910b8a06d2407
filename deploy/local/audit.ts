import { spawnSync } from "node:child_process";
import { acceptedAdvisories, unacceptedAdvisories } from "./advisories.ts";

/**
 * Asks the registry for advisories about shipped packages, and fails for severe ones that `advisories.ts` does not
 * accept. Without an answer of the registry, fails only with `--required`, because `npm test` must not depend on the
 * network.
 */
const withinMs = Number(process.env["AUDIT_MS"] ?? 20_000);

const pnpm = process.env["MODELGATE_PNPM"] ?? "pnpm";
const { stdout, stderr, error } = spawnSync(pnpm, ["audit", "--prod", "--json"], {
  encoding: "utf8",
  timeout: withinMs,
  killSignal: "SIGKILL",
  env: { ...process.env, pnpm_config_fetch_retries: "0" },
});
const found = unacceptedAdvisories(stdout, acceptedAdvisories, new Date().toISOString().slice(0, 10));
if (found === undefined) {
  const timedOut = error !== undefined && "code" in error && error.code === "ETIMEDOUT";
  const reason = timedOut ? `no answer within ${withinMs} ms` : (error?.message ?? (stderr || stdout));
  // pnpm wraps its message in a frame.
  process.stdout.write(`not checked: ${reason.replaceAll(/[\s│×├─▶╰]+/g, " ").trim()}\n`);
  if (process.argv.includes("--required")) process.exitCode = 1;
} else if (found.length > 0) {
  process.stdout.write(`${found.join("\n")}\n`);
  process.exitCode = 1;
}
