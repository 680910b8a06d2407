import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspectableEnv } from "../inspector.ts";
import type { Gateway } from "./gateways.ts";
import { startProgram } from "./program.ts";

const version = "1.15.2";
export const nameOfPortkey = `Portkey ${version}, bare`;
/** Versions of packages. With newer ones, Portkey answers streams with 500. */
const overrides = { hono: "4.9.7", "@hono/node-server": "1.13.5" };

/** Installs and starts Portkey's gateway, without authentication. */
export async function startPortkey(folder: string, port: number, stub: string): Promise<Gateway> {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "rival", private: true, dependencies: { "@portkey-ai/gateway": version }, overrides };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  const address = `http://127.0.0.1:${port}`;
  const script = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const args = [script, "--headless", `--port=${port}`];
  const program = await startProgram(process.execPath, args, address, { NODE_ENV: "production", ...inspectableEnv });
  return {
    name: nameOfPortkey,
    address,
    headers: {
      authorization: "Bearer any",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${stub}/v1`,
    },
    parts: { portkey: [program.pid] },
    servers: {},
    inspectable: program,
    isOurs: false,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
