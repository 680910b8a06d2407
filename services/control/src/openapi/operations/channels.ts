import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { optionalText, type Operation } from "../operation.ts";

/** Operations on channels and models. */
export const channelOperations: Readonly<Record<string, Operation>> = {
  "GET /channels": {
    summary: "List channels with their state.",
    area: "channels",
    role: "viewer",
    answer: Type.Array(shape.Channel),
  },
  "GET /channels/{id}": { summary: "Show a channel.", area: "channels", role: "viewer", answer: shape.Channel },
  "POST /channels/{id}/disable": {
    summary: "Disable a channel, or one of its keys.",
    area: "channels",
    role: "operator",
    body: Type.Object({ key: optionalText, reason: optionalText }),
    answer: shape.Channel,
  },
  "POST /channels/{id}/enable": {
    summary: "Enable a channel, or one of its keys.",
    area: "channels",
    role: "operator",
    body: Type.Object({ key: optionalText }),
    answer: shape.Channel,
  },
  "POST /channels/{id}/test": {
    summary: "Send one small real call through a channel.",
    area: "channels",
    role: "operator",
    body: Type.Object({ key: optionalText, model: optionalText }),
    answer: shape.ChannelTest,
  },
  "GET /channels/{id}/models": {
    summary: "List the models that a channel's vendor lists, with their known prices.",
    area: "channels",
    role: "operator",
    answer: Type.Array(Type.Object({ name: Type.String(), kind: Type.String() }, { additionalProperties: true })),
  },
  "GET /models/{name}": {
    summary: "Show a model: where each number of its price comes from, and who serves it.",
    area: "channels",
    role: "viewer",
    answer: Type.Object({ name: Type.String(), kind: Type.String() }, { additionalProperties: true }),
  },
  "GET /models": {
    summary: "List models, their prices and who serves them.",
    area: "channels",
    role: "viewer",
    member: "all",
    answer: Type.Array(shape.Model),
  },
};
