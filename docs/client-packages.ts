import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, lastLine } from "./run-command.ts";

/** Packages of a client by registry. The first one of a registry is the client. */
export interface ClientPackages {
  readonly pypi?: readonly string[];
  readonly npm?: readonly string[];
}

/** Packages by the client's page in docs/clients. */
export const clientPackages: Readonly<Record<string, ClientPackages>> = {
  agno: { pypi: ["agno", "openai"] },
  aider: { pypi: ["aider-chat"] },
  "anthropic-python": { pypi: ["anthropic"] },
  "anthropic-typescript": { npm: ["@anthropic-ai/sdk"] },
  "azure-openai": { npm: ["openai"] },
  "claude-code": { npm: ["@anthropic-ai/claude-code"] },
  codex: { npm: ["@openai/codex"] },
  cohere: { pypi: ["cohere"] },
  "copilot-cli": { npm: ["@github/copilot"] },
  dspy: { pypi: ["dspy"] },
  "gemini-cli": { npm: ["@google/gemini-cli"] },
  "google-adk": { pypi: ["google-adk"] },
  "google-genai": { npm: ["@google/genai"], pypi: ["google-genai"] },
  haystack: { pypi: ["haystack-ai"] },
  instructor: { pypi: ["instructor"] },
  langchain: { pypi: ["langchain-openai"] },
  "langchain-anthropic": { pypi: ["langchain-anthropic"] },
  "langchain-google": { pypi: ["langchain-google-genai"] },
  "langchain-js": { npm: ["@langchain/openai", "@langchain/core"] },
  litellm: { pypi: ["litellm"] },
  "llama-index": { pypi: ["llama-index-llms-openai-like"] },
  "mistral-python": { pypi: ["mistralai"] },
  ollama: { npm: ["ollama"] },
  "ollama-python": { pypi: ["ollama"] },
  "openai-agents": { pypi: ["openai-agents"] },
  "openai-agents-js": { npm: ["@openai/agents", "openai", "zod"] },
  "openai-js": { npm: ["openai", "ws"] },
  "openai-python": { pypi: ["openai[realtime]"] },
  opencode: { npm: ["opencode-ai"] },
  "pydantic-ai": { pypi: ["pydantic-ai-slim[openai]"] },
  "qwen-code": { npm: ["@qwen-code/qwen-code"] },
  smolagents: { pypi: ["smolagents[openai]"] },
  strands: { pypi: ["strands-agents[openai]"] },
  "vercel-ai": { npm: ["ai", "@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/google"] },
};

/** Folder with the packages of one client. Clients have separate folders, because their dependencies conflict. */
export interface ClientFolder {
  readonly path: string;
  readonly python: string;
  /** Folders of installed commands. */
  readonly bin: readonly string[];
  /** Installed versions, for example `openai 3.57.0`. */
  readonly versions: readonly string[];
}

const installMs = 600_000;
const printVersions =
  "import sys\nfrom importlib.metadata import version\nfor name in sys.argv[1:]: print(name, version(name))";

/** Installs the newest packages of a client. Throws Error with the installer's last line. */
export async function installClient(path: string, { pypi = [], npm = [] }: ClientPackages): Promise<ClientFolder> {
  mkdirSync(path, { recursive: true });
  const venv = join(path, "venv");
  const python = join(venv, "bin/python");
  const run = async (command: string, args: readonly string[]): Promise<string> => {
    const ran = await runCommand(command, args, { cwd: path, timeout: installMs, env: process.env });
    if (ran.status !== 0) throw new Error(lastLine(ran));
    return ran.output;
  };
  const versions: string[] = [];
  if (pypi.length > 0) {
    await run("python3", ["-m", "venv", venv]);
    const options = ["--quiet", "--disable-pip-version-check", "--upgrade", "--upgrade-strategy", "eager"];
    await run(python, ["-m", "pip", "install", ...options, ...pypi]);
    const names = pypi.map((name) => name.replace(/\[.*$/, ""));
    versions.push(...(await run(python, ["-c", printVersions, ...names])).trim().split("\n"));
  }
  if (npm.length > 0) {
    writeFileSync(join(path, "package.json"), '{"private":true}');
    await run("npm", ["install", "--no-audit", "--no-fund", ...npm.map((name) => `${name}@latest`)]);
    for (const name of npm) versions.push(`${name} ${versionOf(join(path, "node_modules", name))}`);
  }
  return { path, python, bin: [join(path, "node_modules/.bin"), join(venv, "bin")], versions };
}

function versionOf(folder: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return version;
}
