import { DatabaseSync } from "node:sqlite";
import type { Redis } from "ioredis";
import { accountKeys } from "@modelgate/accounts";

import { until } from "@modelgate/testkit";
import { onRedis } from "../../chaos/redis-log.ts";
import { openaiModel, statusesOf, times, attackResult, type Attack, type AttackContext } from "../attack.ts";
import { json } from "../vendor.ts";
import { honestText, textAnswer, textRequest } from "./wires.ts";

const price = { input: 1, output: 2 };
const priceVersionsKey = "price-versions";

/** Opens the ledger's database file for writing. */
function openBooks({ booksFile }: AttackContext): DatabaseSync {
  return new DatabaseSync(booksFile, { timeout: 10_000 });
}

async function untilBooked({ suite, attacker }: AttackContext, calls: number): Promise<void> {
  await until(`${calls} calls in the books`, async () => {
    interface Row {
      readonly sums: { readonly calls: string };
    }
    const words = ["usage", "--by", "account", "--account", attacker.accountId];
    const rows = await suite.ask<readonly Row[]>(...words);
    return Number(rows[0]?.sums.calls ?? 0) >= calls;
  });
}

/**
 * Runs `gatectl ledger verify` for the attacker's account or for everything. Returns false if it finds a divergence.
 */
async function areBooksValid({ suite, attacker }: AttackContext, of: "account" | "all"): Promise<boolean> {
  const { status } = await suite.gatectl("ledger", "verify", ...(of === "account" ? [attacker.accountId] : []));
  return status === 0;
}

/** Change of the books or of Redis that bypasses the ledger. */
interface Alteration {
  readonly description: string;
  readonly of: "account" | "all";
  change(books: DatabaseSync, redis: Redis): unknown;
  undo(books: DatabaseSync, redis: Redis): unknown;
}

const sqlAlteration = (description: string, of: Alteration["of"], change: string, undo: string): Alteration => ({
  description,
  of,
  change: (books) => books.exec(change),
  undo: (books) => books.exec(undo),
});

/** Deletes rows, and keeps a copy of them for `undo`. */
const deletionOf = (description: string, of: Alteration["of"], table: string, where: string): Alteration =>
  sqlAlteration(
    description,
    of,
    `create table kept as select * from ${table} ${where}; delete from ${table} ${where}`,
    `insert into ${table} select * from kept; drop table kept`,
  );

function alterationsOf(account: string): readonly Alteration[] {
  const whereAccount = `where account = '${account}'`;
  const oneOf = (order: "asc" | "desc"): string =>
    `(select id from calls ${whereAccount} order by at ${order} limit 1)`;
  const early = deletionOf("", "account", "calls", `${whereAccount} and id = ${oneOf("asc")}`);
  const key = accountKeys.account(account);
  let before = "";
  return [
    sqlAlteration(
      "totals that are not the sum of the calls",
      "account",
      `update daily_totals set cost = cost + 1 ${whereAccount}`,
      `update daily_totals set cost = cost - 1 ${whereAccount}`,
    ),
    sqlAlteration(
      "a call with another cost",
      "account",
      `update calls set cost = cost + 1 ${whereAccount} and id = ${oneOf("desc")}`,
      `update calls set cost = cost - 1 ${whereAccount} and id = ${oneOf("desc")}`,
    ),
    sqlAlteration(
      "an account that was made earlier",
      "account",
      `update accounts set created = '2020' || substr(created, 5) ${whereAccount}`,
      `update accounts set created = (select created from anchors ${whereAccount}) ${whereAccount}`,
    ),
    {
      description: "an early call deleted, after the account's beginning in Redis was moved behind it",
      of: "account",
      async change(books, redis) {
        before = (await redis.hget(key, "createdAt")) ?? "";
        await redis.hset(key, "createdAt", new Date().toISOString());
        early.change(books, redis);
      },
      async undo(books, redis) {
        await redis.hset(key, "createdAt", before);
        early.undo(books, redis);
      },
    },
    deletionOf("every call deleted, so that there is nothing to walk", "account", "calls", whereAccount),
    {
      description: "a price of a version that was published with another",
      of: "all",
      async change(_, redis) {
        const [version = ""] = await redis.hkeys(priceVersionsKey);
        before = (await redis.hget(priceVersionsKey, version)) ?? "";
        await redis.hset(priceVersionsKey, version, JSON.stringify({ price: { input: 77 } }));
      },
      async undo(_, redis) {
        const [version = ""] = await redis.hkeys(priceVersionsKey);
        await redis.hset(priceVersionsKey, version, before);
      },
    },
    sqlAlteration(
      "an entry of the audit by somebody else",
      "all",
      "update audit set actor = actor || ' and others' where number = 1",
      "update audit set actor = replace(actor, ' and others', '') where number = 1",
    ),
    deletionOf("an entry of the audit deleted", "all", "audit", "where number = 2"),
  ];
}

