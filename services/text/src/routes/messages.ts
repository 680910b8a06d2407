import { Failure, firstHeader, headerAliases } from "@modelgate/contracts";
import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import type { Forwarded } from "@modelgate/relay";
import { isRecord } from "@modelgate/wires/json";
import { textCodecs } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { readText } from "../read-text.ts";
import { runText } from "../text-call.ts";

/** POST /v1/messages (interface endpoint 6). */
export function messages(deps: Deps): EndpointHandler {
  return async (call) => {
    const forward = forwarded(call, "messages");
    using body = await readText(deps, call, wholeMessages);
    await runText(deps, call, { wire: "messages", body: body.bytes, ask: body.seen, forward });
  };
}

const { client } = textCodecs.messages;

/** The client's side of the wire; its SDKs send the whole conversation where a thread is refused. */
const wholeMessages: typeof client = {
  ...client,
  ask(body: unknown) {
    if (isRecord(body) && isRecord(body["thread"]))
      throw new Failure("thread_unsupported_request", undefined, {
        param: "thread",
        details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
      });
    return client.ask(body);
  },
};

/**
 * What a vendor of the same wire gets of the client's head: the version, which is required (interface section 9),
 * beta features, and the `beta` query. Throws Failure (400) without a version.
 */
export function forwarded({ request, query }: ServiceCall, wire: Forwarded["wire"]): Forwarded {
  const version = firstHeader(request.headers, headerAliases.alphaVersion);
  const [name] = headerAliases.alphaVersion;
  if (version === undefined)
    throw new Failure("missing_required_parameter", `Missing required header: ${name} (for example 2023-06-01).`, {
      param: name,
    });
  if (!/^\d{4}-\d\d-\d\d$/.test(version))
    throw new Failure("invalid_value", `${name} must be a date such as 2023-06-01.`, { param: name });
  const betas = firstHeader(request.headers, betaHeaders);
  const beta = query.get("beta");
  return {
    wire,
    headers: { "anthropic-version": version, ...(betas === undefined ? {} : { "anthropic-beta": betas }) },
    query: beta === null ? {} : { beta },
  };
}

/** The interface's spelling first. */
const betaHeaders = ["alpha-beta", "anthropic-beta"];
