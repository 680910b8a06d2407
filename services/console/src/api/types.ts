/* oxlint-disable max-lines */
// Generated from services/control/openapi.json: node services/console/generate.ts

export type Account = {
  readonly id: string;
  readonly name: string;
  readonly balanceNanos: string;
  readonly heldNanos: string;
  readonly availableNanos: string;
  readonly creditedNanos: string;
  readonly spentNanos: string;
  readonly balance: string;
  readonly createdAt: string;
  readonly disabled: boolean;
};

export type Credit = {
  readonly operationId: string;
  readonly time: string;
  readonly kind?: string;
  readonly nanos: string;
  readonly reason: string;
  readonly receipt?: {
    readonly number: number;
    readonly previous: string;
    readonly balanceNanos: string;
    readonly hash: string;
    readonly replaces?: string;
  };
};

export type AccountWithCredits = {
  readonly id: string;
  readonly name: string;
  readonly balanceNanos: string;
  readonly heldNanos: string;
  readonly availableNanos: string;
  readonly creditedNanos: string;
  readonly spentNanos: string;
  readonly balance: string;
  readonly createdAt: string;
  readonly disabled: boolean;
  readonly credits: readonly Credit[];
};

export type Credited = {
  readonly id: string;
  readonly name: string;
  readonly balanceNanos: string;
  readonly heldNanos: string;
  readonly availableNanos: string;
  readonly creditedNanos: string;
  readonly spentNanos: string;
  readonly balance: string;
  readonly createdAt: string;
  readonly disabled: boolean;
  readonly operationId: string;
  readonly repeated: boolean;
};

export type Token = {
  readonly id: string;
  readonly accountId: string;
  readonly name?: string;
  readonly group: string;
  readonly models?: readonly string[];
  readonly expiresAt?: string;
  readonly disabled: boolean;
  readonly allowedAddresses?: readonly string[];
  readonly budget?: {
    readonly perDay?: string;
    readonly perMonth?: string;
    readonly requestsPerDay?: number;
  };
  readonly rotateAfterDays?: number;
  readonly rotationDueAt?: string;
  readonly ofMember?: boolean;
  readonly team?: string;
  readonly member?: string;
  readonly playgroundOf?: string;
  readonly within?: {
    readonly id: string;
    readonly perDay?: string;
    readonly perMonth?: string;
    readonly requestsPerDay?: number;
  };
  readonly hint: string;
  readonly createdAt?: string;
  readonly previous?: {
    readonly hint: string;
    readonly replacedAt: string;
    readonly expiresAt: string;
    readonly lastUsedAt?: string;
  };
};

export type NewToken = {
  readonly id: string;
  readonly accountId: string;
  readonly name?: string;
  readonly group: string;
  readonly models?: readonly string[];
  readonly expiresAt?: string;
  readonly disabled: boolean;
  readonly allowedAddresses?: readonly string[];
  readonly budget?: {
    readonly perDay?: string;
    readonly perMonth?: string;
    readonly requestsPerDay?: number;
  };
  readonly rotateAfterDays?: number;
  readonly rotationDueAt?: string;
  readonly ofMember?: boolean;
  readonly team?: string;
  readonly member?: string;
  readonly playgroundOf?: string;
  readonly within?: {
    readonly id: string;
    readonly perDay?: string;
    readonly perMonth?: string;
    readonly requestsPerDay?: number;
  };
  readonly hint: string;
  readonly createdAt?: string;
  readonly previous?: {
    readonly hint: string;
    readonly replacedAt: string;
    readonly expiresAt: string;
    readonly lastUsedAt?: string;
  };
  readonly key: string;
};

export type PlaygroundAccount = {
  readonly account: string;
  readonly team: string | null;
};

export type PlaygroundKey = {
  readonly key: string;
  readonly expiresAt: string;
  readonly account: string;
  readonly team: string | null;
  readonly group: string;
};

export type Budget = {
  readonly id: string;
  readonly name?: string;
  readonly scope: string;
  readonly period: "day" | "week" | "month" | "quarter" | "total";
  readonly zone?: string;
  readonly nanos: string;
  readonly mode: "hard" | "soft";
  readonly rolloverNanos?: string;
  readonly createdAt?: string;
  readonly setWith?: "key" | "group";
  readonly usedNanos: string;
  readonly carriedNanos: string;
  readonly remainingNanos: string;
  readonly resetsAt: string | null;
};

