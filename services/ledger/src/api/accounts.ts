import { makeOpeningCredit, setAccount, type CreditReply } from "@modelgate/accounts";
import {
  bookAccount,
  bookAudit,
  bookCredit,
  changeAccount,
  markAccountsWritten,
  readAudit,
  type Books,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import { orUnavailable, type OperatorRoutes, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { writeAccount, applyBookedCredit } from "../accounts/write-to-redis.ts";
import { fieldReaders } from "./body.ts";
import { encodeCursor, readLimit, readPosition } from "./cursor.ts";
import { accountsIn } from "./filter.ts";

/** Dependencies of account changes. */
export interface AccountDeps {
  readonly redis: Redis;
  readonly connection: BooksConnection;
}

const [defaultRows, maxRows] = [100, 1_000];

/**
 * Routes that change accounts and balances, and write and read the audit log. Changes are written to the books first, then to
 * Redis.
 */
export function accountRoutes({ redis, connection }: AccountDeps): OperatorRoutes {
  const change = <T>(step: (books: Books) => Promise<T>): Promise<T> => orUnavailable(connection.useDuringMove(step));
  return {
    "POST /accounts": ({ body, actor }) =>
      change(async (books) => {
        const [id, balance, createdAt] = [
          fieldReaders.text(body, "id"),
          fieldReaders.nanos(body, "balance"),
          timestamp(),
        ];
        const account = { id, name: fieldReaders.text(body, "name"), createdAt };
        const opening = balance === 0n ? undefined : makeOpeningCredit({ id, balance, createdAt });
        const created = await bookAccount(books, { ...account, opening }, actor);
        if (created) await writeAccount({ redis, books }, account, opening);
        return { created };
      }),
    "POST /credits": ({ body, actor }) =>
      change(async (books) => {
        const event = fieldReaders.credit(body);
        const booked = await bookCredit(books, event, actor);
        const isRepeated = JSON.stringify(booked) !== JSON.stringify(event);
        const reply = await applyBookedCredit({ redis, books }, booked);
        return { reply: replyTo(reply, isRepeated) };
      }),
    "POST /accounts/{id}": ({ params: { id = "" }, body, actor }) =>
      change(async (books) => {
        const { name, disabled } = fieldReaders.object(body, "change");
        const request = {
          name: typeof name === "string" ? name : undefined,
          disabled: typeof disabled === "boolean" ? disabled : undefined,
        };
        const changed = await changeAccount(books, id, request, actor);
        if (changed === undefined)
          throw new Failure("unknown_url", `There is no account ${JSON.stringify(id.slice(0, 100))}.`);
        await setAccount(redis, changed);
        await markAccountsWritten(books, [id]);
        return {};
      }),
    "POST /audit": ({ body, actor }) =>
      change(async (books) => {
        await bookAudit(books, { ...fieldReaders.auditEntry(body), actor, time: timestamp() });
        return {};
      }),
    "GET /audit": async ({ query }) => {
      const limit = readLimit(query, defaultRows, maxRows);
      const accounts = accountsIn(query, "account");
      const after = readPosition(query);
      const entries = await connection.use((books) => readAudit(books, { accounts, limit, after }));
      const last = entries.length < limit ? undefined : entries.at(-1);
      const next = last && encodeCursor({ at: Date.parse(last.time), account: last.account, id: last.id });
      return { entries, next: next ?? null };
    },
  };
}

/**
 * Returns the reply to a credit request. The check for abandoned credits may apply the credit of a new request first.
 * The reply is then still "credited".
 */
function replyTo(reply: CreditReply, isRepeated: boolean): CreditReply {
  if (isRepeated && reply === "credited") return "credited-before";
  return !isRepeated && reply === "credited-before" ? "credited" : reply;
}

function timestamp(): string {
  return new Date().toISOString();
}
