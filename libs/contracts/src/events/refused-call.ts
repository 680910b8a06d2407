import { Type, type Static } from "typebox";
import type { Failure } from "../failures/failure.ts";
import { inOneLine } from "../one-line.ts";
import { withoutUndefined } from "../without-undefined.ts";

const [maxNameCharacters, maxMessageCharacters] = [200, 300];

/** A call that was refused before money was reserved for it, without secrets and content of the client. */
export const RefusedCall = Type.Object(
  {
    id: Type.String(),
    time: Type.String({ description: "RFC 3339" }),
    requestId: Type.String(),
    accountId: Type.String(),
    tokenId: Type.String(),
    endpoint: Type.String({ description: "method and path pattern" }),
    model: Type.Optional(
      Type.String({ description: "model that the client named. It is absent if the request was not read" }),
    ),
    status: Type.Integer({ description: "HTTP status that the client got" }),
    code: Type.String({ description: "the failure's code" }),
    param: Type.Optional(Type.String({ description: "the field or header that was wrong" })),
    message: Type.Optional(
      Type.String({ description: "message to the client about its key, its limits or its balance" }),
    ),
  },
  { $id: "RefusedCall" },
);
export type RefusedCall = Static<typeof RefusedCall>;

/** Statuses whose messages the gateway itself writes: about a key, its limits or its balance. */
const gatewayMessageStatuses: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/**
 * Builds a refused call. The message is left out for other statuses than `gatewayMessageStatuses`, because it may quote
 * content of the client.
 */
export function makeRefusedCall(
  call: Omit<RefusedCall, "code" | "message" | "param" | "status" | "time" | "model"> & { readonly model?: string },
  { code, status, param, message }: Failure,
): RefusedCall {
  const { model, ...rest } = call;
  return {
    ...rest,
    time: new Date().toISOString(),
    status,
    code,
    ...withoutUndefined({
      model: model === undefined ? undefined : inOneLine(model, maxNameCharacters),
      param: param === undefined ? undefined : inOneLine(param, maxNameCharacters),
      message: gatewayMessageStatuses.has(status) ? inOneLine(message, maxMessageCharacters) : undefined,
    }),
  };
}
