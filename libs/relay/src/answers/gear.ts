/** How an answer is brought to the client: as it came, with a few members replaced, or through the neutral form. */
export type Gear = "bytes" | "patched";

/** What decides the gear. */
export interface GearQuestion {
  /** The model's name for the client and for the vendor. */
  readonly model: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  /** Whether the client asked for the usage frame that the gateway always asks for. */
  readonly includeUsage: boolean;
}

/** The cheapest gear that gives the client what it asked for. */
export function gearOf({ model, upstreamModel, stream, includeUsage }: GearQuestion): Gear {
  return model === upstreamModel && (!stream || includeUsage) ? "bytes" : "patched";
}
