import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");

test("the console's types, lists of words and units of prices are generated from control's OpenAPI document", async () => {
  const generated: Readonly<Record<"typesOf" | "wordsOf", (document: unknown) => string>> = await import(
    join(root, "services/console/generate.ts")
  );
  const description: unknown = JSON.parse(readFileSync(join(root, "services/control/openapi.json"), "utf8"));
  const written = (file: string) => readFileSync(join(root, "services/console/src/api", file), "utf8");
  // Removes what the formatter may add or remove.
  const plain = (text: string) => text.replaceAll(/[\s()|;"]+/g, "").replaceAll(/,([\]}])/g, "$1");
  expect(plain(written("types.ts"))).toBe(plain(generated.typesOf(description)));
  expect(plain(written("words.ts"))).toBe(plain(generated.wordsOf(description)));
});

test("the console's sentences of the audit are a copy of those of contracts", async () => {
  const { auditTextCopy }: { readonly auditTextCopy: (source: string) => string } = await import(
    join(root, "services/console/generate.ts")
  );
  const source = readFileSync(join(root, "libs/contracts/src/audit-text.ts"), "utf8");
  expect(readFileSync(join(root, "services/console/src/api/audit-text.ts"), "utf8")).toBe(auditTextCopy(source));
});
