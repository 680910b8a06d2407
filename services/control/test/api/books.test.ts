import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { isOperator } from "@modelgate/contracts/operator-credential";
import { StreamedAnswer } from "@modelgate/platform";
import { bookRoutes } from "../../src/api/books.ts";
import { ledgerAt } from "../../src/ledger.ts";

const secret = "a secret of this test alone";

/** Returns control's answer to a read of the books. `ledger` answers control's request to the ledger. */
async function read(path: string, ledger: RequestListener, account?: string): Promise<unknown> {
  const server = createServer(ledger).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  try {
    const [route = "", query = ""] = path.split("?");
    const answer = bookRoutes(ledgerAt(url, secret))[`GET ${route}`]?.({
      operator: { name: "test", role: "viewer", ...(account === undefined ? {} : { account }) },
      headers: {},
      address: "",
      params: {},
      query: new URLSearchParams(query),
      body: {},
      actor: "operator",
    });
    const found = await answer;
    if (!(found instanceof StreamedAnswer)) return found;
    const pieces = [];
    for await (const piece of found.pieces) pieces.push(Buffer.from(piece));
    return { contentType: found.contentType, text: Buffer.concat(pieces).toString() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("a read is forwarded to the ledger unchanged, with a credential, and its answer is passed on", async () => {
  const found = await read("/usage?by=model&from=2026-01-01", (request, response) => {
    const credential = request.headers.authorization?.replace("Bearer ", "") ?? "";
    expect(isOperator([secret], credential, Math.floor(Date.now() / 1_000))).toBe(true);
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify({ data: [request.url] }));
  });
  expect(found).toEqual(["/usage?by=model&from=2026-01-01"]);
});

test("vendors' messages are not requested for a member of an account", async () => {
  const echo: RequestListener = (request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: new URL(request.url ?? "", "http://ledger").searchParams.getAll("hide") }));
  };
  expect(await read("/usage/events", echo)).toEqual([]);
  expect(await read("/usage/events?hide=nothing", echo, "acme")).toEqual(["vendor-words"]);
  expect(await read("/usage/export", echo, "acme")).toEqual(["vendor-words"]);
});

test("an export is passed on in chunks", async () => {
  const found = await read("/usage/export?format=csv", (_request, response) => {
    response.writeHead(200, { "content-type": "text/csv; charset=utf-8" });
    response.write("time,id\r\n");
    response.end("now,call_1\r\n");
  });
  expect(found).toEqual({ contentType: "text/csv; charset=utf-8", text: "time,id\r\nnow,call_1\r\n" });
});

test("a refusal of the ledger is passed on with its message", async () => {
  const refused = read("/usage?by=colour", (_request, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { code: "invalid_value", message: "by must be account.", param: "by" } }));
  });
  await expect(refused).rejects.toMatchObject({
    code: "invalid_value",
    status: 400,
    param: "by",
    message: "by must be account.",
  });
});

test.each<[string, RequestListener, string]>([
  ["is away", (request) => void request.socket.destroy(), "server_overloaded"],
  ["answers nonsense", (_request, response) => void response.writeHead(500).end("<html>"), "internal_error"],
])("a ledger that %s is an error", async (_, ledger, code) => {
  await expect(read("/usage", ledger)).rejects.toMatchObject({ code });
});