export type Group = {
  readonly name: string;
  readonly multiplier?: number;
  readonly models: readonly string[];
  readonly limits?: {
    readonly dollarsPerDay?: number;
    readonly dollarsPerMonth?: number;
  };
};

export type PartState = {
  readonly state: "ok" | "cooldown" | "probing" | "disabled" | "refused" | "off" | "no key";
  readonly reason?: string;
  readonly vendorMessage?: string;
  readonly since?: string;
  readonly until?: string;
  readonly consecutiveCooldowns?: number;
};

export type Channel = {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly proxy: string | null;
  readonly headers: readonly string[];
  readonly defaults: readonly string[];
  readonly force: readonly string[];
  readonly models: readonly string[];
  readonly groups: "all" | readonly string[];
  readonly priority: number;
  readonly weight: number;
  readonly maxConcurrency: number | null;
  readonly keyConcurrency: number | null;
  readonly requestsPerMinute: number | null;
  readonly state: "ok" | "cooldown" | "probing" | "disabled" | "refused" | "off" | "no key";
  readonly reason?: string;
  readonly vendorMessage?: string;
  readonly since?: string;
  readonly until?: string;
  readonly consecutiveCooldowns?: number;
  readonly seats: {
    readonly inUse: number;
    readonly max: number;
  } | null;
  readonly usableKeys: string;
  readonly keys: readonly {
    readonly id: string;
    readonly state: "ok" | "cooldown" | "probing" | "disabled" | "refused" | "off" | "no key";
    readonly reason?: string;
    readonly vendorMessage?: string;
    readonly since?: string;
    readonly until?: string;
    readonly consecutiveCooldowns?: number;
    readonly seats: {
      readonly inUse: number;
      readonly max: number;
    } | null;
  }[];
  readonly cappedCalls: number;
  readonly affectedModels: readonly {
    readonly model: string;
    readonly key?: string;
    readonly state: "ok" | "cooldown" | "probing" | "disabled" | "refused" | "off" | "no key";
    readonly reason?: string;
    readonly vendorMessage?: string;
    readonly since?: string;
    readonly until?: string;
    readonly consecutiveCooldowns?: number;
  }[];
  readonly accountCooldowns: readonly {
    readonly account: string;
    readonly scope: string;
    readonly state: "ok" | "cooldown" | "probing" | "disabled" | "refused" | "off" | "no key";
    readonly reason?: string;
    readonly vendorMessage?: string;
    readonly since?: string;
    readonly until?: string;
    readonly consecutiveCooldowns?: number;
  }[];
  readonly accountsInCooldown: number;
};

export type ChannelTest = {
  readonly channel: string;
  readonly key: string;
  readonly model: string;
  readonly ok: boolean;
  readonly status: number;
  readonly ms: number;
  readonly vendorMessage: string;
};

export type Model = {
  readonly name: string;
  readonly kind:
    | "chat"
    | "completion"
    | "embedding"
    | "rerank"
    | "moderation"
    | "image"
    | "video"
    | "transcription"
    | "speech"
    | "realtime";
  readonly ownedBy?: string;
  readonly price?: Readonly<Record<string, unknown>>;
  readonly contextTokens?: number;
  readonly channels: readonly string[];
};

