/** Images, files and audio in a chat request: how much of the body they are, and how many tokens they may become. */
export interface Media {
  /** Characters of Base64 and data URLs: they are not text to the model. */
  readonly characters: number;
  /** An upper bound of the input tokens that vendors count for them. */
  readonly tokens: number;
}

/** No vendor counts more for one image at the highest detail. */
const tokensPerImage = 2_500;
/** A file's text is at most its decoded size, a token at least about four bytes. */
const tokensPerFileCharacter = 0.75 / 4;
/** Speech is about ten tokens a second, and no codec in use is below a kilobyte a second. */
const tokensPerAudioCharacter = 0.01;

interface Part {
  readonly type: string;
  readonly file?: { readonly file_data?: string };
}

/** Measures the media parts of messages' contents. */
export function mediaOf(contents: Iterable<unknown>): Media {
  let characters = 0;
  let tokens = 0;
  for (const content of contents) {
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      const found = measure(part);
      characters += found.characters;
      tokens += found.tokens;
    }
  }
  return { characters, tokens: Math.ceil(tokens) };
}

function measure(part: Part & Readonly<Record<string, unknown>>): Media {
  switch (part.type) {
    case "image_url": {
      const url = textAt(part["image_url"], "url");
      return { characters: url.startsWith("data:") ? url.length : 0, tokens: tokensPerImage };
    }
    case "file": {
      const characters = part.file?.file_data?.length ?? 0;
      return { characters, tokens: characters * tokensPerFileCharacter };
    }
    case "input_audio": {
      const characters = textAt(part["input_audio"], "data").length;
      return { characters, tokens: characters * tokensPerAudioCharacter };
    }
    default:
      return { characters: 0, tokens: 0 };
  }
}

function textAt(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || !(name in value)) return "";
  const found: unknown = Reflect.get(value, name);
  return typeof found === "string" ? found : "";
}
