import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { configurationRoutes, type ConfigurationRouteDeps } from "../../src/api/configuration.ts";
import type { ConfigurationVersion } from "../../src/configuration/books-source.ts";

const channel = (key: string) => `channels:
  - id: main
    provider: openai
    keys: [${key}]
    models: { a: a }
`;
const parts = `groups: { default: { models: ["*"] } }
models: { a: { kind: chat, price: { input: 1, output: 2 } } }
`;

/** Calls a route with a configuration file, or with the versions of the books. */
async function call(
  route: string,
  {
    path,
    versions = [],
    params = {},
  }: { path?: string; versions?: readonly string[]; params?: Record<string, string> },
): Promise<unknown> {
  const versionOf = (version: number): ConfigurationVersion | undefined => {
    const text = versions[version - 1];
    return text === undefined
      ? undefined
      : { version, document: text, note: "", actor: "test", time: "2026-01-01T00:00:00Z" };
  };
  const deps: ConfigurationRouteDeps = {
    follower: {
      status: { path: "books", problems: [], version: "v", loadedAt: "2026-01-01T00:00:00Z" },
      declare: async () => undefined,
      refresh: async () => undefined,
    },
    path,
    books: {
      find: async (version = versions.length) => versionOf(version),
      history: async () => [],
      readStoredKeys: async () => new Map(),
      save: async () => versionOf(versions.length),
    },
    allowed: { keysFolder: undefined, variables: new Set(), internalAddresses: [] },
    environment: { KEY_OF_MAIN: "a key of this test" },
  };
  return configurationRoutes(deps)[route]?.({
    operator: { name: "test", role: "admin" },
    headers: {},
    address: "",
    params,
    query: new URLSearchParams(),
    body: {},
    actor: "test",
  });
}

test.each([
  ["valid", channel("sk-live-1"), "main"],
  ["invalid", channel("x").replace("keys: [x]", "keys: sk-live-1"), "(hidden)"],
])("a key in a configuration file that is %s is not shown", async (_, channels, name) => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "modelgate.yaml");
  writeFileSync(path, parts + channels);
  for (const route of ["GET /configuration", "GET /configuration/parts"]) {
    const shown = JSON.stringify(await call(route, { path }));
    expect(shown).not.toContain("sk-live");
    expect(shown).toContain(name);
  }
});

test("a restored version is saved with the warnings that the newest version does not have", async () => {
  const versions = [channel("kept:unknown"), channel("env:KEY_OF_MAIN")].map((channels) => parts + channels);
  const restore = (version: string) =>
    call("POST /configuration/versions/{version}/restore", { versions, params: { version } });
  const warnings = [{ path: "channels[0]", message: expect.stringContaining("is off") }];
  expect(await restore("1")).toMatchObject({ version: 2, problems: [], warnings });
  expect(await restore("2")).toMatchObject({ version: 2, problems: [], warnings: [] });
});
