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

test("the console's copies of files of contracts are up to date", async () => {
  const {
    copiedFiles,
    copyOf,
  }: { readonly copiedFiles: readonly string[]; readonly copyOf: (file: string) => string } = await import(
    join(root, "services/console/generate.ts")
  );
  for (const file of copiedFiles)
    expect(readFileSync(join(root, "services/console/src/api", file), "utf8")).toBe(copyOf(file));
});
