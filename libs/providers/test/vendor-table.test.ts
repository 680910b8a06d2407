import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { vendorTable } from "../src/vendor-table.ts";

const readme = join(import.meta.dirname, "../README.md");
const [begins, ends] = ["<!-- vendors: written by vitest -u -->\n", "\n<!-- /vendors -->"];

test("README.md has the table of all vendors (run vitest with -u after a change)", async () => {
  const text = readFileSync(readme, "utf8");
  const [before = "", rest = ""] = text.split(begins);
  const after = rest.slice(rest.indexOf(ends));
  await expect(before + begins + vendorTable() + after).toMatchFileSnapshot("../README.md");
});
