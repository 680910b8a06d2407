import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFlags } from "../services.ts";

test("images start a service with the flags that it has on this machine", () => {
  const dockerfile = readFileSync(join(import.meta.dirname, "../../docker/Dockerfile"), "utf8");
  expect(dockerfile).toContain(`exec node ${nodeFlags.join(" ")} service/src/main.ts`);
});
