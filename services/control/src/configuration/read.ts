import { readFile } from "node:fs/promises";
import {
  checkConfiguration,
  upstreamWires,
  type ChannelConfiguration,
  type Configuration,
  type ConfigurationProblem,
} from "@modelgate/contracts";
import { supportsWire, providers } from "@modelgate/providers";
import { parseDocument } from "yaml";
import { baseUrlProblem } from "./addresses.ts";
import { memberProblems } from "./request-members.ts";
import { hasVariables } from "./resolve.ts";

/** Parsed configuration, or its problems. */
export type ReadConfiguration =
  | { readonly configuration: Configuration; readonly problems?: never }
  | { readonly configuration?: never; readonly problems: readonly ConfigurationProblem[] };

const maxBytes = 16 * 1024 * 1024;
/** Maximum expansions of a YAML anchor, because a small file could become huge. */
const maxAliases = 100;

/** Text of a configuration, and its parsed content or problems. */
export type FoundConfiguration = { readonly text: string } & ReadConfiguration;

/**
 * Reads a configuration file. Returns `before`, the last result, if the text is unchanged. A missing file is a problem.
 */
export async function readConfigurationFile(path: string, before?: FoundConfiguration): Promise<FoundConfiguration> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return {
      text: "",
      problems: [
        {
          path,
          message:
            error instanceof Error && "code" in error && error.code === "ENOENT"
              ? "does not exist"
              : `cannot be read: ${String(error)}`,
        },
      ],
    };
  }
  return before?.text === text && text !== "" ? before : { text, ...parseConfiguration(text) };
}

/** Parses and checks a configuration. */
export function parseConfiguration(text: string): ReadConfiguration {
  if (text.length > maxBytes) return { problems: [{ path: "(file)", message: `is larger than ${maxBytes} bytes` }] };
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map(({ message, linePos }) => ({
        path: linePos === undefined ? "(file)" : `line ${linePos[0].line}`,
        message: message.split("\n")[0]?.replace(/ at line .*$/, "") ?? message,
      })),
    };
  }
  let written: unknown;
  try {
    written = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    // The YAML has an invalid alias, or one that expands beyond the limit.
    return { problems: [{ path: "(file)", message: error instanceof Error ? error.message : String(error) }] };
  }
  const checked = checkConfiguration(written);
  const channels = checked.configuration?.channels ?? writtenChannels(written);
  const vendorSpecific = channels.flatMap((channel, at) =>
    channel === undefined
      ? []
      : [...vendorProblems(channel), ...memberProblems(channel, checked.configuration?.models)].map(
          ({ path, message }) => ({
            path: `channels[${at}].${path}`,
            message,
          }),
        ),
  );
  const problems = [...(checked.problems ?? []), ...vendorSpecific];
  return problems.length > 0 ? { problems } : checked;
}

/** Fields of a channel whose valid values depend on the vendor. */
type VendorFields = Pick<ChannelConfiguration, "provider" | "keys" | "wires" | "defaults" | "force"> & {
  readonly models?: ChannelConfiguration["models"];
  readonly baseUrl?: string | undefined;
};

/** Returns the channels of a possibly invalid file by position; undefined for an unreadable channel. */
function writtenChannels(written: unknown): readonly (VendorFields | undefined)[] {
  if (!isObject(written) || !Array.isArray(written["channels"])) return [];
  return written["channels"].map((channel: unknown): VendorFields | undefined => {
    if (!isObject(channel)) return undefined;
    const { provider, baseUrl } = channel;
    if (typeof provider !== "string" || (baseUrl !== undefined && typeof baseUrl !== "string")) return undefined;
    // The schema reports invalid keys.
    return { provider, baseUrl, keys: [] };
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Returns settings of a channel that its vendor does not support. */
function vendorProblems({ provider: name, baseUrl, keys, wires = [] }: VendorFields): readonly ConfigurationProblem[] {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === undefined)
    return [
      { path: "provider", message: `is not a known vendor: ${name}; known: ${Object.keys(providers).join(", ")}` },
    ];
  const address = baseUrl ?? provider.baseUrl;
  if (address === undefined) return [{ path: "baseUrl", message: `is missing: ${name} has no default` }];
  // Variables are checked when they are inserted.
  const addressProblem = hasVariables(address) ? undefined : baseUrlProblem(address, provider);
  const noKeys = keys === undefined && provider.keyVariable === undefined && provider.defaultKey === undefined;
  return [
    ...(noKeys ? [{ path: "keys", message: `is missing: ${name} has no usual variable for its key` }] : []),
    ...(addressProblem === undefined ? [] : [{ path: "baseUrl", message: addressProblem }]),
    ...wires.flatMap((wire, at) =>
      supportsWire(provider, wire)
        ? []
        : [
            {
              path: `wires[${at}]`,
              message: `is not a wire of ${name}: ${wire}; allowed: ${upstreamWires.filter((known) => supportsWire(provider, known)).join(", ")}`,
            },
          ],
    ),
  ];
}

/** Formats problems, one per line. */
export function problemLines(problems: readonly ConfigurationProblem[]): string {
  return problems.map(({ path, message }) => `  ${path} ${message}`).join("\n");
}
