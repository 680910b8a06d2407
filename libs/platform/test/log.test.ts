import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

test("no secret is logged, recognised by its name or its format", () => {
  const script = `
    import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "../src/log.ts"))};
    const { log, close } = createLogger("test", "info");
    log.info({ authorization: "canary-one", headers: { "x-api-key": "canary-two", cookie: "canary-three" }, secret: "canary-four" }, "by name");
    log.info({ url: "/v1/models?key=sk-canary-five-0123456789" }, "sent sk-canary-six-0123456789");
    log.error({ err: new Error("refused AIzaCanarySeven0123456789") }, "by shape");
    await close();`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(printed.trim().split("\n")).toHaveLength(3);
  expect(printed).not.toMatch(/canary/i);
  expect(printed.match(/\[redacted\]/g)).toHaveLength(8); // an error's text appears twice, in message and stack
});

test("lines above the limit of waiting bytes are dropped and counted", async () => {
  const script = `
    import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "../src/log.ts"))};
    const { log, close } = createLogger("test", "info", 1_000_000);
    for (let line = 0; line < 20; line++) log.info({ text: "x".repeat(100_000) }, "line");
    process.once("beforeExit", close);`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const lines = printed.trim().split("\n");
  expect(lines).toHaveLength(10);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ lines: 11 });
});

test("unread log lines do not prevent a process from exiting", async () => {
  const script = `
    import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "../src/log.ts"))};
    const { log, close } = createLogger("test", "info");
    process.on("message", async () => {
      for (let line = 0; line < 100; line++) log.info({ text: "x".repeat(1_000) }, "line");
      await close();
      log.info("silent from now on");
      process.disconnect();
    });
    process.send("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  await once(child, "message");
  child.stdout?.destroy();
  child.send("begin");
  expect(await once(child, "exit")).toEqual([0, null]);
});
