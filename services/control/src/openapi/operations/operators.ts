import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { optionalName, emptyObject, optionalText, text, type Operation } from "../operation.ts";

/** Operations on operators of the gateway. */
export const operatorOperations: Readonly<Record<string, Operation>> = {
  "GET /operators": {
    summary: "List operators and members of accounts.",
    area: "operators",
    role: "admin",
    answer: Type.Array(shape.Person),
  },
  "POST /operators": {
    summary: "Create an operator, or a member of an account.",
    area: "operators",
    role: "admin",
    body: Type.Object({ name: text, role: Type.Optional(shape.Role), account: optionalName, password: optionalName }),
    answer: shape.Person,
  },
  "POST /operators/{name}": {
    summary: "Change an operator's role or password, or disable one; their sessions end.",
    area: "operators",
    role: "admin",
    body: Type.Object({
      role: Type.Optional(shape.Role),
      password: optionalName,
      disabled: Type.Optional(Type.Boolean()),
    }),
    answer: shape.Person,
  },
  "GET /operator-keys": {
    summary: "List automation keys.",
    area: "operators",
    role: "admin",
    answer: Type.Array(shape.OperatorKey),
  },
  "POST /operator-keys": {
    summary: "Create an automation key; only this answer contains it.",
    area: "operators",
    role: "admin",
    body: Type.Object({ name: text, role: Type.Optional(shape.Role), account: optionalName }),
    answer: shape.NewOperatorKey,
  },
  "POST /operator-keys/{id}/delete": {
    summary: "Delete an automation key.",
    area: "operators",
    role: "admin",
    body: emptyObject,
    answer: emptyObject,
  },
  "GET /sessions": {
    summary: "List open sessions of the console.",
    area: "operators",
    role: "admin",
    answer: Type.Array(shape.OpenSession),
  },
  "POST /sessions/{id}/end": {
    summary: "End a session.",
    area: "operators",
    role: "admin",
    body: emptyObject,
    answer: Type.Object({ ended: Type.Integer() }),
  },
  "POST /sign-in-links": {
    summary: "Create a link that signs in once.",
    area: "operators",
    role: "admin",
    body: Type.Object({ name: optionalText, role: Type.Optional(shape.Role), account: optionalText }),
    answer: Type.Object({ url: text, expiresAt: text }),
  },
};
