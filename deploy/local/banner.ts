import { readFileSync } from "node:fs";

/** Returns the text that is printed when the suite is ready. */
export function banner({
  url,
  consoleLink,
  config,
  data,
  seconds,
}: {
  readonly url: string;
  readonly consoleLink: string | undefined;
  readonly config: string;
  readonly data: string;
  readonly seconds: string;
}): string {
  const demo = demoOf(config);
  const model = demo?.model ?? "<model>";
  const key = demo?.key ?? "<your key>";
  return `
modelgate is ready (${seconds} s)

  address   ${url}        (SDKs that do not add /v1 themselves: ${url}/v1)
  key       ${key}
  console   ${consoleLink ?? "npm run gatectl -- operator link"}        (works once, for ten minutes)

  curl ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'

Next: README.md has SDK calls and how to add a real vendor; ${url}/openapi.json describes the API;
      npm run gatectl -- --help lists the operator's commands; logs are in ${data}/logs. Ctrl-C ends everything.
`;
}

/** Returns the first API key and model of the configuration, for an example call. */
function demoOf(config: string): { readonly key: string; readonly model: string } | undefined {
  const text = readFileSync(config, "utf8");
  const key = /^\s*-?\s*key:\s*["']?(sk-[\w-]+)/m.exec(text)?.[1];
  const model = /^models:\s*(?:#.*)?\n(?:\s*#.*\n)*\s+["']?([^\s"':]+)["']?:/m.exec(text)?.[1];
  return key === undefined || model === undefined ? undefined : { key, model };
}
