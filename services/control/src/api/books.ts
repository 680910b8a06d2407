import { StreamedAnswer, type OperatorCall, type OperatorRoutes } from "@modelgate/platform";
import { field } from "../field.ts";
import type { Ledger } from "../ledger.ts";

const paths = [
  "/usage",
  "/usage/events",
  "/usage/export",
  "/usage/first-bytes",
  "/usage/refused",
  "/usage/forecast",
  "/usage/chargeback",
  "/tasks",
  "/ledger/verification",
  "/ledger/anchors",
  "/audit",
] as const;

/** Routes that forward requests for reads to the ledger. Only the ledger has access to the books. */
export function bookRoutes(ledger: Pick<Ledger, "get">): OperatorRoutes {
  return Object.fromEntries(
    paths.map((path) => [
      `GET ${path}`,
      async ({ query, operator }: Pick<OperatorCall, "operator" | "query">) => {
        const answer = await ledger.get(`${path}?${queryFor(operator, query).toString()}`);
        const type = answer.headers.get("content-type") ?? "";
        if (!type.startsWith("application/json")) return new StreamedAnswer(type, bytesOf(answer));
        return field(await answer.json(), "data");
      },
    ]),
  );
}

/**
 * Returns the query for the ledger. Hides vendors' messages from members, because they may name the operator's keys.
 * Hides receipts from people of teams, because they show other teams' spending.
 */
function queryFor({ account, access }: OperatorCall["operator"], query: URLSearchParams): URLSearchParams {
  if (account === undefined) return query;
  const parameters = new URLSearchParams(query);
  parameters.set("hide", access?.teams === undefined ? "vendor-words" : "vendor-words,receipts");
  return parameters;
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body;
}
