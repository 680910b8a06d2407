/** What OpenTelemetry's conventions call vendors that we call otherwise. */
const conventional: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  gemini: "gcp.gemini",
};

/** A provider's name as OpenTelemetry's conventions have it (`gen_ai.provider.name`). */
export function providerNameOf(provider: string): string {
  return conventional[provider] ?? provider;
}
