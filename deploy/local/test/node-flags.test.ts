import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFlags } from "../services.ts";

test("images start a program with the same Node flags as on this machine", () => {
  const dockerfile = readFileSync(join(import.meta.dirname, "../../docker/Dockerfile"), "utf8");
  expect(dockerfile).toContain(`NODE_FLAGS="${nodeFlags.join(" ")}"`);
  expect(dockerfile).toContain("exec node $NODE_FLAGS $PROGRAM");
});