export type Call = {
  readonly id: string;
  readonly time: string;
  readonly requestId: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly group: string;
  readonly team?: string;
  readonly member?: string;
  readonly area: string;
  readonly endpoint: string;
  readonly model: string;
  readonly requestedModel?: string;
  readonly upstreamModel: string;
  readonly channelId: string;
  readonly status: number;
  readonly outcome: "completed" | "cancelled" | "failed";
  readonly units: {
    readonly inputTokens?: number;
    readonly cachedInputTokens?: number;
    readonly cacheWriteTokens?: number;
    readonly cacheWrite1hTokens?: number;
    readonly outputTokens?: number;
    readonly reasoningTokens?: number;
    readonly inputAudioTokens?: number;
    readonly outputAudioTokens?: number;
    readonly inputImageTokens?: number;
    readonly outputImageTokens?: number;
    readonly images?: number;
    readonly seconds?: number;
    readonly characters?: number;
    readonly requests?: number;
    readonly webSearches?: number;
    readonly codeInterpreters?: number;
    readonly fileSearches?: number;
    readonly imageGenerations?: number;
  };
  readonly estimated: boolean;
  readonly multiplier: number;
  readonly costNanos: string;
  readonly latencyMs: number;
  readonly firstByteMs: number;
  readonly attempts: number;
  readonly tries?: readonly {
    readonly channel: string;
    readonly key: string;
    readonly ms: number;
    readonly status?: number;
    readonly failed?: string;
    readonly vendorCode?: string;
    readonly vendorMessage?: string;
    readonly added?: readonly string[];
  }[];
  readonly dropped?: readonly string[];
  readonly heldNanos?: string;
  readonly priceVersion?: string;
  readonly unpriced?: readonly (
    | "inputTokens"
    | "cachedInputTokens"
    | "cacheWriteTokens"
    | "cacheWrite1hTokens"
    | "outputTokens"
    | "reasoningTokens"
    | "inputAudioTokens"
    | "outputAudioTokens"
    | "inputImageTokens"
    | "outputImageTokens"
    | "images"
    | "seconds"
    | "characters"
    | "requests"
    | "webSearches"
    | "codeInterpreters"
    | "fileSearches"
    | "imageGenerations"
    | "serviceTier"
  )[];
  readonly capped?: readonly (
    | "inputTokens"
    | "cachedInputTokens"
    | "cacheWriteTokens"
    | "cacheWrite1hTokens"
    | "outputTokens"
    | "reasoningTokens"
    | "inputAudioTokens"
    | "outputAudioTokens"
    | "inputImageTokens"
    | "outputImageTokens"
    | "images"
    | "seconds"
    | "characters"
    | "requests"
    | "webSearches"
    | "codeInterpreters"
    | "fileSearches"
    | "imageGenerations"
  )[];
  readonly serviceTier?: string;
  readonly otherModels?: readonly {
    readonly model: string;
    readonly units: {
      readonly inputTokens?: number;
      readonly cachedInputTokens?: number;
      readonly cacheWriteTokens?: number;
      readonly cacheWrite1hTokens?: number;
      readonly outputTokens?: number;
      readonly reasoningTokens?: number;
      readonly inputAudioTokens?: number;
      readonly outputAudioTokens?: number;
      readonly inputImageTokens?: number;
      readonly outputImageTokens?: number;
      readonly images?: number;
      readonly seconds?: number;
      readonly characters?: number;
      readonly requests?: number;
      readonly webSearches?: number;
      readonly codeInterpreters?: number;
      readonly fileSearches?: number;
      readonly imageGenerations?: number;
    };
    readonly priceVersion: string;
  }[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly endUser?: string;
  readonly upstreamRequestId?: string;
  readonly receipt?: {
    readonly number: number;
    readonly previous: string;
    readonly balanceNanos: string;
    readonly hash: string;
    readonly replaces?: string;
  };
};

export type CallPage = {
  readonly events: readonly Call[];
  readonly next: string | null;
};

export type RefusedCall = {
  readonly id: string;
  readonly time: string;
  readonly requestId: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly endpoint: string;
  readonly model?: string;
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  readonly message?: string;
  readonly meaning: string;
  readonly calls: number;
};

export type RefusedPage = {
  readonly refused: readonly RefusedCall[];
  readonly next: string | null;
};

export type Total = {
  readonly by: Readonly<Record<string, string>>;
  readonly sums: Readonly<Record<string, string>>;
};

export type FirstByteGroup = {
  readonly by: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
};

export type Task = {
  readonly id: string;
  readonly time: string;
  readonly taskId: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly model: string;
  readonly channelId: string;
  readonly state: "queued" | "in_progress" | "completed" | "failed";
  readonly previousState: "queued" | "in_progress" | "completed" | "failed" | null;
  readonly progress: number;
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
  readonly deleted?: true;
};

export type TaskPage = {
  readonly tasks: readonly Task[];
  readonly next: string | null;
};

export type CostLine = {
  readonly model?: string;
  readonly unit: string;
  readonly amount: string;
  readonly dollarsEach: string;
  readonly factor: string;
  readonly multiplier: string;
  readonly dollars: string;
};

export type Bill = {
  readonly lines: readonly CostLine[];
  readonly otherNanos: string;
};

export type Price = {
  readonly version: string;
  readonly price?: Readonly<Record<string, unknown>>;
  readonly publishedAt?: string;
};

export type AuditEntry = {
  readonly id: string;
  readonly account: string;
  readonly time: string;
  readonly actor: string;
  readonly action: string;
  readonly before?: unknown;
  readonly after?: unknown;
};

export type AuditPage = {
  readonly entries: readonly AuditEntry[];
  readonly next: string | null;
};

export type Verification = {
  readonly account: string;
  readonly ok: boolean;
  readonly from: number;
  readonly to: number;
  readonly balanceNanos: string;
  readonly restored: readonly unknown[];
  readonly divergence?: {
    readonly receipt?: number;
    readonly entry?: string;
    readonly message: string;
  };
};

export type CommonVerification = {
  readonly ok: boolean;
  readonly entries: number;
  readonly divergence?: {
    readonly message: string;
  };
};

export type VerificationPage = {
  readonly accounts: readonly Verification[];
  readonly common: CommonVerification | null;
  readonly next: string | null;
};

export type Anchor = {
  readonly account: string;
  readonly number: number;
  readonly head: string;
  readonly balanceNanos: string;
  readonly createdAt: string;
  readonly time: string;
  readonly signature: string;
};

export type AnchorPage = {
  readonly anchors: readonly Anchor[];
  readonly next: string | null;
};

export type Store = {
  readonly ok: boolean;
  readonly message: string | null;
};

export type Process = {
  readonly id: string;
  readonly services: readonly string[];
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly seenAt: string;
  readonly isGone: boolean;
  readonly problems: Readonly<Record<string, string>>;
};

export type Stream = {
  readonly stream: string;
  readonly isThere: boolean;
  readonly waiting: number;
  readonly oldestMs: number;
};

export type StoreNode = {
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
};

export type System = {
  readonly version: string;
  readonly processes: readonly Process[];
  readonly ledger: Store;
  readonly redis: {
    readonly ok: boolean;
    readonly message: string | null;
    readonly nodes: readonly StoreNode[];
  };
  readonly nats: Store;
  readonly books: {
    readonly ok: boolean;
    readonly message: string | null;
    readonly engine: "sqlite" | "postgres" | null;
  };
  readonly streams: readonly Stream[];
  readonly openHolds: number | null;
  readonly outboxEvents: number | null;
};

export type Problem = {
  readonly path: string;
  readonly message: string;
};

export type ConfigurationStatus = {
  readonly path: string;
  readonly version: string;
  readonly loadedAt: string;
  readonly problems: readonly Problem[];
  readonly edgeUrl: string | null;
};

export type ConfigurationVersion = {
  readonly version: number;
  readonly time: string;
  readonly actor: string;
  readonly note: string;
};

export type DifferenceLine = {
  readonly kind: "removed" | "added" | "same";
  readonly text: string;
};

export type ConfigurationVersionWithDifference = {
  readonly version: number;
  readonly time: string;
  readonly actor: string;
  readonly note: string;
  readonly document: string;
  readonly difference: readonly DifferenceLine[];
  readonly back: readonly DifferenceLine[];
};

export type ConfigurationDocument = {
  readonly source: "file" | "books";
  readonly path: string | null;
  readonly version: number | null;
  readonly time?: string;
  readonly actor?: string;
  readonly note?: string;
  readonly document: string;
  readonly problems: readonly Problem[];
  readonly published: string;
  readonly loadedAt: string;
};

export type ConfigurationParts = {
  readonly source: "file" | "books";
  readonly version: number | null;
  readonly groups: Readonly<Record<string, unknown>>;
  readonly models: Readonly<Record<string, unknown>>;
  readonly channels: readonly unknown[];
};

export type ConfigurationChange = {
  readonly version: number | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly copy: string | null;
};

export type Edit = {
  readonly section: "groups" | "models" | "channels";
  readonly name: string;
  readonly value: unknown;
};

export type Vendor = {
  readonly name: string;
  readonly title: string;
  readonly provider: string;
  readonly baseUrl: string | null;
};

export type VendorModel = {
  readonly id: string;
  readonly kind:
    | "chat"
    | "completion"
    | "embedding"
    | "rerank"
    | "moderation"
    | "image"
    | "video"
    | "transcription"
    | "speech"
    | "realtime";
  readonly price: Readonly<Record<string, unknown>> | null;
  readonly contextTokens: number | null;
};

export type VendorModels = {
  readonly models: readonly VendorModel[];
  readonly message: string | null;
};

export type Role = "viewer" | "operator" | "admin";

export type Session = {
  readonly name: string;
  readonly role: Role;
  readonly account: string | null;
  readonly email: string | null;
};

export type OpenSession = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly account: string | null;
  readonly email: string | null;
  readonly since: string;
  readonly from: string;
};

