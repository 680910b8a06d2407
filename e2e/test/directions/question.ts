import type { Suite } from "@modelgate/testkit";
import type { Wire } from "../../../services/text/test/vendors.ts";

/** A piece of what a user says. */
export type Piece = { readonly text: string } | { readonly image: string } | { readonly pdf: string };

/** A tool that takes one text. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** The name of its one argument. */
  readonly argument: string;
}

/** What is asked, whatever SDK asks it. */
export interface Question {
  readonly model: string;
  readonly stream: boolean;
  readonly system?: string;
  readonly said: readonly Piece[];
  readonly tools?: readonly OfferedTool[];
  /** Thoughts are wanted, and shown. */
  readonly reasoning?: boolean;
  /** JSON Schema of the answer. */
  readonly schema?: JsonSchema;
  readonly maxTokens?: number;
}

/** A schema of an object whose members are all required. */
export interface JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type: "string" | "number" }>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export interface HeardCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** Tokens, where the SDK reports them; input with the cached ones, output with the reasoning ones. */
export interface HeardUsage {
  readonly input: number | undefined;
  readonly cached: number | undefined;
  readonly output: number | undefined;
  readonly reasoning: number | undefined;
}

/** What a tool gave back for a call. */
export interface ToolOutput {
  readonly call: HeardCall;
  readonly output: string;
}

/** An answer, as the SDK's user reads it. */
export interface Heard {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly HeardCall[];
  /** In the SDK's own word. */
  readonly finish: string;
  readonly usage: HeardUsage;
  /** Fields named in `x-modelgate-dropped`. */
  readonly dropped: readonly string[];
  /** Goes on with the results of the calls, the answer sent back as the SDK gave it; to another model if one is named. */
  follow(outputs: readonly ToolOutput[], change?: Partial<Question>): Promise<Heard>;
}

/** An error, as the SDK's user catches it. */
export interface HeardError {
  /** Of the SDK. */
  readonly className: string;
  readonly status: number | undefined;
  readonly message: string;
  /** `error` of the body, in the client's format. */
  readonly body: unknown;
}

/** Ends that a model can come to. */
export type Ending = "stop" | "length" | "calls";

/** An official SDK as a client of the gateway. */
export interface Client {
  readonly name: string;
  /** The wire that it speaks. */
  readonly wire: Wire;
  /** How it names each ending. */
  readonly endings: Readonly<Record<Ending, string>>;
  ask(suite: Suite, key: string, question: Question): Promise<Heard>;
  /** The error that `ask` threw. */
  errorOf(thrown: unknown): HeardError;
}

/** Fields that a header names. */
export const droppedIn = (header: string | null | undefined): readonly string[] =>
  (header ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

/** The schema of a tool's arguments. */
export const parametersOf = ({ argument }: OfferedTool) => ({
  type: "object" as const,
  properties: { [argument]: { type: "string" as const } },
  required: [argument],
  additionalProperties: false as const,
});
