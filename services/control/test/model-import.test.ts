import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { parseConfiguration } from "../src/configuration/read.ts";

/** A vendor that lists what the catalogue knows, what it does not, and what the configuration has already. */
const server = createServer((_request, response) => {
  const data = ["openai/gpt-oss-20b", "openai/gpt-oss-120b", "brand-new"].map((id) => ({ id, object: "model" }));
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data }));
});
const folder = mkdtempSync(join(tmpdir(), "import-"));
const file = join(folder, "modelgate.yaml");
let suite: Suite;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const text = `groups: { default: { models: ["*"] } }
models:
  openai/gpt-oss-120b: { kind: chat, price: { input: 9, output: 9 } } # by contract
channels:
  - id: groq
    provider: groq
    baseUrl: http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/openai/v1
    keys: [gsk_0123456789]
    models: [openai/gpt-oss-120b]
`;
  writeFileSync(file, text);
  const { configuration: config } = parseConfiguration(text);
  suite = await startSuite({ config: config ?? {} });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  server.close();
  rmSync(folder, { recursive: true });
});

test("the models that a channel's vendor lists are written into the file with their prices, which is then good and shown", async () => {
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
