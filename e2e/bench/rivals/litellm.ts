import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProgram, type Gateway } from "./gateways.ts";

/** Installs LiteLLM's proxy in a folder of its own and starts it with one worker; undefined where there is no Python. */
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
  const route = { model: "openai/stub", api_base: `${stub}/v1`, api_key: "any" };
  writeFileSync(config, stringify({ model_list: [{ model_name: "stub", litellm_params: route }] }));
  const address = `http://127.0.0.1:${port}`;
  const words = ["--config", config, "--port", String(port), "--host", "127.0.0.1", "--num_workers", "1"];
  const started = await startProgram(program, words, address, { env: { LITELLM_LOG: "ERROR" } });
  return {
    name: "LiteLLM proxy, 1 worker, no database",
    url: `${address}/v1/chat/completions`,
    headers: { authorization: "Bearer any" },
    parts: { litellm: [started.pid] },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
