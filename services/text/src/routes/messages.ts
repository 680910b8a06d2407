import { Failure, firstHeader, headerAliases, withoutUndefined } from "@modelgate/contracts";
import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { readJson, type Forwarded } from "@modelgate/relay";
import { MessageCollector, wires } from "@modelgate/wires/text";
import { readTurnParams } from "../read-text.ts";
import {
  storeAnswerFirst,
  storeThread,
  requestedThread,
  completeTurn,
  type ResponsesDeps,
} from "../responses/index.ts";
import { runText, TextCallKind } from "../text-kind.ts";

/** POST /v1/messages. The gateway stores the messages of threads, so that threads work with every vendor. */
export function messages(deps: ResponsesDeps): EndpointHandler {
  const kind = new TextCallKind(deps);
  return async (call) => {
    const forward = readForwarded(call, "messages");
    const { client } = wires.messages;
    const readBody = async (value: unknown) => {
      const thread = requestedThread(value);
      return thread === undefined ? { params: await readTurnParams(deps, call, client, value) } : { thread };
    };
    using body = await readJson(call, deps.body, readBody, [...client.inspectedMembers, "thread"]);
    const { inspected } = body;
    if (inspected.thread === undefined)
      return await runText(kind, call, { wire: "messages", body: body.bytes, params: inspected.params, forward });
    const { accountId } = call.caller;
    const { value, bytes, history } = await completeTurn(deps, accountId, inspected.thread, body.holding);
    const { maxBytes } = deps.body;
    const answer = storeAnswerFirst(call, {
      maxBytes,
      memory: body.holding,
      collector: new MessageCollector(),
      async store(id, { role, content }) {
        const storedThread = { ...history, messages: [...history.messages, { role, content }] };
        await storeThread(deps, call, { id, thread: storedThread, previousId: inspected.thread.previousId });
      },
    });
    const params = await readTurnParams(deps, call, client, value);
    await runText(kind, { ...call, answer }, { wire: "messages", body: bytes, params, forward });
    await answer.stored;
  };
}

/** Returns the headers and parameters for a vendor with the same wire. Throws Failure (400). */
export function readForwarded({ request, query }: ServiceCall, wire: Forwarded["wire"]): Forwarded {
  const version = firstHeader(request.headers, headerAliases.alphaVersion);
  const [name] = headerAliases.alphaVersion;
  if (version === undefined)
    throw new Failure(
      "missing_required_parameter",
      `Missing required header: ${headerAliases.alphaVersion.toReversed().join(" or ")} (for example 2023-06-01).`,
      { param: name },
    );
  if (!/^\d{4}-\d\d-\d\d$/.test(version))
    throw new Failure("invalid_value", `${name} must be a date such as 2023-06-01.`, { param: name });
  const betas = otherBetas(firstHeader(request.headers, betaHeaders));
  const beta = query.get("beta");
  return {
    wire,
    headers: withoutUndefined({ "anthropic-version": version, "anthropic-beta": betas }),
    query: beta === null ? {} : { beta },
  };
}

/** Names of the header with beta features: modelgate's neutral name, and Anthropic's. */
const betaHeaders = ["alpha-beta", "anthropic-beta"];

/** Returns the beta features for a vendor, without threads, which the gateway implements. */
function otherBetas(betas: string | undefined): string | undefined {
  const otherNames = betas?.split(",").filter((name) => name.trim() !== threadsBeta);
  return otherNames === undefined || otherNames.length === 0 ? undefined : otherNames.join(",");
}

const threadsBeta = "message-threads-2026-08-12";
