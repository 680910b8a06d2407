import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePorts } from "@modelgate/deploy/local";
import { options } from "../options.ts";

/** Starts the simulated vendor in a separate process. */
export async function startStub(): Promise<AsyncDisposable & { readonly address: string }> {
  const [port = 0] = options["stub-port"] === undefined ? await freePorts(1) : [Number(options["stub-port"])];
  const child = fork(join(import.meta.dirname, "stub.ts"), [String(port)]);
  await once(child, "message");
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
