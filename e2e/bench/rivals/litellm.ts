import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Gateway } from "./gateways.ts";
import { startProgram } from "./program.ts";
import { models } from "./stub-models.ts";

/** LiteLLM does not start without an API key. */
const key = "sk-bench-0123456789abcdef";

/** Installs and starts LiteLLM's proxy with one worker. Returns undefined without Python. */
export async function startLitellm(folder: string, port: number, stub: string): Promise<Gateway | undefined> {
  const python = process.env["MODELGATE_PYTHON"] ?? "python3";
  if (python === "none") return undefined;
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "bin/litellm");
  try {
    if (!existsSync(program)) {
      execFileSync(python, ["-m", "venv", folder], { stdio: "ignore" });
      execFileSync(join(folder, "bin/pip"), ["install", "--quiet", "litellm[proxy]"], { stdio: "ignore" });
    }
  } catch {
    return undefined;
  }
  const config = join(folder, "config.yaml");
  const list = Object.values(models).map((name) => ({
    model_name: name,
    litellm_params: { model: `openai/${name}`, api_base: `${stub}/v1`, api_key: "any" },
  }));
  writeFileSync(config, stringify({ model_list: list }));
  const address = `http://127.0.0.1:${port}`;
  const words = ["--config", config, "--port", String(port), "--host", "127.0.0.1", "--num_workers", "1"];
  const started = await startProgram(program, words, address, { LITELLM_LOG: "ERROR", LITELLM_MASTER_KEY: key });
  return {
    name: "LiteLLM proxy, 1 worker, no database",
    address,
    headers: { authorization: `Bearer ${key}` },
    parts: { litellm: [started.pid] },
    servers: {},
    isOurs: false,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
