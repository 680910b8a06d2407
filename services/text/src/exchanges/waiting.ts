import type { Failure } from "@modelgate/contracts";
import { eventStream, type Waiting } from "@modelgate/relay";
import { codecOf, type TextCall } from "./text-call.ts";

/** How a client of a wire is kept waiting, and gets a failure, before its stream begins. */
export function waitingIn({ wire, asArray = false }: Pick<TextCall, "wire" | "asArray">): Waiting {
  const { client } = codecOf({ wire });
  const frame = (failure: Failure, requestId: string): string => client.failureFrame(failure, requestId);
  const framing = asArray ? client.array?.framing() : undefined;
  if (framing === undefined)
    return { contentType: client.streamType ?? eventStream, sign: client.keepAlive, fail: frame };
  const fail = (failure: Failure, requestId: string): string =>
    framing.reframe(Buffer.from(frame(failure, requestId))) + framing.end();
  return { contentType: framing.contentType, sign: framing.heartbeat(), fail };
}
