import { Type } from "typebox";
import type { Operation } from "./operation.ts";
import * as shape from "./shapes.ts";

const text = Type.String();
const optional = Type.Optional(text);
const nothing = Type.Object({});
const name = Type.Optional(Type.Union([text, Type.Null()]));

const period = {
  from: "first day or time, included; today (UTC) where absent",
  to: "last day or time, included",
  day: "one day, in place of from and to",
};
const narrowing = {
  account: "an account",
  token: "a token's id",
  model: "a model",
  channel: "a channel",
  outcome: "completed, cancelled or failed",
  status: "an HTTP status",
  "request-id": "a request's id",
  "end-user": "an end user",
  tag: "tags, as in team=search",
};

const accounts = {
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
    summary: "Change what a key may spend.",
    area: "accounts",
    role: "operator",
    body: Type.Object({ dollarsPerDay: name, dollarsPerMonth: name }),
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
} as const satisfies Record<string, Operation>;

const calls = {
  "GET /usage": {
    summary: "Sum usage and cost by any of their dimensions.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...period, ...narrowing, by: "dimensions, as in model,day or tag:team" },
    answer: Type.Array(shape.Total),
  },
  "GET /usage/events": {
    summary: "Read the log of settled calls, newest first.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...period, ...narrowing, limit: "rows of a page, at most 1000", after: "`next` of the page before" },
    answer: shape.CallPage,
  },
  "GET /usage/export": {
    summary: "Export the log of settled calls, oldest first.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...period, ...narrowing, format: "csv or ndjson" },
    answer: "text/csv",
  },
  "POST /bill": {
    summary: "Show the terms of a settled call's cost.",
    area: "calls",
    role: "viewer",
    member: "all",
    body: shape.Call,
    answer: shape.Bill,
  },
  "GET /prices/{version}": {
    summary: "Show the price of a version that calls name.",
    area: "calls",
    role: "viewer",
    member: "all",
    answer: shape.Price,
  },
} as const satisfies Record<string, Operation>;

const channels = {
  "GET /channels": {
    summary: "List channels and how they stand.",
    area: "channels",
    role: "viewer",
    answer: Type.Array(shape.Channel),
  },
  "GET /channels/{id}": { summary: "Show a channel.", area: "channels", role: "viewer", answer: shape.Channel },
  "POST /channels/{id}/disable": {
    summary: "Send no calls through a channel, or with one of its keys.",
    area: "channels",
    role: "operator",
    body: Type.Object({ key: optional, reason: optional }),
    answer: shape.Channel,
  },
  "POST /channels/{id}/enable": {
    summary: "Use a channel again, or one of its keys.",
    area: "channels",
    role: "operator",
    body: Type.Object({ key: optional }),
    answer: shape.Channel,
  },
  "POST /channels/{id}/test": {
    summary: "Send one small real call through a channel.",
    area: "channels",
    role: "operator",
    body: Type.Object({ key: optional, model: optional }),
    answer: shape.ChannelTest,
  },
  "GET /models": {
    summary: "List models, their prices and who serves them.",
    area: "channels",
    role: "viewer",
    member: "all",
    answer: Type.Array(shape.Model),
  },
} as const satisfies Record<string, Operation>;

const settings = { note: optional, basedOn: Type.Optional(Type.Integer()), check: Type.Optional(Type.Boolean()) };

const configuration = {
  "GET /config": {
    summary: "Show which configuration is in force.",
    area: "configuration",
    role: "viewer",
    member: "all",
    answer: shape.Status,
  },
  "GET /configuration": {
    summary: "Show the configuration as YAML; secrets are not in it.",
    area: "configuration",
    role: "viewer",
    answer: shape.ConfigurationDocument,
  },
  "POST /configuration": {
    summary: "Check a configuration and save it as a new version.",
    area: "configuration",
    role: "admin",
    body: Type.Object({ document: text, ...settings }),
    answer: shape.ConfigurationChange,
  },
  "POST /configuration/edits": {
    summary: "Change groups, models or channels; a value that is null removes one.",
    area: "configuration",
    role: "admin",
    body: Type.Object({ edits: Type.Array(shape.Edit), ...settings }),
    answer: shape.ConfigurationChange,
  },
  "GET /configuration/versions": {
    summary: "List versions of the configuration, newest first.",
    area: "configuration",
    role: "viewer",
    answer: Type.Array(shape.ConfigurationVersion),
  },
  "GET /configuration/versions/{version}": {
    summary: "Show a version and what it changed.",
    area: "configuration",
    role: "viewer",
    answer: shape.ConfigurationVersionWithDifference,
  },
  "POST /configuration/versions/{version}/restore": {
    summary: "Go back to a version, as a new one.",
    area: "configuration",
    role: "admin",
    body: nothing,
    answer: shape.ConfigurationChange,
  },
  "GET /vendors": {
    summary: "List the vendors that a channel may be of.",
    area: "configuration",
    role: "viewer",
    answer: Type.Array(shape.Vendor),
  },
  "POST /vendors/models": {
    summary: "Ask a vendor for its list of models.",
    area: "configuration",
    role: "admin",
    body: Type.Object({ provider: text, baseUrl: text, key: text }),
    answer: shape.VendorModels,
  },
} as const satisfies Record<string, Operation>;

const operators = {
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
} as const satisfies Record<string, Operation>;

const session = {
  "GET /sign-in-ways": {
    summary: "Say how people sign in here.",
    area: "session",
    role: "visitor",
    answer: Type.Object({ provider: Type.Boolean() }),
  },
  "POST /session": {
    summary: "Sign in, by a link or by name and password.",
    area: "session",
    role: "visitor",
    body: Type.Object({ link: optional, name: optional, password: optional }),
    answer: shape.Session,
  },
  "GET /session": {
    summary: "Say who is signed in.",
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
    body: nothing,
    answer: nothing,
  },
} as const satisfies Record<string, Operation>;

const system = {
  "GET /openapi.json": {
    summary: "Describe this API, as OpenAPI 3.1.",
    area: "system",
    role: "viewer",
    member: "all",
    answer: Type.Record(text, Type.Unknown()),
  },
} as const satisfies Record<string, Operation>;

/** Every operation of control's API, by method and path. */
export const operations: Readonly<Record<string, Operation>> = {
  ...session,
  ...accounts,
  ...calls,
  ...channels,
  ...configuration,
  ...operators,
  ...system,
};
