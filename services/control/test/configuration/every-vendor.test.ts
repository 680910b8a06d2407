import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { modelKinds, wiresOfKind, type ModelKind } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { completeConfiguration } from "../../src/configuration/complete.ts";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { resolveChannels } from "../../src/configuration/resolve.ts";
import { runGatectl } from "../../src/gatectl/run.ts";
import { warningsOf } from "../../src/configuration/warnings.ts";

/** Vendors whose channels need only the vendor's name. */
const whole = Object.values(providers).filter(
  ({ baseUrl, keyVariable }) => baseUrl !== undefined && keyVariable !== undefined,
);
const text = (names: readonly string[]): string =>
  [
    "groups: { default: { models: ['*'] } }",
    "models: { m: { kind: chat, price: { input: 1, cachedInput: 1, output: 1 } } }",
    "channels:",
    ...names.map((name) => `  - { id: ${name}, provider: ${name}, models: [m] }`),
  ].join("\n");

/** Environment variables of these vendors. */
const variables: Readonly<Record<string, string>> = Object.fromEntries(
  whole.flatMap(({ baseUrl = "", keyVariable = "" }) => [
    [keyVariable, "key|secret"],
    ...[...baseUrl.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [
      name,
      baseUrl.startsWith("$") ? "https://v.example" : "own",
    ]),
  ]),
);

test("a file with only the name of every vendor is valid, and every channel serves", async () => {
  const { configuration, problems } = parseConfiguration(text(whole.map(({ name }) => name)));
  expect(problems).toBeUndefined();
  if (configuration === undefined) return;
  const channels = await resolveChannels(configuration, variables);
  expect(channels.filter(({ off }) => off !== undefined)).toEqual([]);
  expect(channels.flatMap(({ baseUrl }) => (baseUrl.includes("$") ? [baseUrl] : []))).toEqual([]);
  const warnings = warningsOf(
    configuration,
    completeConfiguration(configuration, channels, { lists: new Map(), nowMs: 0 }),
  ).filter(({ message }) => !message.includes("no wire for it"));
  expect(warnings).toEqual([]);
});

/** Further fields that channels to other vendors need. */
const more: Readonly<Record<string, string>> = {
  azure: ", baseUrl: 'https://own.openai.azure.com/openai', keys: ['env:AZURE_OPENAI_API_KEY']",
};

test("config check passes a file with all vendors, and every channel serves", async () => {
  const names = Object.keys(providers);
  const models = names.map((name) => `  ${name}: { kind: ${kindFor(name)}, price: { request: 1 } }`);
  const channels = names.map((name) => `  - { id: ${name}, provider: ${name}, models: [${name}]${more[name] ?? ""} }`);
  const all = ["groups: { default: { models: ['*'] } }", "models:", ...models, "channels:", ...channels].join("\n");
  const folder = mkdtempSync(join(tmpdir(), "vendors-"));
  const file = join(folder, "modelgate.yaml");
  writeFileSync(file, all);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries({ ...variables, ...cloudVariables })) vi.stubEnv(name, value);
  const output: string[] = [];
  const stdout = new Writable({ write: (chunk: Buffer, _, done) => (output.push(chunk.toString()), done()) });
  const status = await runGatectl(["config", "check", file], {
    stdin: Readable.from([]),
    stdout,
    stderr: stdout,
    env: {},
  });
  rmSync(folder, { recursive: true });
  expect([status, output.join("")]).toEqual([0, `${file} is valid.\n`]);
});

/** Variables in the addresses of the clouds, and Azure's key. */
const cloudVariables = {
  AWS_REGION: "us-east-1",
  GOOGLE_CLOUD_LOCATION: "us-central1",
  GOOGLE_CLOUD_PROJECT: "p",
  AZURE_OPENAI_API_KEY: "key",
};

function kindFor(name: string): ModelKind {
  const { wires = [] } = providers[name] ?? {};
  return modelKinds.find((kind) => wiresOfKind[kind].some((wire) => wires.includes(wire))) ?? "chat";
}

test("a vendor without its variable is off, and names it; a self-hosted vendor is called without a key", async () => {
  const { configuration } = parseConfiguration(text(["groq", "ollama", "databricks"]));
  const channels = configuration === undefined ? [] : await resolveChannels(configuration, {});
  expect(channels.map(({ off, keys }) => ({ off, keys }))).toEqual([
    { off: "GROQ_API_KEY is not set", keys: [] },
    { off: undefined, keys: ["none"] },
    { off: "DATABRICKS_HOST is not set; DATABRICKS_TOKEN is not set", keys: [] },
  ]);
});

test.each([
  ["azure", "channels[0].baseUrl", "is missing: azure has no default"],
  ["absent", "channels[0].provider", "is not a known vendor"],
])("the name %s alone is not a channel", (name, path, message) => {
  const { problems = [] } = parseConfiguration(text([name]));
  expect(problems).toContainEqual({ path, message: expect.stringContaining(message) });
});
