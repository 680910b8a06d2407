import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../src");

test("each component that makes a change shows its failure, or passes the change to one that does", () => {
  const components = globSync(join(folder, "{pages,parts}/*.tsx")).flatMap((file) =>
    readFileSync(file, "utf8").split(/^(?=(?:export )?function )/m),
  );
  const changing = components.filter((text) => /^(?:export )?function [A-Z]/.test(text) && text.includes("useChange("));
  const silent = changing
    .filter((text) => !/\.error\b|<(?!Form\b)\w+ [^>]*change=\{/.test(text))
    .map((text) => /function (\w+)/.exec(text)?.[1]);
  expect(changing.length).toBeGreaterThan(20);
  expect(silent).toEqual([]);
});
