import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { vendorTable } from "../src/vendor-table.ts";

const [begins, ends] = ["<!-- vendors: written by vitest -u -->\n", "\n<!-- /vendors -->"];

test.each(["../README.md", "../../../README.md"])(
  "%s has the table of all vendors (run vitest with -u after a change)",
  async (readme) => {
    const text = readFileSync(join(import.meta.dirname, readme), "utf8");
    const [before = "", rest = ""] = text.split(begins);
    const after = rest.slice(rest.indexOf(ends));
    expect(after).toContain(ends);
    await expect(before + begins + vendorTable() + after).toMatchFileSnapshot(readme);
  },
);
