import type { Provider } from "@modelgate/providers";

/** Returns the reason why an address cannot be the base URL of a channel to a vendor; undefined if it can. */
export function baseUrlProblem(baseUrl: string, provider: Provider): string | undefined {
  const { name, baseUrlQuery } = provider;
  if (!URL.canParse(baseUrl)) return "is no URL";
  const { protocol, username, password, search, hash } = new URL(baseUrl);
  if (protocol !== "https:" && protocol !== "http:") return "is no address of http or https";
  if (username !== "" || password !== "") return "holds a name or a password: what admits a call stands in keys";
  if (hash !== "") return "has a fragment, which no path can follow";
  if (search !== "" && baseUrlQuery !== true) return `has a query, which no path of ${name} can follow`;
  return provider.addressProblem?.(baseUrl);
}
