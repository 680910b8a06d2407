import { Budget as StoredBudget } from "@modelgate/accounts";
import { modelKinds, priceUnits, Receipt, RefusedCall as Refused, TaskEvent, UsageEvent } from "@modelgate/contracts";
import { Type, type TSchema } from "typebox";
import { partChoices } from "./part-choices.ts";

/** Schema of a text. In all shapes, money is in decimal nano-dollars, and times are RFC 3339. */
const text = Type.String();
const texts = Type.Array(Type.String());
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const anyValue = Type.Unknown();

export * from "./people-shapes.ts";

const account = {
  id: text,
  name: text,
  balanceNanos: text,
  heldNanos: text,
  availableNanos: text,
  creditedNanos: text,
  spentNanos: text,
  balance: text,
  createdAt: text,
  disabled: Type.Boolean({ description: "true if calls of its keys are refused" }),
};
export const Account = Type.Object(account);
export const Credit = Type.Object({
  operationId: text,
  time: text,
  kind: optional(text),
  nanos: text,
  reason: text,
  receipt: optional(Receipt),
});
export const AccountWithCredits = Type.Object({ ...account, credits: Type.Array(Credit) });
export const Credited = Type.Object({ ...account, operationId: text, repeated: Type.Boolean() });

const tokenBudget = { perDay: optional(text), perMonth: optional(text), requestsPerDay: optional(Type.Integer()) };
const token = {
  id: text,
  accountId: text,
  name: optional(text),
  group: text,
  models: optional(texts),
  expiresAt: optional(text),
  disabled: Type.Boolean(),
  allowedAddresses: optional(texts),
  budget: optional(Type.Object(tokenBudget)),
  rotateAfterDays: optional(Type.Integer()),
  rotationDueAt: optional(text),
  ofMember: optional(Type.Boolean()),
  team: optional(text),
  member: optional(text),
  playgroundOf: optional(text),
  within: optional(Type.Object({ id: text, ...tokenBudget })),
  hint: text,
  createdAt: optional(text),
  previous: optional(Type.Object({ hint: text, replacedAt: text, expiresAt: text, lastUsedAt: optional(text) })),
};
export const Token = Type.Object(token);
export const NewToken = Type.Object({ ...token, key: text });
export const PlaygroundAccount = Type.Object({ account: text, team: orNull(text) });
export const PlaygroundKey = Type.Object({
  key: text,
  expiresAt: text,
  account: text,
  team: orNull(text),
  group: text,
});
export const Budget = Type.Object({
  ...StoredBudget.properties,
  setWith: optional(Type.Enum(["key", "group"])),
  createdAt: optional(text),
  usedNanos: text,
  carriedNanos: text,
  remainingNanos: text,
  resetsAt: orNull(text),
});
const [optionalNumber, openObject] = [optional(Type.Number()), { additionalProperties: true }];
export const Group = Type.Object({
  name: text,
  multiplier: optional(Type.Number()),
  models: texts,
  limits: optional(Type.Object({ dollarsPerDay: optionalNumber, dollarsPerMonth: optionalNumber }, openObject)),
});

const states = ["ok", "cooldown", "probing", "disabled", "refused", "off", "no key"] as const;
const partState = {
  state: Type.Enum([...states]),
  reason: optional(text),
  vendorMessage: optional(text),
  since: optional(text),
  until: optional(text),
  consecutiveCooldowns: optional(Type.Integer()),
};
export const PartState = Type.Object(partState);
const seats = orNull(Type.Object({ inUse: Type.Integer(), max: Type.Integer() }));
export const Channel = Type.Object({
  id: text,
  provider: text,
  baseUrl: text,
  proxy: orNull(text),
  headers: texts,
  defaults: texts,
  force: texts,
  models: texts,
  groups: Type.Union([Type.Literal("all"), texts]),
  priority: Type.Number(),
  weight: Type.Number(),
  maxConcurrency: orNull(Type.Integer()),
  keyConcurrency: orNull(Type.Integer()),
  requestsPerMinute: orNull(Type.Integer()),
  ...partState,
  seats,
  usableKeys: text,
  keys: Type.Array(Type.Object({ id: text, ...partState, seats })),
  cappedCalls: Type.Integer(),
  affectedModels: Type.Array(Type.Object({ model: text, key: optional(text), ...partState })),
  accountCooldowns: Type.Array(Type.Object({ account: text, scope: text, ...partState })),
  accountsInCooldown: Type.Integer(),
});
export const ChannelTest = Type.Object({
  channel: text,
  key: text,
  model: text,
  ok: Type.Boolean(),
  status: Type.Integer(),
  ms: Type.Integer(),
  vendorMessage: text,
});
export const Model = Type.Object({
  name: text,
  kind: Type.Enum([...modelKinds]),
  ownedBy: optional(text),
  price: optional(Type.Record(text, anyValue, { "x-units": priceUnits })),
  contextTokens: optional(Type.Integer()),
  channels: texts,
});

