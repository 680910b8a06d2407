import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Gateway } from "./gateways.ts";
import { startProgram } from "./program.ts";

const version = "1.4.19";
const module = `github.com/maximhq/bifrost/transports/bifrost-http@v${version}`;
const buildMs = 15 * 60_000;
/** Virtual key for the governed gateway. */
const key = "sk-bf-bench-0123456789abcdef";

/** Builds Bifrost once. Returns the path of its program; undefined without Go. */
export async function buildBifrost(folder: string): Promise<string | undefined> {
  const built = join(folder, version);
  const program = join(built, "bifrost-http");
  if (existsSync(program)) return program;
  const go = findGo();
  if (go === undefined) return undefined;
  mkdirSync(built, { recursive: true });
  try {
    const env = { ...process.env, GOBIN: built };
    await promisify(execFile)(go, ["install", "-trimpath", "-ldflags=-s -w", module], { env, timeout: buildMs });
  } catch (error) {
    throw new Error(`Go cannot build it: ${lastLine(error)}`, { cause: error });
  }
  return program;
}

function findGo(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin"];
  return folders.map((folder) => join(folder, "go")).find((path) => existsSync(path));
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}

/** Starts Bifrost: bare, or with a virtual key, a budget, a rate limit and a log. */
export async function startBifrost(
  program: string,
  folder: string,
  port: number,
  stub: string,
  isGoverned: boolean,
): Promise<Gateway> {
  const data = join(folder, isGoverned ? "governed" : "bare");
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "config.json"), JSON.stringify(bifrostConfig(data, stub, isGoverned)));
  const address = `http://127.0.0.1:${port}`;
  const words = ["-host", "127.0.0.1", "-port", String(port), "-app-dir", data, "-log-level", "error"];
  const started = await startProgram(program, words, address);
  return {
    name: nameOfBifrost(isGoverned),
    address,
    headers: isGoverned ? { "x-bf-vk": key } : {},
    modelPrefix: "openai/",
    parts: { bifrost: [started.pid] },
    servers: {},
    isOurs: false,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

export function nameOfBifrost(isGoverned: boolean): string {
  return `Bifrost ${version}, ${isGoverned ? "virtual key, budget, rate limit and log" : "bare"}`;
}

/** Returns Bifrost's configuration. Governance needs a configuration store. */
export function bifrostConfig(folder: string, stub: string, isGoverned: boolean): object {
  const storeOf = (name: string): object => ({ enabled: true, type: "sqlite", config: { path: join(folder, name) } });
  return {
    client: {
      drop_excess_requests: false,
      initial_pool_size: 300,
      enable_logging: isGoverned,
      enable_governance: isGoverned,
      enforce_governance_header: isGoverned,
      max_request_body_size_mb: 100,
    },
    providers: {
      openai: {
        keys: [{ name: "stub", value: "any", models: [], weight: 1 }],
        network_config: { base_url: stub, default_request_timeout_in_seconds: 60 },
        concurrency_and_buffer_size: { concurrency: 200, buffer_size: 1_000 },
      },
    },
    config_store: isGoverned ? storeOf("config.db") : { enabled: false },
    logs_store: isGoverned ? storeOf("logs.db") : { enabled: false },
    ...(isGoverned ? { governance } : {}),
  };
}

const governance = {
  budgets: [{ id: "bench", max_limit: 100_000, reset_duration: "1M" }],
  rate_limits: [
    {
      id: "bench",
      token_max_limit: 1_000_000_000,
      token_reset_duration: "1m",
      request_max_limit: 1_000_000,
      request_reset_duration: "1m",
    },
  ],
  virtual_keys: [
    { id: "bench", name: "bench", value: key, is_active: true, budget_id: "bench", rate_limit_id: "bench" },
  ],
};
