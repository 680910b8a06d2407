import {
  type JsonRecord,
  asRecord,
  memberOf,
  Fields,
  isRecord,
  ownEntry,
  parseRecord,
  asRecords,
  asText,
} from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { parseFinishReason, notJsonFailure, reportEvents, type TextEvent, type FailureEvent } from "../hub/answer.ts";
import { PartTracker } from "../hub/part-tracker.ts";
import type { Signature } from "../hub/part.ts";
import { renderArguments } from "../hub/tool-calls.ts";
import type { StreamReader } from "../hub/wire.ts";
import { parseSignature } from "../hub/signatures.ts";
import { isVendorStep, parseAnnotation, parseContent } from "./parts.ts";
import { interactionsFees, interactionsUsage } from "./usage.ts";
import { failedStatuses, finishReasons, headOf, isFiltered, messageOf } from "./vendor-answer.ts";

interface OpenStep {
  readonly key: string;
  step: JsonRecord;
  signature?: Signature | undefined;
}

/** Reads a vendor's stream of steps. */
export class InteractionsReader implements StreamReader {
  isComplete = false;
  readonly #tracker = new PartTracker(0);
  readonly #open = new Map<unknown, OpenStep>();
  #isFiltered = false;
  #started = false;
  readonly #on: Readonly<Record<string, (event: JsonRecord) => readonly TextEvent[]>> = {
    "interaction.created": ({ interaction }) => this.#start(asRecord(interaction)),
    "step.start": ({ index, step }) => (isRecord(step) ? this.#begin(index, step) : []),
    "step.delta": ({ index, delta, metadata }) => [
      ...(isRecord(delta) ? this.#addDelta(this.#open.get(index), delta) : []),
      ...reportEvents(interactionsUsage(memberOf(metadata, "total_usage")), undefined),
    ],
    "step.stop": ({ index, usage }) => [...this.#end(index), ...reportEvents(interactionsUsage(usage), undefined)],
    "interaction.completed": ({ interaction }) => this.#complete(asRecord(interaction)),
    error: (event) => [failureOf(event)],
  };

  get done(): boolean {
    return this.isComplete;
  }

  read({ data }: Frame): readonly TextEvent[] {
    if (data === "" || data === "[DONE]") return [];
    const event = parseRecord(data);
    if (event === undefined) return notJsonFailure;
    return ownEntry(this.#on, asText(event["event_type"]))?.(event) ?? [];
  }

  end(): readonly TextEvent[] {
    return this.#tracker.endAll();
  }

  #start(interaction: JsonRecord): readonly TextEvent[] {
    if (this.#started) return [];
    this.#started = true;
    return [{ type: "start", ...headOf(interaction) }];
  }

  #begin(index: unknown, step: JsonRecord): readonly TextEvent[] {
    const open: OpenStep = { key: `${String(index)}:`, step };
    this.#open.set(index, open);
    this.#isFiltered ||= isFiltered(step);
    const { type } = step;
    if (type === "function_call") {
      const [id, name, args] = [asText(step["id"]), asText(step["name"]), step["arguments"]];
      const started = this.#tracker.start(open.key, { kind: "tool-call", id, name });
      const isWhole = isRecord(args) && Object.keys(args).length > 0;
      return isWhole ? [...started, ...this.#tracker.delta(open.key, renderArguments(args))] : started;
    }
    if (type === "thought") {
      open.signature = parseSignature(asText(step["signature"]), "interactions");
      const started = this.#tracker.start(open.key, { kind: "reasoning", summary: true });
      return [...started, ...asRecords(step["summary"]).flatMap((content) => this.#addReasoning(open, content))];
    }
    return type === "model_output" ? asRecords(step["content"]).flatMap((content) => this.#write(open, content)) : [];
  }

  #addDelta(open: OpenStep | undefined, { type, ...delta }: JsonRecord): readonly TextEvent[] {
    if (open === undefined) return [];
    if (isVendorStep(asText(open.step["type"]))) open.step = { ...open.step, ...delta };
    else if (type === "arguments_delta") return this.#tracker.delta(open.key, asText(delta["arguments"]));
    else if (type === "thought_signature") open.signature = parseSignature(asText(delta["signature"]), "interactions");
    else if (type === "thought_summary") return this.#addReasoning(open, delta["content"]);
    else if (type === "text_annotation_delta") return this.#cite(open, delta["annotations"]);
    else if (open.step["type"] === "model_output") return this.#write(open, { type, ...delta });
    return [];
  }

  #addReasoning({ key }: OpenStep, content: unknown): readonly TextEvent[] {
    return this.#tracker.delta(key, isRecord(content) ? asText(content["text"]) : "");
  }

  #write({ key }: OpenStep, content: JsonRecord): readonly TextEvent[] {
    if (content["type"] === "text") {
      const events = [
        ...this.#tracker.start(key, { kind: "text" }),
        ...this.#tracker.delta(key, asText(content["text"])),
      ];
      return [...events, ...this.#citations(key, content["annotations"])];
    }
    const fields = new Fields({ content: [content] }, "", "either");
    return [...this.#tracker.end(key), ...parseContent(fields, "content").flatMap((part) => this.#tracker.whole(part))];
  }

  #cite({ key }: OpenStep, annotations: unknown): readonly TextEvent[] {
    return [...this.#tracker.start(key, { kind: "text" }), ...this.#citations(key, annotations)];
  }

  #citations(key: string, annotations: unknown): readonly TextEvent[] {
    const part = this.#tracker.numberOf(key);
    if (part === undefined) return [];
    return asRecords(annotations)
      .flatMap(parseAnnotation)
      .map((citation) => ({ type: "citation", choice: 0, part, citation }));
  }

  #end(index: unknown): readonly TextEvent[] {
    const open = this.#open.get(index);
    if (open === undefined) return [];
    this.#open.delete(index);
    const { key, step, signature } = open;
    if (!isVendorStep(asText(step["type"]))) return this.#tracker.end(key, signature);
    return this.#tracker.whole({ kind: "vendor", wire: "interactions", value: step });
  }

  #complete(interaction: JsonRecord): readonly TextEvent[] {
    const { status } = interaction;
    if (failedStatuses.has(status)) return [failureOf(interaction)];
    const endEvents = [...this.#open.keys()].flatMap((index) => this.#end(index));
    this.isComplete = true;
    const reason = this.#isFiltered ? "filtered" : parseFinishReason(finishReasons, status, this.#tracker.kinds);
    return [
      ...this.#start(interaction),
      ...endEvents,
      ...this.#tracker.endAll(),
      { type: "finish", choice: 0, reason },
      ...reportEvents(interactionsUsage(interaction["usage"]), interactionsFees(interaction)),
    ];
  }
}

/** Reads the failure in an `error` event or an interaction. */
export function failureOf(event: JsonRecord): FailureEvent {
  const { error } = event;
  const code = isRecord(error) ? asText(error["code"]) : "";
  return { type: "failure", code: code === "" ? "INTERNAL" : code, message: messageOf(event) ?? "" };
}
