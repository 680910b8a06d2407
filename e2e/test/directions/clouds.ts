import type { Vendor } from "../../../services/text/test/vendors.ts";

/** Model of a cloud, with the credentials for its signature. */
export interface Cloud extends Vendor {
  readonly key: string;
  /** Part of the address after `path`: the region, or the project and its location. */
  readonly place: string;
}

const bedrock = {
  provider: "bedrock",
  path: "/bedrock",
  place: "?region=us-east-1",
  key: "AKIASIMULATEDKEYID:AKIASIMULATEDKEYID-secret",
} as const;
const vertex = {
  provider: "vertex",
  path: "/vertex",
  place: "/v1/projects/p/locations/us-central1",
  key: "ya29.simulated",
} as const;
const claude = "claude-sonnet-4-5";

export const clouds: readonly Cloud[] = [
  {
    ...bedrock,
    name: "bedrock-converse",
    wire: "messages",
    wires: ["converse"],
    model: `us.anthropic.${claude}-v1:0`,
  },
  { ...bedrock, name: "bedrock-claude", wire: "messages", model: `us.anthropic.${claude}-v1:0` },
  { ...vertex, name: "vertex-gemini", wire: "content", model: "gemini-3-flash" },
  { ...vertex, name: "vertex-claude", wire: "messages", model: claude },
];

/** Returns a channel to a cloud. The simulator's instance has the channel's name. */
export function channelOfCloud({ name, provider, path, place, key, wires, model }: Cloud): object {
  return {
    id: name,
    provider,
    baseUrl: `\${SIMULATOR_URL}/at/${name}${path}${place}`,
    keys: [key],
    models: { [name]: model },
    ...(wires === undefined ? {} : { wires }),
  };
}
