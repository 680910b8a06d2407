import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bareCheckout, type BareCheckout } from "./bare-checkout.ts";

/** Searches Helm. Returns the variables for tasks, and the output. */
function find(checkout: BareCheckout, env = ""): { readonly found: unknown; readonly output: string } {
  mkdirSync(checkout.path(".tools"), { recursive: true });
  const script = `${env};import("./deploy/local/bootstrap/helm.mjs").then(async ({ findHelm }) =>
    console.log(JSON.stringify(await findHelm())))`;
  const { stdout, stderr } = checkout.node("-e", script);
  return { found: JSON.parse(stdout), output: stderr };
}

const building = `case "$1" in install) printf '#!/bin/sh\\n' > "$GOBIN/helm"; chmod +x "$GOBIN/helm";; esac`;

test("a Helm 3 on PATH is used, another major version is not", () => {
  using checkout = bareCheckout();
  checkout.program("helm", "echo v3.12.0+gabc");
  expect(find(checkout)).toEqual({ found: { MODELGATE_HELM: checkout.path("bin/helm") }, output: "" });
  checkout.program("helm", "echo v4.0.1+gabc");
  checkout.program("go", "exit 1");
  expect(find(checkout).found).toEqual({});
});

test("a Helm that the environment names is used unchanged", () => {
  using checkout = bareCheckout();
  expect(find(checkout, 'process.env.MODELGATE_HELM = "none"')).toEqual({ found: {}, output: "" });
});

test("Go builds the pinned version once, into .tools", () => {
  using checkout = bareCheckout();
  checkout.program("helm", "exit 1");
  checkout.program("go", `echo "$@" >> ${checkout.path("calls")}; ${building}`);
  const { found, output } = find(checkout);
  expect(output).toMatch(/^building Helm with Go .+\nHelm took \d+ s\n$/);
  const [folder = ""] = checkout.tools();
  expect(folder).toMatch(/^helm-3\.\d+\.\d+$/);
  expect(found).toEqual({ MODELGATE_HELM: checkout.path(".tools", folder, "helm") });
  checkout.program("go", "echo called again >&2; exit 1");
  expect(find(checkout)).toEqual({ found, output: "" });
});

test("if Helm cannot be built the reason is printed, nothing fails and no files remain", () => {
  using checkout = bareCheckout();
  checkout.program("helm", "exit 1");
  checkout.program("go", "echo 'dial tcp: no network here' >&2; exit 1");
  mkdirSync(checkout.path(".tools"));
  writeFileSync(checkout.path(".tools/helm-3.18.6.1"), "what a killed build has left");
  const { found, output } = find(checkout);
  expect(found).toEqual({});
  expect(output).toMatch(/Helm could not be built: dial tcp: no network here\nno Helm: .+MODELGATE_HELM to one\)\n$/);
  expect(checkout.tools()).toEqual([]);
});
