import { expect, test } from "vitest";
import { startScriptedServer, type Script } from "@modelgate/testkit";
import { systemRoutes } from "../../src/api/system.ts";
import { ledgerAt } from "../../src/ledger.ts";

async function read(script: Script): Promise<unknown> {
  await using server = await startScriptedServer(script);
  const routes = systemRoutes(
    { list: () => [], [Symbol.dispose]: () => undefined },
    ledgerAt(server.url, "a secret of this test alone"),
  );
  return await routes["GET /system"]?.({
    operator: { name: "test", role: "viewer" },
    headers: {},
    address: "",
    params: {},
    query: new URLSearchParams(),
    body: {},
    actor: "operator",
  });
}

test("the stores are those of the ledger's answer", async () => {
  const stores = { redis: { ok: true }, nats: { ok: false, message: "closed" } };
  expect(await read(() => ({ body: { data: stores } }))).toMatchObject({ ...stores, ledger: { ok: true } });
});

test("a ledger that does not answer is unavailable, and what it would know is unknown", async () => {
  const unknown = { ok: false, message: expect.stringContaining("Unknown") };
  expect(await read((_request, response) => void response.destroy())).toMatchObject({
    ledger: { ok: false, message: expect.any(String) },
    redis: { ok: true },
    nats: unknown,
    books: unknown,
    streams: [],
  });
});
