// Generated from services/control/openapi.json: node services/console/generate.ts

export const operatorRoles = ["viewer", "operator", "admin"] as const;
export const budgetPeriods = ["day", "week", "month", "quarter", "total"] as const;
export const budgetModes = ["hard", "soft"] as const;
export const alertKinds = [
  "budget",
  "balance-low",
  "key-refused",
  "channel-cooldown",
  "channel-recovered",
  "unpriced-use",
  "ledger-divergence",
  "key-expiring",
  "key-rotation-due",
  "certificate-expiring",
] as const;
export const alertTargetKinds = ["webhook", "slack", "teams", "feishu", "pagerduty", "email"] as const;
export const priceUnits = {
  input: "million tokens",
  cachedInput: "million tokens",
  cacheWrite: "million tokens",
  cacheWrite1h: "million tokens",
  output: "million tokens",
  inputAudio: "million tokens",
  outputAudio: "million tokens",
  inputImage: "million tokens",
  outputImage: "million tokens",
  request: "request",
  image: "image",
  second: "second",
  character: "character",
} as const;
export const partChoices = {
  groups: { vendorStores: ["refuse", "shared"], unpriced: ["drop", "refuse", "pass"] },
  models: {
    kind: [
      "chat",
      "completion",
      "embedding",
      "rerank",
      "moderation",
      "image",
      "video",
      "transcription",
      "speech",
      "realtime",
    ],
    choice: ["weighted", "cheapest", "fastest"],
  },
  channels: {},
} as const;
