import { bearer, type Endpoint } from "./endpoint.ts";

const look = { method: "GET", area: "text", errors: "common", keys: bearer, body: "none" } as const;

/**
 * Endpoints for the remaining budget of a key, in the formats of other gateways' clients. All return the same numbers.
 */
export const moneyEndpoints = {
  billingSubscription: {
    ...look,
    path: "/v1/dashboard/billing/subscription",
    summary: "What the key could spend in all, in US dollars: what is spent and what is left.",
  },
  billingUsage: {
    ...look,
    path: "/v1/dashboard/billing/usage",
    summary: "What the account has spent in all, in US cents.",
  },
  credits: { ...look, path: "/v1/credits", summary: "Credits and usage of the account, in US dollars." },
  currentKey: { ...look, path: "/v1/key", summary: "The key itself: what it has left and until when, in US dollars." },
} as const satisfies Record<string, Endpoint>;