/** A settled call. */
export const Call = UsageEvent;
export const CallPage = Type.Object({ events: Type.Array(UsageEvent), next: orNull(text) });
/** A refused call, with the meaning of its code. */
export const RefusedCall = Type.Object({
  ...Refused.properties,
  meaning: text,
  calls: Type.Integer({
    description: "number of refused calls that it represents: itself, and later ones that were not stored",
  }),
});
export const RefusedPage = Type.Object({ refused: Type.Array(RefusedCall), next: orNull(text) });
export const Total = Type.Object({ by: Type.Record(text, text), sums: Type.Record(text, text) });
export const FirstByteGroup = Type.Object({
  by: Type.Record(text, text),
  calls: Type.Integer(),
  p50: Type.Integer({ description: "ms" }),
  p95: Type.Integer({ description: "ms" }),
});
/** A video task in its last state. */
export const Task = TaskEvent;
export const TaskPage = Type.Object({ tasks: Type.Array(TaskEvent), next: orNull(text) });
export const CostLine = Type.Object({
  model: Type.Optional(Type.String({ description: "set for a model other than the one that answered" })),
  unit: text,
  amount: text,
  dollarsEach: text,
  factor: text,
  multiplier: text,
  dollars: text,
});
export const Bill = Type.Object({ lines: Type.Array(CostLine), otherNanos: text });
export const Price = Type.Object({
  version: text,
  price: optional(Type.Record(text, anyValue)),
  publishedAt: optional(text),
});
export const AuditEntry = Type.Object({
  id: text,
  account: text,
  time: text,
  actor: text,
  action: text,
  before: optional(anyValue),
  after: optional(anyValue),
});
export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), next: orNull(text) });
export const Verification = Type.Object({
  account: text,
  ok: Type.Boolean(),
  from: Type.Integer(),
  to: Type.Integer(),
  balanceNanos: text,
  restored: Type.Array(anyValue),
  divergence: optional(Type.Object({ receipt: optional(Type.Integer()), entry: optional(text), message: text })),
});
export const CommonVerification = Type.Object({
  ok: Type.Boolean(),
  entries: Type.Integer({ description: "verified entries of the audit" }),
  divergence: optional(Type.Object({ message: text })),
});
export const VerificationPage = Type.Object({
  accounts: Type.Array(Verification),
  common: orNull(CommonVerification),
  next: orNull(text),
});
export const Anchor = Type.Object({
  account: text,
  number: Type.Integer(),
  head: text,
  balanceNanos: text,
  createdAt: text,
  time: text,
  signature: text,
});
export const AnchorPage = Type.Object({ anchors: Type.Array(Anchor), next: orNull(text) });

const store = { ok: Type.Boolean(), message: orNull(text) };
export const Store = Type.Object(store);
export const Process = Type.Object({
  id: text,
  services: texts,
  version: text,
  host: text,
  pid: Type.Integer(),
  startedAt: text,
  seenAt: text,
  isGone: Type.Boolean(),
  problems: Type.Record(text, text),
});
export const Stream = Type.Object({
  stream: text,
  isThere: Type.Boolean(),
  waiting: Type.Integer(),
  oldestMs: Type.Integer(),
});
export const StoreNode = Type.Object({ node: text, usedBytes: Type.Number(), limitBytes: Type.Number() });
export const System = Type.Object({
  version: text,
  processes: Type.Array(Process),
  ledger: Store,
  redis: Type.Object({ ...store, nodes: Type.Array(StoreNode) }),
  nats: Store,
  books: Type.Object({ ...store, engine: orNull(Type.Enum(["sqlite", "postgres"])) }),
  streams: Type.Array(Stream),
  openHolds: orNull(Type.Integer()),
  outboxEvents: orNull(Type.Integer()),
});

export const Problem = Type.Object({ path: text, message: text });
export const ConfigurationStatus = Type.Object({
  path: text,
  version: text,
  loadedAt: text,
  problems: Type.Array(Problem),
  edgeUrl: orNull(text),
});
const version = { version: Type.Integer(), time: text, actor: text, note: text };
export const ConfigurationVersion = Type.Object(version);
export const DifferenceLine = Type.Object({ kind: Type.Enum(["removed", "added", "same"]), text });
export const ConfigurationVersionWithDifference = Type.Object({
  ...version,
  document: text,
  difference: Type.Array(DifferenceLine),
  back: Type.Array(DifferenceLine),
});
export const ConfigurationDocument = Type.Object({
  source: Type.Enum(["file", "books"]),
  path: orNull(text),
  version: orNull(Type.Integer()),
  time: optional(text),
  actor: optional(text),
  note: optional(text),
  document: text,
  problems: Type.Array(Problem),
  published: text,
  loadedAt: text,
});
/** Parts of a configuration as written, without secrets. */
export const ConfigurationParts = Type.Object({
  source: Type.Enum(["file", "books"]),
  version: orNull(Type.Integer()),
  groups: Type.Record(text, anyValue),
  models: Type.Record(text, anyValue),
  channels: Type.Array(anyValue),
});
export const ConfigurationChange = Type.Object({
  version: orNull(Type.Integer()),
  problems: Type.Array(Problem),
  warnings: Type.Array(Problem),
  copy: orNull(text),
});
export const Edit = Type.Object({
  section: Type.Enum(["groups", "models", "channels"]),
  name: text,
  value: Type.Unknown({ "x-choices": partChoices }),
});

export const Vendor = Type.Object({ name: text, title: text, provider: text, baseUrl: orNull(text) });
export const VendorModel = Type.Object({
  id: text,
  kind: Type.Enum([...modelKinds]),
  price: orNull(Type.Record(text, anyValue)),
  contextTokens: orNull(Type.Integer()),
});
export const VendorModels = Type.Object({ models: Type.Array(VendorModel), message: orNull(text) });
