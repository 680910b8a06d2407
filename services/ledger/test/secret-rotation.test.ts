import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bookAlertTarget,
  createAnchorSigner,
  openBooks,
  readAnchor,
  readRefused,
  readVendorKeys,
  recordRefused,
  saveConfiguration,
  storeAnchor,
  type Books,
} from "@modelgate/books";
import { storedVendorKeysPurpose } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { createLogger, makeCipher } from "@modelgate/platform";
import {
  startLocalBackends,
  startServiceAlone,
  until,
  type AloneService,
  type LocalBackends,
} from "@modelgate/testkit";
import { startReceivers, targetOf, type Receivers } from "./alerts/receivers.ts";

const [old, next] = ["the old secret of the gateway", "the next secret of the gateway"];
const { log } = createLogger("ledger", "silent");
const folder = mkdtempSync(join(tmpdir(), "modelgate-rotation-"));
const file = join(folder, "books.sqlite");

let backends: LocalBackends;
let receivers: Receivers;
beforeAll(async () => {
  [backends, receivers] = await Promise.all([startLocalBackends(), startReceivers()]);
});
afterAll(async () => {
  await receivers?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function useBooks<T>(step: (books: Books) => Promise<T>): Promise<T> {
  await using books = await openBooks({ file }, log);
  return await step(books);
}

function run(statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

const start = (secrets: Readonly<Record<string, string>>): Promise<AloneService> =>
  startServiceAlone("ledger", {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_DATA: folder,
    LOG_LEVEL: "info",
    ...secrets,
  });

/** Returns the lines of a log about the rotation, without their time. */
function linesOf(logs: string) {
  return logs
    .split("\n")
    .filter((line) => line.includes("MODELGATE_SECRET alone"))
    .map((line): unknown => JSON.parse(line));
}

/** Runs a ledger of step 2 of a rotation until it has signed anchors, and returns its lines about the rotation. */
async function rotate(): Promise<readonly unknown[]> {
  let ledger: AloneService | undefined;
  {
    await using running = (ledger = await start({ MODELGATE_SECRET: next, MODELGATE_SECRET_BEFORE: old }));
    await until("anchors to be signed", () => running.logs().includes("alone reads all anchors"));
  }
  return linesOf(ledger.logs());
}

const line = (msg: string, rows: object) => expect.objectContaining({ msg: `MODELGATE_SECRET alone ${msg}`, ...rows });

test("a ledger with two secrets makes the books readable with the new one alone, and logs if they are", async () => {
  const seal = (secret: string, id: string) => makeCipher([secret], storedVendorKeysPurpose).encrypt(`key ${id}`, id);
  const keys = [
    { id: "k1", sealed: seal(old, "k1") },
    { id: "k2", sealed: seal(next, "k2") },
    { id: "k3", sealed: seal("a lost secret of the gateway", "k3") },
  ];
  const target = targetOf([old], "webhook", receivers.secretOf("webhook"), { account: "" });
  const head = { number: 1, head: "h", balanceNanos: "5", createdAt: "c", time: "2026-01-10T10:00:00.000Z" };
  const anchor = createAnchorSigner([old]).sign({ account: "acme", ...head });
  const call = { id: "r1", requestId: "req_1", accountId: "acme", tokenId: "tok_1", endpoint: "POST /v1/responses" };
  const refused = { ...call, time: "2026-01-10T10:00:00.000Z", status: 404, code: "model_not_found" };
  await useBooks(async (books) => {
    await saveConfiguration(books, { document: "groups: {}", note: "", keys, basedOn: 0 }, "ann");
    await bookAlertTarget(books, target, "ann");
    await storeAnchor(books, anchor);
    await recordRefused(books, [{ call: refused, calls: 1 }]);
  });
  run("create trigger refuse before update on vendor_keys begin select raise(abort, 'refused'); end");

  // A failed step does not stop the other ones.
  expect(await rotate()).toEqual([
    line("reads all alert targets", { replaced: 1 }),
    line("reads all anchors", { replaced: 1 }),
  ]);
  await useBooks(async (books) => {
    expect((await readRefused(books, { from: 0, to: Date.now() }, { limit: 1 })).refusals).toEqual([]);
    expect(await readAnchor(books, "acme")).toEqual(createAnchorSigner([next]).sign(anchor));
  });

  run("drop trigger refuse");
  expect(await rotate()).toEqual([
    line("does not read all vendor keys", { replaced: 1, unreadable: 1, examples: ["k3"] }),
    line("reads all alert targets", { replaced: 0 }),
    line("reads all anchors", { replaced: 0 }),
  ]);
  await useBooks(async (books) => {
    const sealed = new Map((await readVendorKeys(books, ["k1", "k2", "k3"])).map((key) => [key.id, key.sealed]));
    expect(makeCipher([next], storedVendorKeysPurpose).decrypt(sealed.get("k1") ?? "", "k1")).toBe("key k1");
    expect([sealed.get("k2"), sealed.get("k3")]).toEqual([keys[1]?.sealed, keys[2]?.sealed]);
    await books.db.deleteFrom("vendor_keys").where("id", "=", "k3").execute();
  });
  expect(await rotate()).toContainEqual(line("reads all vendor keys", { replaced: 0 }));

  await using ledger = await start({ MODELGATE_SECRET: next });
  const answer = await fetch(`${ledger.url}/alert-targets/${target.target.id}/test`, {
    method: "POST",
    headers: { authorization: `Bearer ${signOperator(next, Math.floor(Date.now() / 1_000) + 60)}` },
  });
  expect(await answer.json()).toEqual({ data: { delivered: true, error: "" } });
  expect(await receivers.received("webhook")).toHaveLength(1);
  expect(linesOf(ledger.logs())).toEqual([]);
});
