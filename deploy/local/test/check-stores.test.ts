import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkStores } from "../check-stores.ts";

const sockets: Socket[] = [];
/** Server that accepts connections and sends nothing. */
const silent = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
let silentAddress: string;
beforeAll(async () => {
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  silentAddress = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

describe.concurrent.each([
  ["REDIS_URL", "redis://user:a-password@", ""],
  ["NATS_URL", "nats://user:a-password@", ""],
  ["BOOKS_URL", "postgres://user:a-password@", "/books"],
])("a dead %s is reported with its address and cause, and no password", (name, scheme, path) => {
  const problem = (server: string) =>
    checkStores({ [name]: `${scheme}${server}${path}` }).then(
      () => "it answers",
      (error: unknown) => (error instanceof Error ? error.message : error),
    );

  test("a server that refuses connections", async () => {
    expect(await problem("127.0.0.1:1")).toBe(
      `${name}: 127.0.0.1:1 does not answer (connect ECONNREFUSED 127.0.0.1:1).`,
    );
  });

  test("a server that sends nothing", async () => {
    expect(await problem(silentAddress)).toBe(`${name}: ${silentAddress} does not answer (nothing within 3 s).`);
  });
});
