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

/** Declaration of a script. Its names of keys and arguments are local variables in the .lua file. */
export interface ScriptShape<
  Key extends string,
  Arguments extends Readonly<Record<string, Kind>>,
  Shapes extends Replies,
> {
  readonly file: URL;
  /** Files of functions that several scripts share, each after the files that it needs. */
  readonly shared?: readonly URL[] | undefined;
  /** Names of the keys. The last name means a list of keys if it ends with `[]`. */
  readonly keys: readonly Key[];
  /** Types of the arguments. Only the last one may be a list. */
  readonly args: Arguments;
  /**
   * Values of each reply, by the script's verdict. The script returns, for example, `{'settled', entry = …}`. Only the
   * last value may be a list.
   */
  readonly replies: Shapes;
  /**
   * True if calls in one turn of the event loop are sent as one command. All keys of a call must then be in one slot,
   * and lists are not possible.
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
 * Reads a script and creates the function that runs it. The function rejects with TypeError if a key or argument is
 * missing, or a reply is not one of `replies`.
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
  return (redis, keys, args) => {
    try {
      const keyTexts = writeKeys(name, keyNames, keys);
      const texts = writeArguments(name, argumentKinds, args);
      const reply =
        typeof script === "string"
          ? callInGroup(redis, script, keyTexts, texts)
          : callAlone(redis, script, keyTexts, texts);
      return reply.then(readReply);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

interface ScriptSource {
  readonly text: string;
  readonly digest: string;
}

function sourceOf(shape: LuaShape): ScriptSource {
  const text = scriptText(shape, (file) => readFileSync(file, "utf8"));
  scriptTexts.add(() => text);
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}

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
