import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Redis } from "../redis.ts";
import { addToProgram, callInGroup } from "./group.ts";
import { scriptText, type LuaShape, scriptTexts } from "./lua.ts";
import {
  keyNamesOf,
  replyReader,
  writeArguments,
  writeKeys,
  type Kind,
  type Replies,
  type ReplyOf,
  type ScriptKeys,
  type Values,
} from "./values.ts";

/** Inputs and replies of a script, by name; the .lua uses the names as local variables. */
export interface ScriptShape<
  Key extends string,
  Arguments extends Readonly<Record<string, Kind>>,
  Shapes extends Replies,
> {
  /** The .lua file. */
  readonly file: URL;
  /** Files with functions that several scripts share, each after those that it needs. */
  readonly shared?: readonly URL[] | undefined;
  /** Names of keys; a last name that ends in `[]` is a list. */
  readonly keys: readonly Key[];
  /** Kinds of arguments by name; only the last one may be a list. */
  readonly args: Arguments;
  /**
   * Kinds of the values in each reply, by verdict. The script returns a table such as `{'settled', entry = …}`: the
   * verdict, then the values by name; only the last value may be a list.
   */
  readonly replies: Shapes;
  /**
   * True if calls in one turn of the event loop are sent together with those of other such scripts, as one command. All
   * keys of a call must then be in one slot, and lists are not possible.
   */
  readonly grouped?: boolean;
}

/** A Redis script as a typed function. */
export type Script<Key extends string, Arguments extends Readonly<Record<string, Kind>>, Shapes extends Replies> = (
  redis: Redis,
  keys: ScriptKeys<Key>,
  args: Values<Arguments>,
) => Promise<ReplyOf<Shapes>>;

/**
 * Reads a script and creates the function that runs it: by digest, sending the text only if the server does not know it
 * yet. The function throws TypeError if an argument is missing or a reply is not one of `replies`.
 */
export function defineScript<
  const Key extends string,
  const Arguments extends Readonly<Record<string, Kind>>,
  const Shapes extends Replies,
>(shape: ScriptShape<Key, Arguments, Shapes>): Script<Key, Arguments, Shapes> {
  const name = basename(fileURLToPath(shape.file));
  const keyNames = keyNamesOf(shape.keys);
  const argumentKinds = Object.entries(shape.args);
  const readReply = replyReader(name, shape.replies);
  const script = shape.grouped === true ? addToProgram(shape) : sourceOf(shape);
  return async (redis, keys, args) => {
    const keyTexts = writeKeys(name, keyNames, keys);
    const texts = writeArguments(name, argumentKinds, args);
    const call =
      typeof script === "string"
        ? callInGroup(redis, script, keyTexts, texts)
        : callAlone(redis, script, keyTexts, texts);
    return readReply(await call);
  };
}

/** A script that is sent as a separate command. */
interface ScriptSource {
  readonly text: string;
  readonly digest: string;
}

function sourceOf(shape: LuaShape): ScriptSource {
  const text = scriptText(shape, (file) => readFileSync(file, "utf8"));
  scriptTexts.add(() => text);
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}

/** Calls a script as a separate command. */
async function callAlone(
  redis: Redis,
  { text, digest }: ScriptSource,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  try {
    return await redis.evalsha(digest, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
    return await redis.eval(text, keys.length, ...keys, ...args);
  }
}
