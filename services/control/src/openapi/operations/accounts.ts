import { Type } from "typebox";
import type { Operation } from "../operation.ts";
import * as shape from "../shapes.ts";
import { name, nothing, optional, text } from "./members.ts";

/** Accounts, their money and their keys. */
export const accounts: Readonly<Record<string, Operation>> = {
  "GET /accounts": {
    summary: "List accounts with their money.",
    area: "accounts",
    role: "viewer",
    member: "handler",
    query: { after: "those after this id" },
    answer: Type.Array(shape.Account),
  },
  "POST /accounts": {
    summary: "Create an account.",
    area: "accounts",
    role: "operator",
    body: Type.Object({ id: text, name, balance: name }),
    answer: shape.Account,
  },
  "GET /accounts/{id}": {
    summary: "Show an account, its money and its newest credits.",
    area: "accounts",
    role: "viewer",
    member: "path",
    answer: shape.AccountWithCredits,
  },
  "POST /accounts/{id}/credits": {
    summary: "Add money to an account, or correct its balance.",
    area: "accounts",
    role: "operator",
    body: Type.Object({ amount: text, reason: text, kind: optional, operationId: optional }),
    answer: shape.Credited,
  },
  "GET /accounts/{id}/tokens": {
    summary: "List the keys of an account.",
    area: "accounts",
    role: "viewer",
    member: "path",
    answer: Type.Array(shape.Token),
  },
  "POST /accounts/{id}/tokens": {
    summary: "Make a key, which is in this answer alone. A member makes keys of the groups that the account has.",
    area: "accounts",
    role: "operator",
    member: "path",
    body: Type.Object({
      group: text,
      name,
      models: Type.Optional(Type.Union([Type.Array(text), Type.Null()])),
      expiresAt: name,
      dollarsPerDay: name,
      dollarsPerMonth: name,
    }),
    answer: shape.NewToken,
  },
  "GET /tokens/{id}": {
    summary: "Show a key.",
    area: "accounts",
    role: "viewer",
    member: "handler",
    answer: shape.Token,
  },
  "POST /tokens/{id}": {
    summary:
      "Change a key: what is absent stays, what is null is taken away. A member only narrows what operators set.",
    area: "accounts",
    role: "operator",
    member: "handler",
    body: Type.Object({
      name,
      group: optional,
      models: Type.Optional(Type.Union([Type.Array(text), Type.Null()])),
      expiresAt: name,
      dollarsPerDay: name,
      dollarsPerMonth: name,
    }),
    answer: shape.Token,
  },
  "POST /tokens/{id}/disable": {
    summary: "Disable a key.",
    area: "accounts",
    role: "operator",
    member: "handler",
    body: nothing,
    answer: shape.Token,
  },
  "POST /tokens/{id}/enable": {
    summary: "Enable a key again.",
    area: "accounts",
    role: "operator",
    member: "handler",
    body: nothing,
    answer: shape.Token,
  },
  "POST /tokens/{id}/expire": {
    summary: "Let a key expire, now or at a time.",
    area: "accounts",
    role: "operator",
    member: "handler",
    body: Type.Object({ at: optional }),
    answer: shape.Token,
  },
  "GET /groups": {
    summary: "List the groups that keys may be of.",
    area: "accounts",
    role: "viewer",
    member: "all",
    answer: Type.Array(shape.Group),
  },
  "GET /ledger/verification": {
    summary: "Compute balances anew from every receipt.",
    area: "accounts",
    role: "viewer",
    member: "query",
    query: { account: "one account", after: "those after this id" },
    answer: shape.VerificationPage,
  },
  "GET /audit": {
    summary: "Show who changed what, newest first.",
    area: "accounts",
    role: "viewer",
    member: "query",
    query: { account: "an account's changes", limit: "how many, 100 where absent" },
    answer: shape.AuditPage,
  },
};