export type Person = {
  readonly name: string;
  readonly role: Role;
  readonly account: string | null;
  readonly email: string | null;
  readonly hasPassword: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
};

export type OperatorKey = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly account: string | null;
  readonly hint: string;
  readonly createdAt: string;
};

export type NewOperatorKey = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly account: string | null;
  readonly hint: string;
  readonly createdAt: string;
  readonly key: string;
};

export type Team = {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly createdAt: string;
  readonly mayAdminister: boolean;
  readonly members: readonly {
    readonly name: string;
    readonly role: "admin" | "member";
  }[];
};

export type Organisation = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly mayAdminister: boolean;
  readonly accounts: readonly string[];
  readonly admins: readonly string[];
  readonly teams: readonly Team[];
};

export type Invitation = {
  readonly name: string;
  readonly team: string | null;
  readonly role: "admin" | "member";
  readonly url: string | null;
  readonly expiresAt: string | null;
};

export type AccountMember = {
  readonly name: string;
  readonly role: Role;
  readonly email: string | null;
  readonly disabled: boolean;
};

export type AccountInvitation = {
  readonly name: string;
  readonly role: Role;
  readonly url: string | null;
  readonly expiresAt: string | null;
};

export type AlertTarget = {
  readonly id: string;
  readonly account: string;
  readonly kind: "webhook" | "slack" | "teams" | "feishu" | "pagerduty" | "email";
  readonly name: string;
  readonly alerts?: readonly (
    | "budget"
    | "balance-low"
    | "key-refused"
    | "channel-cooldown"
    | "channel-recovered"
    | "unpriced-use"
    | "ledger-divergence"
    | "key-expiring"
    | "key-rotation-due"
    | "certificate-expiring"
  )[];
  readonly address: string;
  readonly addedByMember?: boolean;
  readonly createdAt: string;
};

