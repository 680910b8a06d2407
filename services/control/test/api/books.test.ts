import { expect, test } from "vitest";
import { isOperator } from "@modelgate/contracts/operator-credential";
import { StreamedAnswer } from "@modelgate/platform";
import { startScriptedServer, type Script } from "@modelgate/testkit";
import { bookRoutes } from "../../src/api/books.ts";
import { ledgerAt } from "../../src/ledger.ts";

const secret = "a secret of this test alone";

/** Returns control's answer to a read of the books. */
async function read(path: string, ledger: Script, account?: string): Promise<unknown> {
  await using server = await startScriptedServer(ledger);
  const [route = "", query = ""] = path.split("?");
  const answer = bookRoutes(ledgerAt(server.url, secret))[`GET ${route}`]?.({
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
}

test("a read is forwarded to the ledger unchanged, with a credential, and its answer is passed on", async () => {
  const found = await read("/usage?by=model&from=2026-01-01", ({ headers, url }) => {
    const credential = headers.authorization?.replace("Bearer ", "") ?? "";
    expect(isOperator([secret], credential, Math.floor(Date.now() / 1_000))).toBe(true);
    return { headers: { "content-type": "application/json; charset=utf-8" }, body: { data: [url] } };
  });
  expect(found).toEqual(["/usage?by=model&from=2026-01-01"]);
});

test("vendors' messages are not requested for a member of an account", async () => {
  const echo: Script = ({ url }) => ({
    body: { data: new URL(url, "http://ledger").searchParams.getAll("hide") },
  });
  expect(await read("/usage/events", echo)).toEqual([]);
  expect(await read("/usage/events?hide=nothing", echo, "acme")).toEqual(["vendor-words"]);
  expect(await read("/usage/export", echo, "acme")).toEqual(["vendor-words"]);
});

test("an export is passed on in chunks", async () => {
  const found = await read("/usage/export?format=csv", (_request, response) => {
    response.writeHead(200, { "content-type": "text/csv; charset=utf-8" });
    response.write("time,id\r\n");
    response.end("now,call_1\r\n");
    return undefined;
  });
  expect(found).toEqual({ contentType: "text/csv; charset=utf-8", text: "time,id\r\nnow,call_1\r\n" });
});

test("a refusal of the ledger is passed on with its message", async () => {
  const refused = read("/usage?by=colour", () => ({
    status: 400,
    body: { error: { code: "invalid_value", message: "by must be account.", param: "by" } },
  }));
  await expect(refused).rejects.toMatchObject({
    code: "invalid_value",
    status: 400,
    param: "by",
    message: "by must be account.",
  });
});

test.each<[string, Script, string]>([
  ["is away", (_request, response) => void response.destroy(), "server_overloaded"],
  [
    "answers nonsense",
    () => ({ status: 500, headers: { "content-type": "text/html" }, body: "<html>" }),
    "internal_error",
  ],
])("a ledger that %s is an error", async (_, ledger, code) => {
  await expect(read("/usage", ledger)).rejects.toMatchObject({ code });
});
