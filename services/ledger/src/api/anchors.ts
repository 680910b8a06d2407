import { readAnchors, type Anchor, type AnchorSigner } from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";

const pageSize = 500;

/** Route that exports the anchors, so that operators can store copies outside the books. */
export function anchorRoutes({ connection }: { readonly connection: BooksConnection }): OperatorRoutes {
  return {
    "GET /ledger/anchors": async ({ query }) => {
      const after = query.get("after") ?? undefined;
      const anchors = await connection.use((books) => readAnchors(books, after, pageSize));
      return { anchors, next: anchors.length === pageSize ? anchors.at(-1)?.account : null };
    },
  };
}

/** Reads the anchor in a query. Throws Failure if it belongs to another account or has no valid signature. */
export function anchorIn(query: URLSearchParams, signer: AnchorSigner): Anchor | undefined {
  const text = query.get("anchor");
  if (text === null) return undefined;
  const anchor = parseAnchor(text);
  if (anchor === undefined || !signer.isGenuine(anchor))
    throw new Failure("invalid_value", "anchor must be one that this gateway's MODELGATE_SECRET has signed.", {
      param: "anchor",
    });
  if (anchor.account !== (query.get("account") ?? ""))
    throw new Failure("invalid_value", "anchor must belong to the account of the query.", { param: "anchor" });
  return anchor;
}

const anchorMembers = ["account", "head", "balanceNanos", "createdAt", "time", "signature"] as const;

function parseAnchor(text: string): Anchor | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const [account, head, balanceNanos, createdAt, time, signature] = anchorMembers.map((name): unknown =>
    Reflect.get(value, name),
  );
  const number: unknown = Reflect.get(value, "number");
  return typeof account === "string" &&
    typeof head === "string" &&
    typeof balanceNanos === "string" &&
    typeof createdAt === "string" &&
    typeof time === "string" &&
    typeof signature === "string" &&
    typeof number === "number"
    ? { account, number, head, balanceNanos, createdAt, time, signature }
    : undefined;
}
