import { expect, test, vi } from "vitest";
import { copyOrSelect } from "../src/parts/copy-or-select.ts";

test.each([
  ["with https is copied", { writeText: async () => undefined }, true],
  ["without https is selected", undefined, false],
  ["without permission is selected", { writeText: () => Promise.reject(new Error("denied")) }, false],
])("a text on a page %s", async (_, clipboard, isCopied) => {
  const select = vi.fn<() => void>();
  expect(await copyOrSelect("sk-1", select, clipboard)).toBe(isCopied);
  expect(select).toHaveBeenCalledTimes(isCopied ? 0 : 1);
});
