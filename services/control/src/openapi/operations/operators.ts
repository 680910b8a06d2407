import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { name, nothing, optional, text, type Operation } from "../operation.ts";

/** Operations on operators of the gateway. */
export const operators: Readonly<Record<string, Operation>> = {
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
    body: Type.Object({ name: text, role: Type.Optional(shape.Role), account: name, password: name }),
    answer: shape.Person,
  },
  "POST /operators/{name}": {
    summary: "Change an operator's role or password, or disable one; their sessions end.",
    area: "operators",
    role: "admin",
    body: Type.Object({
      role: Type.Optional(shape.Role),
      password: name,
      disabled: Type.Optional(Type.Boolean()),
    }),
    answer: shape.Person,
  },
  "GET /operator-keys": {
    summary: "List keys for automation.",
    area: "operators",
    role: "admin",
    answer: Type.Array(shape.OperatorKey),
  },
  "POST /operator-keys": {
    summary: "Make a key for automation, which is in this answer alone.",
    area: "operators",
    role: "admin",
    body: Type.Object({ name: text, role: Type.Optional(shape.Role), account: name }),
    answer: shape.NewOperatorKey,
  },
  "POST /operator-keys/{id}/delete": {
    summary: "Delete a key for automation.",
    area: "operators",
    role: "admin",
    body: nothing,
    answer: nothing,
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
    body: nothing,
    answer: Type.Object({ ended: Type.Integer() }),
  },
  "POST /sign-in-links": {
    summary: "Make a link that signs in once.",
    area: "operators",
    role: "admin",
    body: Type.Object({ name: optional, role: Type.Optional(shape.Role), account: optional }),
    answer: Type.Object({ url: text, expiresAt: text }),
  },
};
