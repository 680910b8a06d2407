import { alertKinds, alertTargetKinds } from "@modelgate/contracts";
import { Type } from "typebox";
import * as shape from "../alert-shapes.ts";
import { emptyObject, optionalName, optionalText, type Operation } from "../operation.ts";

/** Operations on alerts and on the targets that receive them. */
export const alertOperations: Readonly<Record<string, Operation>> = {
  "GET /alerts": {
    summary: "List alerts with their deliveries, newest first.",
    area: "alerts",
    role: "viewer",
    member: "accounts",
    query: {
      account: "an account's alerts",
      kind: "a kind of alerts",
      state: "dead: only alerts with a delivery that was given up",
      limit: "number of alerts (default: 200)",
      before: "id of an alert; only earlier alerts are listed",
    },
    answer: Type.Array(shape.DeliveredAlert),
  },
  "POST /alerts/{id}/retry": {
    summary: "Repeat the deliveries of an alert that were given up.",
    area: "alerts",
    role: "operator",
    member: "handler",
    body: emptyObject,
    answer: Type.Object({ retried: Type.Integer() }),
  },
  "GET /alert-targets": {
    summary: "List the targets of alerts, without their secrets.",
    area: "alerts",
    role: "viewer",
    member: "accounts",
    query: { account: "an account's targets" },
    answer: Type.Array(shape.AlertTarget),
  },
  "POST /alert-targets": {
    summary:
      "Add a target of all alerts, or of an account's. The secret that signs a webhook's bodies is only in this answer.",
    area: "alerts",
    role: "operator",
    member: "handler",
    body: Type.Object({
      kind: Type.Enum([...alertTargetKinds]),
      name: optionalName,
      account: optionalName,
      alerts: Type.Optional(Type.Union([Type.Array(Type.Enum([...alertKinds])), Type.Null()])),
      url: optionalText,
      secret: optionalText,
      from: optionalText,
      to: optionalText,
    }),
    answer: shape.NewAlertTarget,
  },
  "POST /alert-targets/{id}/delete": {
    summary: "Delete a target and its deliveries.",
    area: "alerts",
    role: "operator",
    member: "handler",
    body: emptyObject,
    answer: emptyObject,
  },
  "POST /alert-targets/{id}/test": {
    summary: "Send a test alert to a target, and show whether the target accepted it.",
    area: "alerts",
    role: "operator",
    member: "handler",
    body: emptyObject,
    answer: shape.AlertTest,
  },
};
