import {
  bookToken,
  changeBookedToken,
  deleteBookedToken,
  rotateBookedToken,
  type BookedToken,
  type Books,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import { orUnavailable, type OperatorRoutes } from "@modelgate/platform";
import { writeBookedToken } from "../accounts/write-to-redis.ts";
import type { AccountDeps } from "./accounts.ts";
import { fieldReaders } from "./body.ts";

/** Routes that change API keys. Changes are written to the books first, then to Redis. */
export function tokenRoutes({ redis, connection }: AccountDeps): OperatorRoutes {
  const change = <T>(step: (books: Books) => Promise<T>): Promise<T> => orUnavailable(connection.useDuringMove(step));
  return {
    "POST /tokens": ({ body, actor }) =>
      change(async (books) => {
        const [digest, record] = [fieldReaders.digest(body), fieldReaders.token(body)];
        const { accountId: account, id, team } = record;
        const request = {
          account,
          id,
          digest,
          record: { ...record },
          team,
          max: fieldReaders.optionalCount(body, "max"),
        };
        const booked = await bookToken(books, request, actor);
        if (booked === "no-team")
          throw new Failure("invalid_value", `The account ${account} pays for no team ${JSON.stringify(team)}.`, {
            param: "team",
          });
        if (booked === "full")
          throw new Failure("invalid_value", `The account has ${request.max} keys, the maximum.`, {
            param: "id",
            status: 409,
          });
        const { token, created } = booked;
        return { token: await writeBookedToken({ redis, books }, token), created };
      }),
    "POST /tokens/{id}": ({ params, body, actor }) =>
      change(async (books) => {
        const { id = "" } = params;
        const action = fieldReaders.action(body);
        const token = await changeBookedToken(books, id, fieldReaders.change(body), { actor, action });
        return writeBookedToken({ redis, books }, requireToken(id, token));
      }),
    "POST /tokens/{id}/rotate": ({ params: { id = "" }, body, actor }) =>
      change(async (books) => {
        const request = {
          digest: fieldReaders.digest(body),
          hint: fieldReaders.text(body, "hint"),
          graceSeconds: fieldReaders.optionalCount(body, "graceSeconds") ?? 0,
        };
        const token = await rotateBookedToken(books, id, request, actor);
        return writeBookedToken({ redis, books }, requireToken(id, token));
      }),
    "POST /tokens/{id}/delete": ({ params: { id = "" }, actor }) =>
      change(async (books) => {
        const token = await deleteBookedToken(books, id, actor);
        return writeBookedToken({ redis, books }, requireToken(id, token));
      }),
  };
}

/** Returns the token. Throws Failure if it is undefined. */
function requireToken(id: string, token: BookedToken | undefined): BookedToken {
  if (token !== undefined) return token;
  throw new Failure("unknown_url", `There is no token ${JSON.stringify(id.slice(0, 100))}.`);
}
