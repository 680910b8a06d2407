import { Failure } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { runCall } from "@modelgate/relay";
import { askOfChat, chatPass, refuseAmbiguous, reliedOfChat, type ChatAsk } from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { readJson } from "../json-body.ts";

/** POST /v1/chat/completions (interface endpoint 3). */
export function chatCompletions({ relay, body: limits }: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call.request, limits, look);
    const ask = body.seen;
    const catalog = relay.catalog.current();
    const model = catalog.resolve(call.caller, ask.model, call.endpoint.kinds ?? []);
    const group = catalog.group(call.caller.group);
    if (group === undefined) throw new Failure("group_not_allowed");
    await runCall(relay, call, {
      model,
      multiplier: group.multiplier,
      body: body.bytes,
      stream: ask.stream,
      includeUsage: ask.includeUsage,
      wire: chatPass,
      size: {
        textBytes: Math.max(0, body.bytes.length - ask.media.characters),
        mediaTokens: ask.media.tokens,
        maxOutputTokens: ask.maxOutputTokens,
        choices: ask.choices,
      },
    });
  };
}

function look(value: unknown, bytes: Buffer): ChatAsk {
  const ask = askOfChat(value);
  refuseAmbiguous(bytes, reliedOfChat);
  return ask;
}
