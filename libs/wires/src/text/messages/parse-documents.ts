import { present } from "@modelgate/contracts";
import { isRecord, type Fields } from "../../json/fields.ts";
import type { FilePart, ImagePart } from "../hub/part.ts";
import { parseCache } from "./cache.ts";
import { addressOf, bytesOf, imageSource } from "./parse-sources.ts";

/** A document: a file, and beside it the images of one that is given as content. */
export function parseDocument(block: Fields, mostBlocks: number): readonly (FilePart | ImagePart)[] {
  const source = block.fields("source");
  if (source === undefined) throw block.wrong("source", "an object");
  const type = source.word("type", ["base64", "text", "url", "content", "file"]);
  if (type === undefined) throw source.wrong("type", "one of base64, text, url, content, file");
  const { text, images } = type === "content" ? contentOf(source, mostBlocks) : plain;
  const file: FilePart = {
    kind: "file",
    source: type === "content" ? { kind: "text", text } : fileSource(source, type),
    ...present({
      title: block.text("title"),
      context: block.text("context"),
      citations: block.fields("citations")?.flag("enabled") === true ? true : undefined,
    }),
    ...parseCache(block),
  };
  return [file, ...images];
}

function fileSource(source: Fields, type: "base64" | "text" | "url" | "file"): FilePart["source"] {
  if (type === "base64") return bytesOf(source);
  if (type !== "text") return addressOf(source, type);
  source.ignore("media_type");
  return { kind: "text", text: source.needText("data") };
}

/** What a document of blocks holds. */
interface DocumentContent {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

const plain: DocumentContent = { text: "", images: [] };

function contentOf(source: Fields, mostBlocks: number): DocumentContent {
  const content = source.raw("content");
  if (typeof content === "string") return { text: content, images: [] };
  const texts: string[] = [];
  const images: ImagePart[] = [];
  for (const block of source.each("content", mostBlocks)) {
    const type = block.word("type", ["text", "image"]);
    const picture = block.fields("source");
    if (type === "text") texts.push(block.needText("text"));
    else if (type === "image" && picture !== undefined) images.push({ kind: "image", source: imageSource(picture) });
    else throw block.wrong("type", "text, or an image with its source");
  }
  return { text: texts.join("\n\n"), images };
}

/** What a client's own search found, as words under its title and address; undefined for any other block. */
export function searchResultText(block: unknown): string | undefined {
  if (!isRecord(block) || block["type"] !== "search_result") return undefined;
  const { title, source, content } = block;
  const texts: readonly unknown[] = Array.isArray(content)
    ? content.map((each) => (isRecord(each) ? each["text"] : ""))
    : [];
  return [title, source, ...texts].filter((text) => typeof text === "string" && text !== "").join("\n\n");
}
