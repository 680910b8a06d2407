import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { bareCheckout, type BareCheckout } from "./bare-checkout.ts";

/** Searches the browser for tests. Returns the variables for tasks, and the output. */
function find(checkout: BareCheckout, env = ""): { readonly found: unknown; readonly output: string } {
  mkdirSync(checkout.path(".tools"), { recursive: true });
  const script = `${env};import("./deploy/local/bootstrap/chromium.mjs").then(async ({ findChromium }) =>
    console.log(JSON.stringify(await findChromium())))`;
  const { stdout, stderr } = checkout.node("-e", script);
  return { found: JSON.parse(stdout), output: stderr };
}

function without(): BareCheckout {
  const checkout = bareCheckout();
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
    checkout.program(name, "echo this only says where to get one; exit 1");
  checkout.program("chromium-headless-shell", "exit 1");
  return checkout;
}

test("the first working browser on PATH is used", () => {
  using checkout = without();
  checkout.program("google-chrome", "exit 0");
  expect(find(checkout)).toEqual({ found: { MODELGATE_CHROMIUM: checkout.path("bin/google-chrome") }, output: "" });
});

test("a browser that the environment names is used unchanged", () => {
  using checkout = without();
  expect(find(checkout, 'process.env.MODELGATE_CHROMIUM = "none"')).toEqual({ found: {}, output: "" });
});

test("without a browser the browser tests are skipped, and nothing fails", () => {
  using checkout = without();
  checkout.program("apt-get", "echo 'no network here' >&2; exit 100");
  checkout.program("apt-cache", "exit 100");
  const { found, output } = find(checkout);
  expect(found).toEqual({});
  expect(output).toMatch(/no browser: .+ MODELGATE_CHROMIUM to one\)\n$/);
  expect(checkout.tools()).toEqual([]);
});
