import type { Units } from "@modelgate/contracts";
import { isRecord, parseRecord, asText } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import type { VendorRun } from "../hub/wire.ts";
import { interactionsUsage } from "./usage.ts";

/** Maximum characters of stored events without an id, by which repeated events of a resumed stream are recognized. */
const maxRepeated = 256 * 1024;

/** Follows an agent's interaction by the events of its stream. The agent continues if the connection breaks. */
export class AgentRun implements VendorRun {
  id: string | undefined;
  lastEvent: string | undefined;
  hasEnded = false;
  /** Events after `lastEvent`, which have no id. A resumed stream repeats them. */
  #unnumbered: string[] = [];
  #characters = 0;
  /** Events that the resumed stream is still expected to repeat. */
  #repeated: string[] = [];

  take({ data }: Frame): boolean {
    const event = parseRecord(data);
    if (event === undefined) return false;
    if (this.#repeated.length > 0 && this.#repeated.shift() === data) return false;
    this.#repeated = [];
    const { event_type: type, event_id: eventId, interaction } = event;
    const isSecondStart = type === "interaction.created" && this.id !== undefined;
    if (isRecord(interaction)) this.id ??= asText(interaction["id"]) || undefined;
    if (type === "interaction.completed") this.hasEnded = true;
    if (typeof eventId === "string" && eventId !== "") {
      this.lastEvent = eventId;
      this.#unnumbered = [];
      this.#characters = 0;
    } else if ((this.#characters += data.length) <= maxRepeated) this.#unnumbered.push(data);
    return !isSecondStart;
  }

  resume(): boolean {
    this.#repeated = [...this.#unnumbered];
    return this.id !== undefined && !this.hasEnded && this.#characters <= maxRepeated;
  }

  readonly usageOf = (state: Buffer): Units | undefined => interactionsUsage(parseRecord(state.toString())?.["usage"]);
}
