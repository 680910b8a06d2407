import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");

test("the console's types are generated from control's OpenAPI document", async () => {
  const { typesOf }: { readonly typesOf: (document: unknown) => string } = await import(
    join(root, "services/console/generate.ts")
  );
  const description: unknown = JSON.parse(readFileSync(join(root, "services/control/openapi.json"), "utf8"));
  const written = readFileSync(join(root, "services/console/src/api/types.ts"), "utf8");
  // The file is formatted, which changes white space, and marks that it makes needless.
  const plain = (text: string) => text.replaceAll(/[\s()|;"]+/g, "");
  expect(plain(written)).toBe(plain(typesOf(description)));
});
