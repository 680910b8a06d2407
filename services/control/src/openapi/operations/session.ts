import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { emptyObject, optionalText, type Operation } from "../operation.ts";

/** Operations for signing in and out. */
export const sessionOperations: Readonly<Record<string, Operation>> = {
  "GET /sign-in-ways": {
    summary: "Show how people sign in.",
    area: "session",
    role: "visitor",
    answer: Type.Object({ provider: Type.Boolean() }),
  },
  "POST /session": {
    summary: "Sign in, by a link or by name and password.",
    area: "session",
    role: "visitor",
    body: Type.Object({ link: optionalText, name: optionalText, password: optionalText }),
    answer: shape.Session,
  },
  "GET /session": {
    summary: "Show who is signed in.",
    area: "session",
    role: "viewer",
    member: "all",
    answer: shape.Session,
  },
  "POST /session/end": {
    summary: "Sign out.",
    area: "session",
    role: "viewer",
    member: "all",
    body: emptyObject,
    answer: emptyObject,
  },
};
