import { DatabaseSync } from "node:sqlite";
import { until } from "@modelgate/testkit";
import { statusesOf, tried, type Attack, type Field } from "../attack.ts";
import type { Answer } from "../client.ts";
import { json } from "../vendor.ts";
import { honestText, textAnswer, textRequest } from "./wires.ts";

const price = { input: 1, output: 2 };
const chat = { kind: "chat", price, provider: "openai", path: "v1" } as const;

/** Opens the ledger's file as somebody may who can write to it. */
function openBooks({ booksFile }: Field): DatabaseSync {
  return new DatabaseSync(booksFile, { timeout: 10_000 });
}

/** Waits until so many calls of the attacker are in the books. */
async function booked({ suite, attacker }: Field, calls: number): Promise<void> {
  await until(`${calls} calls in the books`, async () => {
    const rows = await suite.ask<readonly { readonly sums: { readonly calls: string } }[]>(
      "usage",
      "--by",
      "account",
      "--account",
      attacker.accountId,
    );
    return Number(rows[0]?.sums.calls ?? 0) >= calls;
  });
}

/** Whether the books hold: of the attacker, or of what is no account's. */
async function holds({ suite, attacker }: Field, of: "account" | "all"): Promise<boolean> {
  const { status } = await suite.gatectl("ledger", "verify", ...(of === "account" ? [attacker.accountId] : []));
  return status === 0;
}

/** A change of the books behind the ledger's back, and how it is taken back. */
interface Tampering {
  readonly what: string;
  readonly of: "account" | "all";
  readonly change: string;
  readonly undo: string;
}

const tamperings = (account: string): readonly Tampering[] => {
  const whose = `where account = '${account}'`;
  const newest = `(select id from calls ${whose} order by at desc limit 1)`;
  return [
    {
      what: "totals that are not the sum of the calls",
      of: "account",
      change: `update daily_totals set cost = cost + 1 ${whose}`,
      undo: `update daily_totals set cost = cost - 1 ${whose}`,
    },
    {
      what: "a call with another cost",
      of: "account",
      change: `update calls set cost = cost + 1 ${whose} and id = ${newest}`,
      undo: `update calls set cost = cost - 1 ${whose} and id = ${newest}`,
    },
    {
      what: "an account that was made earlier",
      of: "account",
      change: `update accounts set created = '2020' || substr(created, 5) ${whose}`,
      undo: `update accounts set created = (select created from anchors ${whose}) ${whose}`,
    },
    {
      what: "an entry of the audit by somebody else",
      of: "all",
      change: "update audit set actor = actor || ' and others' where number = 1",
      undo: "update audit set actor = replace(actor, ' and others', '') where number = 1",
    },
  ];
};

const alteredBooks: Attack = {
  id: "altered",
  name: "alters the books in SQL: totals, a call, an account's beginning, the audit",
  area: "text",
  ways: [{ name: "chat", ...chat, answers: honestText }],
  async run(field) {
    const answers: Answer[] = [];
    for (let at = 0; at < 3; at++) answers.push(await field.send(textRequest("chat", field.model("chat"))));
    await booked(field, answers.length);
    const broken: string[] = [];
    if (!(await holds(field, "all"))) broken.push("the books do not hold before the attack");
    using books = openBooks(field);
    const all = tamperings(field.attacker.accountId);
    for (const { what, of, change, undo } of all) {
      books.exec(change);
      if (await holds(field, of)) broken.push(`not found: ${what}`);
      books.exec(undo);
    }
    if (!(await holds(field, "all"))) broken.push("the books do not hold after the attack");
    return tried(`${all.length} changes`, `${all.length - broken.length} found`, broken);
  },
};

/** The tables that have rows by what a client names. */
const labelled = ["call_labels", "labelled_totals", "daily_tag_totals", "daily_tag_first_bytes"] as const;

const endlessTags: Attack = {
  id: "tags",
  name: "names new tags and end users with calls that are refused and cost nothing",
  area: "text",
  ways: [
    {
      name: "chat",
      ...chat,
      answers: (_, response) => {
        response.statusCode = 400;
        json(response, { error: { message: "no", type: "invalid_request_error", param: null, code: null } });
      },
    },
  ],
  async run(field) {
    const answers: Answer[] = [];
    for (let at = 0; at < 40; at++) {
      const tags = Array.from({ length: 8 }, (_, tag) => `tag-${at}-${tag}=value-${at}`).join(",");
      const request = textRequest("chat", field.model("chat"), { user: `user-${at}` });
      answers.push(await field.send({ ...request, headers: { ...request.headers, "x-modelgate-tags": tags } }));
    }
    await booked(field, answers.length);
    using books = openBooks(field);
    const rows = labelled.reduce((sum, table) => {
      const found = books
        .prepare(`select count(*) as rows from ${table} where account = ?`)
        .get(field.attacker.accountId);
      return sum + Number(found?.["rows"] ?? 0);
    }, 0);
    return tried(`${answers.length} requests: ${statusesOf(answers)}`, `${rows} rows by tags`, [
      rows > 0 && `${rows} rows are left of refused calls`,
    ]);
  },
};

const takenNames: Attack = {
  id: "names",
  name: "has a vendor list the names of other channels' models",
  area: "text",
  ways: [
    { name: "chat", ...chat, answers: honestText },
    {
      name: "lister",
      ...chat,
      listed: true,
      answers: ({ path }, response) =>
        path.endsWith("/models")
          ? json(response, { object: "list", data: [{ id: "names-chat", object: "model" }] })
          : json(response, textAnswer("chat")),
    },
  ],
  async run(field) {
    await until("the vendor to be asked what it lists", () => field.asked("lister").length > 0);
    const answers: Answer[] = [];
    for (let at = 0; at < 20; at++)
      answers.push(await field.send({ ...textRequest("chat", field.model("chat")), key: field.other.key }));
    const taken = field.asked("lister").filter(({ path }) => !path.endsWith("/models")).length;
    return tried(`${answers.length} calls: ${statusesOf(answers)}`, `${taken} reached the other vendor`, [
      taken > 0 && `${taken} calls of another channel's model were taken`,
      field.asked("chat").length < answers.length && "calls did not reach the vendor that is configured for them",
    ]);
  },
};

export const booksAttacks: readonly Attack[] = [alteredBooks, endlessTags, takenNames];
