import { spawnSync } from "node:child_process";
import { acceptedAdvisories, unacceptedAdvisories } from "./advisories.ts";

/**
 * Asks the registry for advisories about the shipped packages of the lockfile. Fails for an advisory of high or
 * critical severity that `advisories.ts` does not accept. If the registry has no audit endpoint or does not answer in
 * time, prints "not checked" and succeeds, because `npm test` must not depend on the network. With `--required`, as in
 * the release, it fails then.
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
