import { Streamed, type OperatorRoutes } from "@modelgate/platform";
import { field } from "../field.ts";
import type { Ledger } from "../ledger.ts";

/** Paths that the ledger answers from the books. */
const paths = [
  "/usage",
  "/usage/events",
  "/usage/export",
  "/usage/first-bytes",
  "/tasks",
  "/ledger/verification",
  "/ledger/anchors",
  "/audit",
] as const;

/** Reads of the books: asked of the ledger, which is the only one to open them, and handed on as it answers. */
export function bookRoutes(ledger: Pick<Ledger, "get">): OperatorRoutes {
  return Object.fromEntries(
    paths.map((path) => [
      `GET ${path}`,
      async ({ query }: { readonly query: URLSearchParams }) => {
        const answer = await ledger.get(`${path}?${query.toString()}`);
        const type = answer.headers.get("content-type") ?? "";
        if (!type.startsWith("application/json")) return new Streamed(type, piecesOf(answer));
        return field(await answer.json(), "data");
      },
    ]),
  );
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body;
}