const alteredBooks: Attack = {
  id: "altered",
  name: "alters the books without the ledger: totals, calls, an account's first receipts, a price, the audit",
  area: "text",
  models: [openaiModel("chat", "chat", price, honestText)],
  async run(context) {
    const answers = await context.sendAll(times(3, () => textRequest("chat", context.model("chat"))));
    await untilBooked(context, answers.length);
    const failedChecks: string[] = [];
    if (!(await areBooksValid(context, "all"))) failedChecks.push("the books are invalid before the attack");
    using books = openBooks(context);
    const all = alterationsOf(context.attacker.accountId);
    await onRedis(context.suite.backends.redisUrl, async (redis) => {
      for (const { description, of, change, undo } of all) {
        await change(books, redis);
        if (await areBooksValid(context, of)) failedChecks.push(`not found: ${description}`);
        await undo(books, redis);
      }
    });
    if (!(await areBooksValid(context, "all"))) failedChecks.push("the books are invalid after the attack");
    return attackResult(`${all.length} changes`, `${all.length - failedChecks.length} found`, failedChecks);
  },
};

/** Tables whose rows contain names that clients choose. */
const tablesOfLabels = ["call_labels", "labelled_totals", "daily_tag_totals", "daily_tag_first_bytes"] as const;

const endlessTags: Attack = {
  id: "tags",
  name: "sends new tags and end users with calls that are refused and cost nothing",
  area: "text",
  models: [
    openaiModel("chat", "chat", price, (_, response) =>
      json(response, { error: { message: "no", type: "invalid_request_error", param: null, code: null } }, 400),
    ),
  ],
  async run(context) {
    const answers = await context.sendAll(
      times(40, (at) => ({
        ...textRequest("chat", context.model("chat"), { user: `user-${at}` }),
        headers: { "x-modelgate-tags": times(8, (tag) => `tag-${at}-${tag}=value-${at}`).join(",") },
      })),
    );
    await untilBooked(context, answers.length);
    using books = openBooks(context);
    const rows = tablesOfLabels.reduce((sum, table) => {
      const found = books
        .prepare(`select count(*) as rows from ${table} where account = ?`)
        .get(context.attacker.accountId);
      return sum + Number(found?.["rows"] ?? 0);
    }, 0);
    return attackResult(`${answers.length} requests: ${statusesOf(answers)}`, `${rows} rows by tags`, [
      rows > 0 && `${rows} rows are left of refused calls`,
    ]);
  },
};

const takenNames: Attack = {
  id: "names",
  name: "makes a vendor list the names of other channels' models",
  area: "text",
  models: [
    openaiModel("chat", "chat", price, honestText),
    openaiModel(
      "lister",
      "chat",
      price,
      ({ path }, response) =>
        path.endsWith("/models")
          ? json(response, { object: "list", data: [{ id: "names-chat", object: "model" }] })
          : json(response, textAnswer("chat")),
      { listed: true },
    ),
  ],
  async run(context) {
    await until("the vendor's list to be requested", () => context.requests("lister").length > 0);
    const request = { ...textRequest("chat", context.model("chat")), key: context.other.key };
    const answers = await context.sendAll(times(20, () => request));
    const listedCount = context.requests("lister").filter(({ path }) => !path.endsWith("/models")).length;
    return attackResult(`${answers.length} calls: ${statusesOf(answers)}`, `${listedCount} reached the other vendor`, [
      listedCount > 0 && `${listedCount} calls of another channel's model reached the vendor that lists its name`,
      context.requests("chat").length < answers.length && "calls did not reach the vendor that is configured for them",
    ]);
  },
};

export const booksAttacks: readonly Attack[] = [alteredBooks, endlessTags, takenNames];
