import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, startSuite, type ScriptedServer, type Suite } from "@modelgate/testkit";
import { parseConfiguration } from "../src/configuration/read.ts";

/** Models that the vendor lists: in the catalogue, in the configuration, and in neither. */
const data = ["openai/gpt-oss-20b", "openai/gpt-oss-120b", "brand-new"].map((id) => ({ id, object: "model" }));
let vendor: ScriptedServer;
const folder = mkdtempSync(join(tmpdir(), "import-"));
const file = join(folder, "modelgate.yaml");
let suite: Suite;
beforeAll(async () => {
  vendor = await startScriptedServer({ "/openai/v1/models": { body: { object: "list", data } } });
  const text = `groups: { default: { models: ["*"] } }
models:
  openai/gpt-oss-120b: { kind: chat, price: { input: 9, output: 9 } } # by contract
channels:
  - id: groq
    provider: groq
    baseUrl: ${vendor.url}/openai/v1
    keys: [gsk_0123456789]
    models: [openai/gpt-oss-120b]
`;
  writeFileSync(file, text);
  const { configuration: config } = parseConfiguration(text);
  suite = await startSuite({ shape: "apart", config: config ?? {} });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test("the models that a channel's vendor lists are written into the file with their prices, and the file is valid", async () => {
  expect(await suite.ask("model", "import", "groq", "--file", file)).toMatchObject({
    added: ["openai/gpt-oss-20b"],
    known: ["openai/gpt-oss-120b"],
    unpriced: ["brand-new"],
  });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("# by contract");
  expect(text).toContain("@pydantic/genai-prices");
  const { configuration } = parseConfiguration(text);
  expect(configuration?.models).toMatchObject({
    "openai/gpt-oss-20b": { kind: "chat", price: { input: 0.075, cachedInput: 0.0375, output: 0.3 } },
    "openai/gpt-oss-120b": { kind: "chat", price: { input: 9, output: 9 } },
  });
  expect(configuration?.channels[0]?.models).toEqual(["openai/gpt-oss-120b", "openai/gpt-oss-20b"]);
  expect((await suite.gatectl("config", "check", file)).status).toBe(0);
  expect(await suite.ask("model", "import", "groq", "--file", file)).toMatchObject({ added: [] });
  expect(readFileSync(file, "utf8")).toBe(text);
});
