import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bareCheckout, bootstrap, type BareCheckout } from "../../../deploy/local/test/bare-checkout.ts";
import { until } from "../src/index.ts";

const root = join(import.meta.dirname, "../../..");

test("the lock file names no registry host", () => {
  expect(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")).not.toMatch(/https?:\/\/|tarball/);
});

describe("in a bare checkout", () => {
  let checkout: BareCheckout;
  beforeEach(() => {
    checkout = bareCheckout();
    rmSync(checkout.path("bin/pnpm"));
  });
  afterEach(() => checkout[Symbol.dispose]());

  test("a kill in the middle leaves nothing that looks complete, and the next run continues", async () => {
    checkout.program("npm", "touch called; sleep 60");
    const child = checkout.start(bootstrap, "prepare");
    await until("npm to be called", () => existsSync(checkout.path("called")));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    expect(checkout.tools()).not.toContain("pnpm-12.21.0");
    checkout.program("npm", "echo 'no network here' >&2; exit 1");
    const { status, stderr } = checkout.node(bootstrap, "prepare");
    expect(status).toBe(1);
    expect(stderr).toContain("pnpm could not be downloaded from npm: install it yourself");
    expect(stderr).toContain("no network here");
    expect(checkout.tools()).not.toContain("lock");
  });

  test("installed programs are used, and nothing is downloaded", () => {
    checkout.program(
      "pnpm",
      'if [ "$1" = --version ]; then echo 12.21.0; else mkdir -p node_modules && echo installed; fi',
    );
    const { status, stdout, stderr } = checkout.node(bootstrap, "prepare");
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "installing packages\n" });
    expect(checkout.tools()).toEqual([]);
    const again = checkout.node(bootstrap, "prepare");
    expect(again.stderr).toBe("");
  });

  test("an unknown task is reported in one clear sentence", () => {
    const { status, stderr } = checkout.node(bootstrap, "fly");
    expect(status).toBe(1);
    expect(stderr).toBe(
      'There is no task "fly"; tasks: start, test, bench, chaos, soak, docs, restarts, attack, gatectl, prepare.\n',
    );
  });
});
