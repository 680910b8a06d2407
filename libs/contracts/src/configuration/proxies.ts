import { maxProxyCharacters, type Configuration, type ConfigurationProblem } from "./schema.ts";

/** Value of a channel's `proxy` that connects without the default proxy. */
export const noProxy = "none";

const schemes: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks5h:"]);

/** Returns the reason why a text is not the URL of a proxy, without the text, which may contain a password. */
export function proxyUrlProblem(text: string): string | undefined {
  if (text.length > maxProxyCharacters) return `is longer than ${maxProxyCharacters} characters`;
  const url = URL.parse(text);
  if (url === null || !schemes.has(url.protocol) || url.hostname === "")
    return "is not the address of a proxy, such as http://proxy.example:3128 or socks5://proxy.example:1080";
  if (url.pathname.length > 1 || url.search !== "" || url.hash !== "") return "must have only a host and a port";
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return "has a user name or a password that is not percent-encoded correctly";
  }
  return undefined;
}

/** Returns the scheme, host and port of a proxy, without its user name and password. */
export function proxyAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Returns the invalid proxies of a configuration. */
export function* proxyProblems({ proxy, channels }: Configuration): Iterable<ConfigurationProblem> {
  const message = proxy === undefined ? undefined : proxyProblem(proxy);
  if (message !== undefined) yield { path: "proxy", message };
  for (const [index, channel] of channels.entries()) {
    if (channel.proxy === undefined || channel.proxy === noProxy) continue;
    const problem = proxyProblem(channel.proxy);
    if (problem !== undefined) yield { path: `channels[${index}].proxy`, message: problem };
  }
}

function proxyProblem(text: string): string | undefined {
  if (text.startsWith("env:"))
    return /^env:[A-Za-z_]\w*$/.test(text) ? undefined : "must be env: and the name of a variable";
  const problem = proxyUrlProblem(text);
  if (problem !== undefined) return problem;
  const { username, password } = new URL(text);
  return username === "" && password === ""
    ? undefined
    : "has a user name or a password: put the whole address into a variable, and write env:NAME";
}
