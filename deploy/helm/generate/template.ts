import { stringify } from "yaml";
import type { Fields, Value } from "../../k8s/render/value.ts";

/**
 * Objects as Helm templates: an object carries marks where a value of the chart goes, and `print` puts the template's text
 * in the mark's place once the object is YAML. A mark is a plain word, so that YAML neither quotes nor folds it.
 */
const marked: { readonly text: string; readonly lines: boolean }[] = [];
const mark = (text: string, lines: boolean): string => `helm_${marked.push({ text, lines }) - 1}_`;

/** A value inside a line: `{{ expression }}`. */
export function inline(expression: string): string {
  return mark(`{{ ${expression} }}`, false);
}

/**
 * Whole lines in place of an item of a list, or of a member (as its name, with the value null). Lines are indented as
 * the mark is; the `@` in `nindent @` stands for that indentation, `@2` for two more.
 */
export function block(text: string): string {
  return mark(text, true);
}

/** Items or members that are there under a condition. */
export function blockIf(condition: string, value: readonly Value[] | Fields): string {
  return block(`{{- if ${condition} }}\n${yamlOf(value).trimEnd()}\n{{- end }}`);
}

/** Returns the reference to a key of a Secret that values name. */
export function secretKeyOf(key: string): Fields {
  return { name: inline(`.Values.secrets.${key}.name`), key: inline(`.Values.secrets.${key}.key`) };
}

/** An object of a template, and the condition under which it is rendered. */
export interface Part {
  readonly object: Value;
  readonly when?: string;
}

/** A template file: its head, and each object as a document of its own. */
export function print(head: string, parts: readonly Part[]): string {
  const documents = parts.map(({ object, when }) => {
    const document = `---\n${expand(yamlOf(object))}`;
    return when === undefined ? document : `{{- if ${when} }}\n${document}{{- end }}\n`;
  });
  return head + documents.join("");
}

/** Helm reads YAML 1.1, where a plain `off` is a boolean. */
export const helmYaml = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

function yamlOf(value: Value): string {
  return stringify(value, helmYaml);
}

function expand(yaml: string): string {
  const withLines = yaml.replaceAll(/^( *)(?:- )?helm_(\d+)_(?:: null)?$/gm, (line, indent: string, index: string) => {
    const { text, lines } = marked[Number(index)] ?? { text: "", lines: false };
    if (!lines) return line;
    const own = text.replaceAll(/nindent @(\d*)/g, (_, more: string) => `nindent ${indent.length + Number(more)}`);
    return expand(own.replaceAll(/^(?!\{\{-|$)/gm, indent)).trimEnd();
  });
  return withLines.replaceAll(/helm_(\d+)_/g, (_, index: string) => marked[Number(index)]?.text ?? "");
}

/** A member that is there where a value of the chart is not empty. */
export function optional(name: string, expression: string): string {
  return block(`{{- with ${expression} }}\n${name}:\n{{- toYaml . | nindent @2 }}\n{{- end }}`);
}
