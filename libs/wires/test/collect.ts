import type { EventHandlers } from "../src/text/hub/events.ts";
import { Failure, type Units, withoutUndefined } from "@modelgate/contracts";
import { dispatch } from "../src/text/hub/events.ts";
import type { Choice, OpenedPart, TextAnswer, TextEvent } from "../src/text/hub/answer.ts";
import type { Citation, Part, Signature, TokenProbability } from "../src/text/hub/part.ts";

const maxCollected = 32 * 2 ** 20;

interface Growing {
  readonly opened?: OpenedPart;
  whole?: Part;
  readonly pieces: string[];
  readonly citations: Citation[];
  readonly logProbabilities: TokenProbability[];
  signature?: Signature | undefined;
}

interface GrowingChoice {
  readonly parts: Map<number, Growing>;
  end?: { readonly finish: Choice["finish"]; readonly stopSequence?: string | undefined };
}

export class Collector {
  #start: Extract<TextEvent, { type: "start" }> | undefined;
  #usage: Units | undefined;
  #characters = 0;
  readonly #choices = new Map<number, GrowingChoice>();
  readonly #on: EventHandlers<void> = {
    start: (event) => {
      this.#start = event;
      this.#usage ??= event.usage;
    },
    "part-start": ({ choice, part, opened }) => this.#grow(choice, part, { opened }),
    "part-whole": ({ choice, part, whole }) => this.#grow(choice, part, { whole }),
    "part-delta": ({ choice, part, text, logProbabilities }) => {
      this.#characters += text.length;
      if (this.#characters > maxCollected) throw new Failure("upstream_error", "The answer is too large.");
      const growing = this.#part(choice, part);
      growing?.pieces.push(text);
      for (const each of logProbabilities ?? []) growing?.logProbabilities.push(each);
    },
    citation: ({ choice, part, citation }) => void this.#part(choice, part)?.citations.push(citation),
    "part-end": ({ choice, part, signature }) => {
      const growing = this.#part(choice, part);
      if (growing !== undefined) growing.signature = signature;
    },
    finish: ({ choice, reason, stopSequence }) => {
      this.#choice(choice).end = { finish: reason, stopSequence };
    },
    usage: ({ usage }) => {
      this.#usage = usage;
    },
    failure: ({ message }) => {
      throw new Failure("upstream_error", message);
    },
  };

  take(event: TextEvent): void {
    dispatch(this.#on, event);
  }

  /** Throws Failure upstream_error if the stream has no start event. */
  answer(): TextAnswer {
    if (this.#start === undefined) throw new Failure("upstream_error");
    const { id, model, createdAt } = this.#start;
    const choices = [...this.#choices.entries()]
      .sort(([left], [right]) => left - right)
      .map(([, choice]) => wholeChoice(choice));
    return withoutUndefined({ id, model, createdAt, choices, usage: this.#usage });
  }

  #grow(choice: number, part: number, how: { readonly opened?: OpenedPart; readonly whole?: Part }): void {
    this.#choice(choice).parts.set(part, { ...how, pieces: [], citations: [], logProbabilities: [] });
  }

  #part(choice: number, part: number): Growing | undefined {
    return this.#choice(choice).parts.get(part);
  }

  #choice(choice: number): GrowingChoice {
    const known = this.#choices.get(choice) ?? { parts: new Map<number, Growing>() };
    this.#choices.set(choice, known);
    return known;
  }
}

function wholeChoice({ parts, end }: GrowingChoice): Choice {
  const ordered = [...parts.entries()].sort(([left], [right]) => left - right);
  return withoutUndefined({
    parts: ordered.flatMap(([, growing]) => wholePart(growing)),
    finish: end?.finish ?? "other",
    stopSequence: end?.stopSequence === undefined ? undefined : end.stopSequence,
  });
}

function wholePart({ opened, whole, pieces, citations, logProbabilities, signature }: Growing): readonly Part[] {
  if (whole !== undefined) return [whole];
  if (opened === undefined) return [];
  const text = pieces.join("");
  const signed = signature === undefined ? {} : { signature };
  if (opened.kind === "refusal") return [{ kind: "refusal", text }];
  if (opened.kind === "tool-call") return [{ ...withoutUndefined(opened), arguments: text, ...signed }];
  if (opened.kind === "reasoning") return [{ ...withoutUndefined(opened), text, ...signed }];
  return [
    {
      kind: "text",
      text,
      ...(citations.length > 0 ? { citations } : {}),
      ...(logProbabilities.length > 0 ? { logProbabilities } : {}),
      ...signed,
    },
  ];
}
