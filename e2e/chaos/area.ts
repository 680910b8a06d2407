import type { Area as AreaName } from "@modelgate/contracts";
import type { Suite } from "@modelgate/testkit";

/** When a client leaves: before its request is sent, before its answer begins, in the middle of it, or never. */
export type Leaves = "while sending" | "before the answer" | "in the answer" | "never";

/** Which ways a model has: two channels, the first of them only, or a vendor that lies about its length. */
export type Ways = "two" | "lone" | "lied";

/** How a vendor misbehaves; each area says what that means for its answers, in the words of the simulator's README. */
export type Misbehaviour = "stalls" | "cuts";

/** A vendor of an area: a model of that name for each of the ways, and the channels to it. */
export interface Vendor {
  readonly name: string;
  readonly kind: string;
  readonly price: Readonly<Record<string, number>>;
  /** The provider, and where its base address is below an instance of the simulator. */
  readonly provider: string;
  readonly path: string;
  readonly upstreamModel: string;
  /** Absent: a name. */
  readonly key?: string;
}

/** One request, or one conversation, of a client. */
export interface Asking {
  readonly edgeUrl: string;
  readonly key: string;
  readonly requestId: string;
  readonly ways: Ways;
  readonly leaves: Leaves;
  /** Counts the requests of an area: it may ask for one thing after the other. */
  readonly turn: number;
}

/** What became of it. */
export interface Outcome {
  /** What its client saw go wrong; nothing where all went well, or where it left. */
  readonly failures: readonly string[];
  readonly left: boolean;
  /** Answers that arrived whole: each must have been charged. */
  readonly whole: number;
  /** Answers that were asked for: no more than these may have been charged. */
  readonly asked: number;
}

/** An area under fire: what its clients ask for, and how its vendors misbehave. */
export interface Area {
  readonly name: Exclude<AreaName, "edge">;
  readonly vendors: readonly Vendor[];
  readonly misbehaves: Readonly<Record<Misbehaviour, object>>;
  /** Absent: a vendor that lies about the length of its answers cannot be recognised in this area. */
  readonly hasLengths?: true;
  ask(asking: Asking): Promise<Outcome>;
  /**
   * Work that vendors were asked for more than once, among requests whose id begins so. `refusing`: what the first
   * vendors were asked for they refused.
   */
  repeated?(suite: Suite, idBeginning: string, refusing: boolean): Promise<number>;
}

/** The model of a vendor that has such ways. */
export function modelOf({ name }: Vendor, ways: Ways): string {
  return `${name}-${ways}`;
}

/** Asked once for one answer, which did not come whole. */
export function failed(what: string): Outcome {
  return { failures: [what], left: false, whole: 0, asked: 1 };
}

/** Asked once for one answer, which came whole; or its client left. */
export function ended(end: "whole" | "left"): Outcome {
  return { failures: [], left: end === "left", whole: end === "whole" ? 1 : 0, asked: 1 };
}