export type NewAlertTarget = {
  readonly id: string;
  readonly account: string;
  readonly kind: "webhook" | "slack" | "teams" | "feishu" | "pagerduty" | "email";
  readonly name: string;
  readonly alerts?: readonly (
    | "budget"
    | "balance-low"
    | "key-refused"
    | "channel-cooldown"
    | "channel-recovered"
    | "unpriced-use"
    | "ledger-divergence"
    | "key-expiring"
    | "key-rotation-due"
    | "certificate-expiring"
  )[];
  readonly address: string;
  readonly addedByMember?: boolean;
  readonly createdAt: string;
  readonly secret?: string;
};

export type AlertTest = {
  readonly delivered: boolean;
  readonly error: string;
};

export type AlertDelivery = {
  readonly target: string;
  readonly name: string;
  readonly state: "pending" | "delivered" | "dead";
  readonly tries: number;
  readonly nextAt: string | null;
  readonly error: string;
};

export type DeliveredAlert = {
  readonly id: string;
  readonly kind:
    | "budget"
    | "balance-low"
    | "key-refused"
    | "channel-cooldown"
    | "channel-recovered"
    | "unpriced-use"
    | "ledger-divergence"
    | "key-expiring"
    | "key-rotation-due"
    | "certificate-expiring"
    | "test";
  readonly severity: "info" | "warning" | "error" | "critical";
  readonly account: string;
  readonly subject: string;
  readonly period: string;
  readonly summary: string;
  readonly time: string;
  readonly details: Readonly<Record<string, string>>;
  readonly deliveries: readonly AlertDelivery[];
};

export type Refusal = {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param?: string | null;
    readonly code?:
      | "invalid_value"
      | "missing_required_parameter"
      | "invalid_json"
      | "invalid_api_key"
      | "permission_denied"
      | "unknown_url"
      | "method_not_allowed"
      | "request_too_large"
      | "unsupported_media_type"
      | "rate_limit_exceeded"
      | "request_timeout"
      | "insufficient_quota"
      | "no_available_channel"
      | "upstream_timeout"
      | "server_overloaded"
      | "internal_error"
      | null;
  };
};

