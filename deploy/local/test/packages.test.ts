import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bareCheckout, bootstrap, installing } from "./bare-checkout.ts";

test("the repository is found if its path has characters that a URL would encode", () => {
  using checkout = bareCheckout("model gate %20-é-");
  expect(checkout.node(bootstrap, "prepare")).toMatchObject({ status: 0, stderr: "installing packages\n" });
});

test("an interrupted install is repeated, even if the manifests are unchanged since the last complete one", () => {
  using checkout = bareCheckout();
  const lockFile = checkout.path("pnpm-lock.yaml");
  expect(checkout.node(bootstrap, "prepare").status).toBe(0);
  expect(checkout.node(bootstrap, "prepare").stderr).toBe("");
  writeFileSync(lockFile, "{ other: true }");
  checkout.program("pnpm", installing("echo half way >&2; exit 1"));
  expect(checkout.node(bootstrap, "prepare")).toMatchObject({
    status: 1,
    stderr: "installing packages\nThe packages could not be installed:\nhalf way\n",
  });
  writeFileSync(lockFile, "{}");
  checkout.program("pnpm", installing("true"));
  expect(checkout.node(bootstrap, "prepare")).toMatchObject({ status: 0, stderr: "installing packages\n" });
});
