import { endUserOf, CallStatus, Failure, parseTags } from "@modelgate/contracts";
import type { CallFilter, Label } from "@modelgate/books";

/** Filter of calls without the period. */
type FieldFilter = Omit<CallFilter, "from" | "to">;

const outcomes: readonly string[] = CallStatus.anyOf.map((schema) => schema.const);

/** Reads the filter of a query. Throws Failure (400) for an invalid or missing parameter. */
export function fieldFilterOf(query: URLSearchParams): FieldFilter {
  const word = (name: string): string | undefined => query.get(name) ?? undefined;
  const outcome = word("outcome");
  if (outcome !== undefined && !outcomes.includes(outcome))
    throw new Failure("invalid_value", `outcome must be one of ${outcomes.join(", ")}.`, { param: "outcome" });
  const [account, organisation, teams] = [word("account"), word("organisation"), word("team")?.split(",")];
  if (teams !== undefined && account === undefined && organisation === undefined)
    throw new Failure(
      "missing_required_parameter",
      "team needs organisation or account: organisations may have teams with the same id.",
      { param: "organisation" },
    );
  return {
    account,
    organisation,
    teams,
    token: word("token"),
    model: word("model"),
    channel: word("channel"),
    outcome,
    status: statusIn(query),
    requestId: word("request-id"),
    labels: labelsIn(query),
  };
}

/** Reads accounts that are separated by commas. */
export function accountsIn(query: URLSearchParams, name: string): readonly string[] | undefined {
  return query.get(name)?.split(",");
}

/** Reads the end user and the tags of a query. */
function labelsIn(query: URLSearchParams): readonly Label[] {
  const [endUser, tags] = [query.get("end-user"), query.get("tag")];
  return [
    ...(endUser === null ? [] : [{ name: "endUser", value: endUserOf(endUser) ?? "" } as const]),
    ...(tags === null ? [] : tagLabels(tags)),
  ];
}

function tagLabels(text: string): readonly Label[] {
  try {
    return Object.entries(parseTags(text)).map(([name, value]) => ({ name: `tag:${name}`, value }));
  } catch (cause) {
    throw new Failure("invalid_value", "tag must be name=value, as in team=search; separate several with commas.", {
      param: "tag",
      cause,
    });
  }
}

function statusIn(query: URLSearchParams): number | undefined {
  const text = query.get("status");
  if (text === null) return undefined;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new Failure("invalid_value", "status must be an HTTP status, as in 502.", { param: "status" });
}
