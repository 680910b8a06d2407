import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { differenceOf } from "../../src/configuration/difference.ts";
import {
  applyEdits,
  fragmentOf,
  partsOf,
  withHiddenSecrets,
  withHiddenValues,
  withStoredKeys,
  withoutAccounts,
} from "../../src/configuration/documents.ts";

const document = `# ours
models:
  a: { kind: chat } # the first
channels:
  - id: main
    keys: [secret-1, "env:NAME"]
accounts:
  demo: { tokens: [{ key: sk-client-0123456789 }] }
`;

test("an edit changes its part and keeps comments", () => {
  const text = applyEdits(document, [
    { path: ["models", "b"], value: { kind: "image" } },
    { path: ["channels", "main"], value: null },
    { path: ["channels", "new"], value: { id: "new" } },
  ]);
  expect(text).toContain("# ours");
  expect(text).toContain("# the first");
  expect(text).toContain("kind: image");
  expect(text).not.toContain("id: main");
  expect(text).toContain("- id: new");
  expect(fragmentOf([{ path: ["channels", "new"], value: { id: "new" } }])).toBe("channels:\n  - id: new\n");
});

test("a channel's hidden key is kept, and removed parts become comments", () => {
  const [channel] = partsOf(document).channels;
  expect(channel).toEqual({ id: "main", keys: ["(hidden)", "env:NAME"] });
  expect(partsOf(document).models).toEqual({ a: { kind: "chat" } });
  const value = { id: "main", keys: ["(hidden)", "env:NAME", "secret-2"], weight: 2 };
  const text = applyEdits(document, [{ path: ["channels", "main"], value }]);
  expect(partsOf(text).channels).toEqual([{ ...value, keys: ["(hidden)", "env:NAME", "(hidden)"] }]);
  expect(text).toMatch(/- secret-1\s+- env:NAME\s+- secret-2/);
  expect(fragmentOf([{ path: ["models", "a"], value: null }])).toBe("# remove models.a\n");
});

test("literal keys are stored separately or hidden; references stay", () => {
  const { document: kept, keys } = withStoredKeys(document, (key, id) => `${key} sealed for ${id}`);
  expect(keys).toHaveLength(1);
  expect(kept).not.toContain("secret-1");
  expect(kept).toContain(`kept:${keys[0]?.id}`);
  expect(kept).toContain("env:NAME");
  expect(keys[0]?.sealed).toBe(`secret-1 sealed for ${keys[0]?.id}`);
  expect(withHiddenSecrets(document)).not.toMatch(/secret-1|sk-client/);
  expect(withoutAccounts(document)).not.toContain("sk-client");
});

test("values of headers and aliased keys are stored separately or hidden, and a hidden header is kept", () => {
  const headers = { "X-Team": "canary-team", "x-tenant": "env:TENANT", "x-link": "file:canary-link" };
  const text = `${stringify({ channels: [{ id: "main", headers }] })}  - { id: b, keys: [&k canary-key] }\n  - { id: c, keys: [*k] }\n`;
  const { document: kept, keys } = withStoredKeys(text, (value) => value);
  expect(keys.map(({ sealed }) => sealed)).toEqual(["canary-team", "file:canary-link", "canary-key"]);
  for (const shown of [kept, withHiddenSecrets(text)]) {
    expect(shown).not.toContain("canary");
    expect(shown).toContain("env:TENANT");
  }
  const [main] = partsOf(text).channels;
  expect(main).toEqual({
    id: "main",
    headers: { "X-Team": "(hidden)", "x-tenant": "env:TENANT", "x-link": "(hidden)" },
  });
  const value = { id: "main", headers: { "x-team": "(hidden)", "x-new": "(hidden)" } };
  const edited = applyEdits(text, [{ path: ["channels", "main"], value }]);
  expect(edited).toMatch(/x-team: canary-team\s+x-new: \(hidden\)/);
  expect(() => withStoredKeys(edited, () => "")).toThrow("Enter the key or header (hidden) again.");
});

test.each([
  ["text instead of a list", "keys: sk-live-1"],
  ["an unknown field", "apiKey: sk-live-1"],
  ["the name of a member", "keys: { sk-live-1 }"],
  ["a map", "keys: { a-1: { b: [sk-live-1] }, a-2: sk-live-2 }"],
])("a secret in a wrong place is hidden: %s", (_, member) => {
  const channel = `{ id: main, provider: openai, ${member} }`;
  const models = "models:\n  a: { kind: chat }\n";
  for (const channels of [`channels: [${channel}]`, `chanels: [${channel}]`, `x: &c [${channel}]\nchannels: *c`]) {
    const shown = withHiddenSecrets(withHiddenValues(models + channels));
    expect(shown).toContain("(hidden)");
    expect(shown).not.toContain("sk-live");
    expect(shown).toContain("id: main, provider: openai");
    expect(shown).toContain(models);
  }
});

test("an edit of a part whose anchor another part uses is refused", () => {
  const text = "channels:\n  - { id: b, keys: [&k secret] }\n  - { id: c, keys: [*k] }\n";
  const edits = [{ path: ["channels", "b"], value: { id: "b" } }] as const;
  expect(() => applyEdits(text, edits)).toThrow("uses an anchor of the edited part");
});

test.each([
  ["a number as name", "models: { 4: { kind: chat }, b: {} }", { 4: { kind: "image" }, b: {} }, { b: {} }],
  ["an empty section", "models:", { 4: { kind: "image" } }, {}],
  ["an empty document", "", { 4: { kind: "image" } }, {}],
])("a part of a document with %s is changed and removed", (_, text, changed, removed) => {
  const path = ["models", "4"] as const;
  expect(partsOf(applyEdits(text, [{ path, value: { kind: "image" } }])).models).toEqual(changed);
  expect(partsOf(applyEdits(text, [{ path, value: null }])).models).toEqual(removed);
});

test.each(["a text", "- a", "models: a text", "models: [a", "x: &m {}\nmodels: *m"])(
  "an edit of the document %j, which has no map, is refused",
  (text) => {
    const path = ["models", "a"] as const;
    expect(() => applyEdits(text, [{ path, value: { kind: "chat" } }])).toThrow("edit the whole document");
  },
);

test("a difference transforms one text into the other", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (old, fresh) => {
      const difference = differenceOf(old.join("\n"), fresh.join("\n"));
      const side = (without: string) => difference.filter(({ kind }) => kind !== without).map(({ text }) => text);
      const isPart = (part: readonly string[], whole: readonly string[]) => {
        let at = 0;
        for (const line of whole) if (line === part[at]) at++;
        return at === part.length;
      };
      // A difference omits only unchanged lines, so each side is a subsequence of its text.
      expect(isPart(side("added"), old.length === 0 ? [""] : old)).toBe(true);
      expect(isPart(side("removed"), fresh.length === 0 ? [""] : fresh)).toBe(true);
      const counted = (kind: string) => difference.filter((line) => line.kind === kind).length;
      expect(counted("added") - counted("removed")).toBe(Math.max(1, fresh.length) - Math.max(1, old.length));
    }),
  );
});
