/** Answers of control's API, as far as the console reads them. Money is decimal nano-dollars. */
export interface Session {
  readonly name: string;
  readonly role: "viewer" | "operator" | "admin";
}

export interface Account {
  readonly id: string;
  readonly name?: string;
  readonly balanceNanos: string;
  readonly heldNanos: string;
  readonly availableNanos: string;
  readonly creditedNanos: string;
  readonly spentNanos: string;
  readonly createdAt?: string;
}

export interface Credit {
  readonly operationId: string;
  readonly time: string;
  readonly kind?: string;
  readonly nanos: string;
  readonly reason: string;
}

export interface AccountWithCredits extends Account {
  readonly credits: readonly Credit[];
}

export interface Token {
  readonly id: string;
  readonly accountId: string;
  readonly name?: string;
  readonly group: string;
  readonly models?: readonly string[];
  readonly expiresAt?: string;
  readonly disabled: boolean;
  readonly hint: string;
  readonly createdAt?: string;
}

export interface Place {
  readonly state: "ok" | "resting" | "trying" | "disabled" | "refused" | "off" | "no key";
  readonly reason?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface Channel extends Place {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly groups: "all" | readonly string[];
  readonly priority: number;
  readonly weight: number;
  readonly usableKeys: string;
  readonly keys: readonly (Place & { readonly id: string })[];
}

export interface ChannelTest {
  readonly channel: string;
  readonly key: string;
  readonly model: string;
  readonly ok: boolean;
  readonly status: number;
  readonly ms: number;
  readonly said: string;
}

export interface Model {
  readonly name: string;
  readonly kind: string;
  readonly ownedBy?: string;
  readonly price?: object;
  readonly contextTokens?: number;
  readonly channels: readonly string[];
}

export interface Call {
  readonly id: string;
  readonly time: string;
  readonly requestId: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly group: string;
  readonly area: string;
  readonly endpoint: string;
  readonly model: string;
  readonly upstreamModel: string;
  readonly channelId: string;
  readonly status: number;
  readonly outcome: "completed" | "cancelled" | "failed";
  readonly units: Readonly<Record<string, number>>;
  readonly estimated: boolean;
  readonly multiplier: number;
  readonly costNanos: string;
  readonly latencyMs: number;
  readonly firstByteMs: number;
  readonly attempts: number;
  readonly priceVersion?: string;
  readonly unpriced?: readonly string[];
  readonly capped?: readonly string[];
  readonly serviceTier?: string;
}

export interface CallPage {
  readonly events: readonly Call[];
  readonly next: string | null;
}

export interface Total {
  readonly by: Readonly<Record<string, string>>;
  readonly sums: Readonly<Record<string, string>>;
}

export interface ConfigurationStatus {
  readonly edgeUrl: string | null;
}

export interface Verification {
  readonly account: string;
  readonly ok: boolean;
  readonly from: number;
  readonly to: number;
  readonly divergence?: { readonly receipt?: number; readonly say: string };
}

export interface Group {
  readonly name: string;
  readonly multiplier?: number;
}

export interface CostLine {
  readonly unit: string;
  readonly amount: string;
  readonly dollarsEach: string;
  readonly factor: string;
  readonly multiplier: string;
  readonly dollars: string;
}

export interface Bill {
  readonly lines: readonly CostLine[];
  readonly otherNanos: string;
}
