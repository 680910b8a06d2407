import { Type, type Static } from "typebox";

/** One attempt at a vendor, as a usage event has it. */
export const CallTry = Type.Object({
  channel: Type.String(),
  key: Type.String({ description: "the key's name, never the key" }),
  ms: Type.Integer({ minimum: 0, description: "until its answer began, or it failed" }),
  status: Type.Optional(Type.Integer({ description: "what the vendor answered; absent where it did not" })),
  failed: Type.Optional(Type.String({ description: "the failure's code; absent where it was answered" })),
  vendorCode: Type.Optional(Type.String({ description: "the vendor's own code of its refusal" })),
});
export type CallTry = Static<typeof CallTry>;