/** Parameters, query, body and answer of each operation. */
export type Operations = {
  readonly "GET /sign-in-ways": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: {
      readonly provider: boolean;
    };
  };
  readonly "POST /session": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly link?: string;
      readonly name?: string;
      readonly password?: string;
    };
    readonly answer: Session;
  };
  readonly "GET /session": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Session;
  };
  readonly "POST /session/end": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "GET /accounts": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: { readonly after?: string | undefined };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Account[];
  };
  readonly "POST /accounts": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly id: string;
      readonly name?: string | null;
      readonly balance?: string | null;
    };
    readonly answer: Account;
  };
  readonly "GET /accounts/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AccountWithCredits;
  };
  readonly "POST /accounts/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name?: string;
      readonly disabled?: boolean;
    };
    readonly answer: Account;
  };
  readonly "POST /accounts/{id}/credits": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly amount: string;
      readonly reason: string;
      readonly kind?: string;
      readonly operationId?: string;
    };
    readonly answer: Credited;
  };
  readonly "GET /accounts/{id}/tokens": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Token[];
  };
  readonly "POST /accounts/{id}/tokens": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly group: string;
      readonly team?: string | null;
      readonly name?: string | null;
      readonly models?: readonly string[] | null;
      readonly expiresAt?: string | null;
      readonly allowedAddresses?: readonly string[] | null;
      readonly dollarsPerDay?: string | null;
      readonly dollarsPerMonth?: string | null;
      readonly requestsPerDay?: number | null;
      readonly rotateAfterDays?: number | null;
    };
    readonly answer: NewToken;
  };
  readonly "GET /tokens/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Token;
  };
  readonly "POST /tokens/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name?: string | null;
      readonly group?: string;
      readonly models?: readonly string[] | null;
      readonly expiresAt?: string | null;
      readonly allowedAddresses?: readonly string[] | null;
      readonly dollarsPerDay?: string | null;
      readonly dollarsPerMonth?: string | null;
      readonly requestsPerDay?: number | null;
      readonly rotateAfterDays?: number | null;
    };
    readonly answer: Token;
  };
  readonly "POST /tokens/{id}/disable": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Token;
  };
  readonly "POST /tokens/{id}/enable": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Token;
  };
  readonly "POST /tokens/{id}/expire": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly at?: string;
    };
    readonly answer: Token;
  };
  readonly "POST /tokens/{id}/rotate": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly graceSeconds?: number;
    };
    readonly answer: NewToken;
  };
  readonly "POST /tokens/{id}/delete": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "GET /playground/accounts": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly PlaygroundAccount[];
  };
  readonly "POST /playground/key": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly account: string;
      readonly team?: string | null;
      readonly group?: string | null;
    };
    readonly answer: PlaygroundKey;
  };
  readonly "GET /accounts/{id}/budgets": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Budget[];
  };
  readonly "POST /accounts/{id}/budgets": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly scope: string;
      readonly period: "day" | "week" | "month" | "quarter" | "total";
      readonly zone?: string;
      readonly amount: string;
      readonly mode?: "hard" | "soft";
      readonly rolloverCap?: string | null;
      readonly name?: string | null;
    };
    readonly answer: Budget;
  };
  readonly "POST /accounts/{id}/budgets/{budget}": {
    readonly params: { readonly id: string; readonly budget: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly amount?: string;
      readonly mode?: "hard" | "soft";
      readonly rolloverCap?: string | null;
      readonly name?: string | null;
    };
    readonly answer: Budget;
  };
  readonly "POST /accounts/{id}/budgets/{budget}/delete": {
    readonly params: { readonly id: string; readonly budget: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "GET /groups": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Group[];
  };
  readonly "GET /ledger/verification": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly account?: string | undefined;
      readonly after?: string | undefined;
      readonly anchor?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: VerificationPage;
  };
  readonly "GET /ledger/anchors": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: { readonly after?: string | undefined };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AnchorPage;
  };
  readonly "GET /audit": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly account?: string | undefined;
      readonly limit?: string | undefined;
      readonly after?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AuditPage;
  };
  readonly "GET /alerts": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly account?: string | undefined;
      readonly kind?: string | undefined;
      readonly state?: string | undefined;
      readonly limit?: string | undefined;
      readonly before?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly DeliveredAlert[];
  };
  readonly "POST /alerts/{id}/retry": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: {
      readonly retried: number;
    };
  };
  readonly "GET /alert-targets": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: { readonly account?: string | undefined };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly AlertTarget[];
  };
  readonly "POST /alert-targets": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly kind: "webhook" | "slack" | "teams" | "feishu" | "pagerduty" | "email";
      readonly name?: string | null;
      readonly account?: string | null;
      readonly alerts?:
        | readonly (
            | "budget"
            | "balance-low"
            | "key-refused"
            | "channel-cooldown"
            | "channel-recovered"
            | "unpriced-use"
            | "ledger-divergence"
            | "key-expiring"
            | "key-rotation-due"
            | "certificate-expiring"
          )[]
        | null;
      readonly url?: string;
      readonly secret?: string;
      readonly from?: string;
      readonly to?: string;
    };
    readonly answer: NewAlertTarget;
  };
  readonly "POST /alert-targets/{id}/delete": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "POST /alert-targets/{id}/test": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: AlertTest;
  };
  readonly "GET /usage": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly organisation?: string | undefined;
      readonly team?: string | undefined;
      readonly token?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly outcome?: string | undefined;
      readonly status?: string | undefined;
      readonly "request-id"?: string | undefined;
      readonly "end-user"?: string | undefined;
      readonly tag?: string | undefined;
      readonly by?: string | undefined;
      readonly sums?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Total[];
  };
  readonly "GET /usage/events": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly organisation?: string | undefined;
      readonly team?: string | undefined;
      readonly token?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly outcome?: string | undefined;
      readonly status?: string | undefined;
      readonly "request-id"?: string | undefined;
      readonly "end-user"?: string | undefined;
      readonly tag?: string | undefined;
      readonly limit?: string | undefined;
      readonly after?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: CallPage;
  };
  readonly "GET /usage/refused": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly organisation?: string | undefined;
      readonly team?: string | undefined;
      readonly token?: string | undefined;
      readonly model?: string | undefined;
      readonly status?: string | undefined;
      readonly "request-id"?: string | undefined;
      readonly limit?: string | undefined;
      readonly after?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: RefusedPage;
  };
  readonly "GET /usage/export": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly organisation?: string | undefined;
      readonly team?: string | undefined;
      readonly token?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly outcome?: string | undefined;
      readonly status?: string | undefined;
      readonly "request-id"?: string | undefined;
      readonly "end-user"?: string | undefined;
      readonly tag?: string | undefined;
      readonly format?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: string;
  };
  readonly "GET /usage/forecast": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly organisation?: string | undefined;
      readonly team?: string | undefined;
      readonly token?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly outcome?: string | undefined;
      readonly status?: string | undefined;
      readonly "request-id"?: string | undefined;
      readonly "end-user"?: string | undefined;
      readonly tag?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: {
      readonly from: string;
      readonly to: string;
      readonly spentNanos: string;
      readonly forecastNanos: string;
    };
  };
  readonly "GET /usage/chargeback": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly organisation?: string | undefined;
      readonly team?: string | undefined;
      readonly token?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly outcome?: string | undefined;
      readonly status?: string | undefined;
      readonly "request-id"?: string | undefined;
      readonly "end-user"?: string | undefined;
      readonly tag?: string | undefined;
      readonly by?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: string;
  };
  readonly "GET /usage/first-bytes": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly period?: string | undefined;
      readonly from?: string | undefined;
      readonly to?: string | undefined;
      readonly day?: string | undefined;
      readonly account?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly by?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly FirstByteGroup[];
  };
  readonly "GET /tasks": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: {
      readonly account?: string | undefined;
      readonly model?: string | undefined;
      readonly channel?: string | undefined;
      readonly state?: string | undefined;
      readonly limit?: string | undefined;
      readonly after?: string | undefined;
    };
    readonly body: Readonly<Record<string, never>>;
    readonly answer: TaskPage;
  };
  readonly "POST /bill": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Call;
    readonly answer: Bill;
  };
  readonly "GET /prices/{version}": {
    readonly params: { readonly version: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Price;
  };
  readonly "GET /channels": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Channel[];
  };
  readonly "GET /channels/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Channel;
  };
  readonly "POST /channels/{id}/disable": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly key?: string;
      readonly reason?: string;
    };
    readonly answer: Channel;
  };
  readonly "POST /channels/{id}/enable": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly key?: string;
    };
    readonly answer: Channel;
  };
  readonly "POST /channels/{id}/test": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly key?: string;
      readonly model?: string;
    };
    readonly answer: ChannelTest;
  };
  readonly "GET /channels/{id}/models": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly {
      readonly name: string;
      readonly kind: string;
    }[];
  };
  readonly "GET /models/{name}": {
    readonly params: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: {
      readonly name: string;
      readonly kind: string;
    };
  };
  readonly "GET /models": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Model[];
  };
  readonly "GET /config": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: ConfigurationStatus;
  };
  readonly "GET /configuration": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: ConfigurationDocument;
  };
  readonly "POST /configuration": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly document: string;
      readonly note?: string | null;
      readonly basedOn?: number | null;
      readonly check?: boolean;
    };
    readonly answer: ConfigurationChange;
  };
  readonly "GET /configuration/parts": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: ConfigurationParts;
  };
  readonly "POST /configuration/edits": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly edits: readonly Edit[];
      readonly note?: string | null;
      readonly basedOn?: number | null;
      readonly check?: boolean;
    };
    readonly answer: ConfigurationChange;
  };
  readonly "GET /configuration/versions": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly ConfigurationVersion[];
  };
  readonly "GET /configuration/versions/{version}": {
    readonly params: { readonly version: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: ConfigurationVersionWithDifference;
  };
  readonly "POST /configuration/versions/{version}/restore": {
    readonly params: { readonly version: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: ConfigurationChange;
  };
  readonly "GET /vendors": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Vendor[];
  };
  readonly "POST /vendors/models": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly provider: string;
      readonly baseUrl: string;
      readonly key: string;
    };
    readonly answer: VendorModels;
  };
  readonly "GET /operators": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Person[];
  };
  readonly "POST /operators": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name: string;
      readonly role?: "viewer" | "operator" | "admin";
      readonly account?: string | null;
      readonly password?: string | null;
    };
    readonly answer: Person;
  };
  readonly "POST /operators/{name}": {
    readonly params: { readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly role?: "viewer" | "operator" | "admin";
      readonly password?: string | null;
      readonly disabled?: boolean;
    };
    readonly answer: Person;
  };
  readonly "GET /operator-keys": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly OperatorKey[];
  };
  readonly "POST /operator-keys": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name: string;
      readonly role?: "viewer" | "operator" | "admin";
      readonly account?: string | null;
    };
    readonly answer: NewOperatorKey;
  };
  readonly "POST /operator-keys/{id}/delete": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "GET /sessions": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly OpenSession[];
  };
  readonly "POST /sessions/{id}/end": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: {
      readonly ended: number;
    };
  };
  readonly "POST /sign-in-links": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name?: string;
      readonly role?: "viewer" | "operator" | "admin";
      readonly account?: string;
    };
    readonly answer: {
      readonly url: string;
      readonly expiresAt: string;
    };
  };
  readonly "GET /organisations": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly Organisation[];
  };
  readonly "POST /organisations": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly id: string;
      readonly name?: string | null;
    };
    readonly answer: Organisation;
  };
  readonly "GET /organisations/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Organisation;
  };
  readonly "POST /organisations/{id}": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name: string;
    };
    readonly answer: Organisation;
  };
  readonly "POST /organisations/{id}/delete": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "POST /organisations/{id}/teams/{team}": {
    readonly params: { readonly id: string; readonly team: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name: string;
    };
    readonly answer: Organisation;
  };
  readonly "POST /organisations/{id}/teams/{team}/delete": {
    readonly params: { readonly id: string; readonly team: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: {
      readonly accountReleased: boolean;
    };
  };
  readonly "POST /organisations/{id}/teams": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly id: string;
      readonly name?: string | null;
      readonly account: string;
    };
    readonly answer: Organisation;
  };
  readonly "POST /organisations/{id}/members": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name: string;
      readonly team?: string | null;
      readonly role?: "admin" | "member";
    };
    readonly answer: Invitation;
  };
  readonly "POST /organisations/{id}/members/{name}/remove": {
    readonly params: { readonly id: string; readonly name: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly team?: string | null;
    };
    readonly answer: Readonly<Record<string, never>>;
  };
  readonly "GET /accounts/{id}/members": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: readonly AccountMember[];
  };
  readonly "POST /accounts/{id}/members": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<string, never>>;
    readonly body: {
      readonly name: string;
      readonly role?: "viewer" | "operator" | "admin";
    };
    readonly answer: AccountInvitation;
  };
  readonly "GET /system": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: System;
  };
  readonly "GET /openapi.json": {
    readonly params: Readonly<Record<string, never>>;
    readonly query: Readonly<Record<string, never>>;
    readonly body: Readonly<Record<string, never>>;
    readonly answer: string;
  };
};
