import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { stringify } from "yaml";
import { type BrowserClient, post, signInByLink } from "../console/people.ts";
import { config as baseConfig, hello, keys } from "../../../../libs/relay/test/config.ts";

const canary = "sk-canary-of-a-vendor-0123456789";

describe("a configuration in the books", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-seed-"));
  const seed = join(folder, "seed.yaml");
  let suite: Suite;
  let admin: BrowserClient;
  beforeAll(async () => {
    writeFileSync(seed, `# what it begins with\n${stringify(baseConfig)}`);
    suite = await startSuite({
      config: baseConfig,
      env: { MODELGATE_CONFIG: "", MODELGATE_SEED: seed, MODELGATE_DATA: folder },
    });
    admin = await signInByLink(suite, "admin");
    await until("the seed to serve", async () => (await post(suite, hello("chat"))).status === 200);
  });
  afterAll(async () => {
    await suite?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const exported = async (): Promise<string> => (await suite.gatectl("config", "export")).stdout;
  const imported = async (text: string, ...words: string[]) => {
    const file = join(folder, "changed.yaml");
    writeFileSync(file, text);
    return suite.gatectl("config", "import", file, ...words);
  };
  const vendor = (id: string, key: string) => ({
    edits: [
      { section: "models", name: "theirs", value: { kind: "chat", price: { input: 1, output: 2 } } },
      {
        section: "channels",
        name: id,
        value: {
          id,
          provider: "openai",
          baseUrl: `\${SIMULATOR_URL}/at/${id}/openai/v1`,
          keys: [key],
          headers: { "x-gate": key },
          models: { theirs: "demo-chat" },
        },
      },
    ],
  });

  test("starts with the seed, without the clients' and the vendors' keys", async () => {
    const text = await exported();
    expect(text).toContain("# what it begins with");
    expect(text).not.toContain(keys.demo);
    expect(text).not.toContain("key-of-main");
    expect(text).toMatch(/kept:[\w-]+/);
    expect(await suite.ask("config", "history")).toMatchObject([{ version: 1, actor: "first start" }]);
  });

  test("an added vendor serves immediately; its key and headers are stored encrypted and never shown again", async () => {
    expect((await post(suite, hello("theirs"))).status).toBe(404);
    const { status, data } = await admin.post("/configuration/edits", vendor("added", canary));
    expect([status, data]).toMatchObject([200, { version: 2, problems: [] }]);
    await until("a call of the new model", async () => (await post(suite, hello("theirs"))).status === 200);
    const [request] = await suite.simulator.requests("added");
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${canary}`, "x-gate": canary });
    const shown = JSON.stringify([
      (await admin.get("/configuration")).data,
      (await admin.get("/configuration/versions/2")).data,
      (await admin.get("/channels")).data,
      await suite.ask("audit", "list"),
    ]);
    expect(shown).not.toContain(canary);
    expect(suite.process("control").logs() + suite.process("ledger").logs()).not.toContain(canary);
    for (const file of ["books.sqlite", "books.sqlite-wal"])
      expect(readFileSync(join(folder, file)).includes(canary), file).toBe(false);
  });

  test("each save is a version with author, time and difference, and a rollback is another one", async () => {
    const { data } = await admin.get("/configuration/versions/2");
    expect(data).toMatchObject({ version: 2, actor: "admin by link" });
    expect(Date.parse(data.time)).toBeGreaterThan(Date.now() - 600_000);
    const added = data.difference.filter(({ kind }: { kind: string }) => kind === "added");
    expect(added.map(({ text }: { text: string }) => text).join("\n")).toContain("id: added");
    expect(data.difference.some(({ kind }: { kind: string }) => kind === "removed")).toBe(false);
    expect((await suite.gatectl("config", "rollback", "1")).stdout).toContain("Saved as version 3");
    await until("the model to be gone", async () => (await post(suite, hello("theirs"))).status === 404);
    const restored = await admin.post("/configuration/versions/2/restore");
    expect(restored.data).toMatchObject({ version: 4 });
    // The restored version has its vendor key, because keys are stored separately.
    await until("the model to be back", async () => (await post(suite, hello("theirs"))).status === 200);
    expect((await admin.post("/configuration/versions/99/restore")).status).toBe(404);
  });

  test("an invalid configuration is refused with the path of each invalid field, and nothing is saved", async () => {
    const before = (await admin.get("/configuration")).data.version;
    const wrong = vendor("added", canary);
    const { data } = await admin.post("/configuration/edits", {
      edits: [
        { section: "models", name: "theirs", value: { kind: "chatty", price: { input: -1 } } },
        ...wrong.edits.slice(1).map((edit) => ({ ...edit, value: { ...edit.value, provider: "absent" } })),
      ],
    });
    expect(data.version).toBeNull();
    const paths = data.problems.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(["models.theirs.kind", "models.theirs.price.input", "channels[2].provider"]),
    );
    const { status, stdout } = await imported("groups: {");
    expect([status, stdout]).toEqual([1, expect.stringContaining("Not saved:\n  line ")]);
    expect((await admin.get("/configuration")).data.version).toBe(before);
  });

  test.each([
    ["a variable of the gateway", { keys: ["env:MODELGATE_SECRET"] }, "channels[0].keys[0]"],
    ["a file of the data folder", { keys: [`file:${join(folder, "secret")}`] }, "channels[0].keys[0]"],
    ["an address with a variable", { baseUrl: "https://evil.example/${REDIS_URL}" }, "channels[0].baseUrl"],
    ["the key of another address", { keys: ["(hidden)"] }, "channels[0].keys[0]"],
    ["a placeholder as a header", { headers: { "x-new": "(hidden)" } }, "channels[0].headers.x-new"],
    ["an address inside a cloud", { baseUrl: "http://169.254.169.254/v1" }, "channels[0].baseUrl"],
  ])("a channel that would send a vendor %s is refused", async (_, more, path) => {
    const channel = { id: "main", provider: "openai", baseUrl: "https://v.example/v1", keys: ["k"], models: ["chat"] };
    const edits = [{ section: "channels", name: "main", value: { ...channel, ...more } }];
    const { data } = await admin.post("/configuration/edits", { edits });
    expect(data).toMatchObject({ version: null, problems: [{ path }] });
  });

  test("a second key is added to a kept one, and only warnings of the change are shown", async () => {
    const channel = async () => {
      const { channels } = (await admin.get("/configuration/parts")).data;
      return channels.find(({ id }: { id: string }) => id === "added");
    };
    const save = async (value: object) =>
      (await admin.post("/configuration/edits", { edits: [{ section: "channels", name: "added", value }] })).data;
    const before = await channel();
    const two = await save({ ...before, keys: [...before.keys, "sk-the-second-key"] });
    expect(two).toMatchObject({ problems: [], warnings: [] });
    const waiting = { id: "waiting", provider: "anthropic", models: { theirs: "demo-claude" } };
    const edits = [{ section: "channels", name: "waiting", value: waiting }];
    const { warnings } = (await admin.post("/configuration/edits", { edits })).data;
    expect(warnings).toMatchObject([{ message: expect.stringContaining("ANTHROPIC_API_KEY is not set") }]);
    expect(await save({ ...(await channel()), priority: 1 })).toMatchObject({ problems: [], warnings: [] });
    expect((await admin.post("/configuration/edits", { edits: [{ ...edits[0], value: null }] })).data.problems).toEqual(
      [],
    );
  });

  test("models are not listed from link-local addresses or ports of stores", async () => {
    const { port } = new URL(suite.backends.redisUrl);
    for (const baseUrl of ["http://169.254.169.254/v1", `http://127.0.0.1:${port}/v1`, "http://127.0.0.1:5432/v1"])
      expect(await admin.post("/vendors/models", { provider: "openai", baseUrl, key: "k" }), baseUrl).toMatchObject({
        status: 400,
        error: { param: "baseUrl" },
      });
  });

  test("of two operators who edit the same version, the second is refused", async () => {
    const { document, version: basedOn } = (await admin.get("/configuration")).data;
    const save = (note: string) =>
      admin.post("/configuration", { document: `${document}\n# ${note}\n`, note, basedOn });
    expect((await save("first")).data.version).toBe(basedOn + 1);
    expect(await save("second")).toMatchObject({ status: 409, error: { param: "basedOn" } });
  });

  test("an export can be imported again, and a check alone saves nothing", async () => {
    const text = await exported();
    const before = (await admin.get("/configuration")).data.version;
    const check = await admin.post("/configuration", { document: text, check: true });
    expect(check.data).toMatchObject({ version: null, problems: [] });
    expect((await imported(text, "--note", "as it was")).status).toBe(0);
    const [newest] = await suite.ask<object[]>("config", "history");
    expect(newest).toMatchObject({ version: before + 1, note: "as it was" });
    expect((await post(suite, hello("theirs"))).status).toBe(200);
  });

  test("the configuration survives a restart of control", async () => {
    await suite.process("control").stop();
    await suite.restart("control");
    await until("control", async () => (await admin.get("/configuration")).status === 200);
    expect((await post(suite, hello("theirs"))).status).toBe(200);
  });
});

describe("a configuration in a file", () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite({ config: baseConfig });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  test("is shown without keys, and each change is offered as YAML to copy", async () => {
    const admin = await signInByLink(suite, "admin");
    const { data } = await until("the configuration", async () => {
      const answer = await admin.get("/configuration");
      return answer.data?.published !== "" && answer;
    });
    expect(data).toMatchObject({ source: "file", version: null, path: expect.stringContaining("modelgate.yaml") });
    expect(data.document).not.toContain(keys.demo);
    expect(data.document).not.toContain("key-of-main");
    const edits = [{ section: "models", name: "more", value: { kind: "chat", price: { input: 1 } } }];
    const changed = await admin.post("/configuration/edits", { edits });
    expect(changed.data).toMatchObject({ version: null, problems: [] });
    expect(changed.data.copy).toBe("models:\n  more:\n    kind: chat\n    price:\n      input: 1\n");
    expect((await admin.get("/models")).data.map(({ name }: { name: string }) => name)).not.toContain("more");
    expect((await suite.gatectl("config", "rollback", "1")).status).toBe(1);
  });
});
