import { stringify } from "yaml";
import type { Fields, Value } from "../../k8s/render/value.ts";

/**
 * Placeholders in objects, which `expand` replaces by template text after rendering as YAML. They are plain words,
 * which YAML neither quotes nor folds.
 */
const placeholders: { readonly text: string; readonly lines: boolean }[] = [];
const placeholder = (text: string, lines: boolean): string => `helm_${placeholders.push({ text, lines }) - 1}_`;

/** Returns the placeholder of `{{ expression }}`. */
export function inlineExpression(expression: string): string {
  return placeholder(`{{ ${expression} }}`, false);
}

/**
 * Returns the placeholder of complete template lines. In an object, it is a list item, or the name of a member whose
 * value is null. In `text`, `nindent @` becomes `nindent` with the indentation of the placeholder, and `nindent @2`
 * with two more spaces.
 */
export function block(text: string): string {
  return placeholder(text, true);
}

/** Returns the placeholder (`block`) of list items or members that are rendered under a condition. */
export function blockIf(condition: string, value: readonly Value[] | Fields): string {
  return block(`{{- if ${condition} }}\n${yamlOf(value).trimEnd()}\n{{- end }}`);
}

/** Returns a reference to a key of the Secret that the values name. */
export function secretKeyOf(key: string): Fields {
  return { name: inlineExpression(`.Values.secrets.${key}.name`), key: inlineExpression(`.Values.secrets.${key}.key`) };
}

/** Object of a template, with an optional condition. */
export interface Part {
  readonly object: Value;
  readonly when?: string;
}

/** Renders a template file: its head, and each object as a document. */
export function renderTemplate(head: string, parts: readonly Part[]): string {
  const documents = parts.map(({ object, when }) => {
    const document = `---\n${expand(yamlOf(object))}`;
    return when === undefined ? document : `{{- if ${when} }}\n${document}{{- end }}\n`;
  });
  return head + documents.join("");
}

/** Options of the YAML that Helm reads. In YAML 1.1, a plain `off` is a boolean. */
export const helmYaml = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

function yamlOf(value: Value): string {
  return stringify(value, helmYaml);
}

function expand(yaml: string): string {
  const withLines = yaml.replaceAll(/^( *)(?:- )?helm_(\d+)_(?:: null)?$/gm, (line, indent: string, index: string) => {
    const { text, lines } = placeholders[Number(index)] ?? { text: "", lines: false };
    if (!lines) return line;
    const indented = text.replaceAll(/nindent @(\d*)/g, (_, more: string) => `nindent ${indent.length + Number(more)}`);
    return expand(indented.replaceAll(/^(?!\{\{-|$)/gm, indent)).trimEnd();
  });
  return withLines.replaceAll(/helm_(\d+)_/g, (_, index: string) => placeholders[Number(index)]?.text ?? "");
}

/**
 * Returns the placeholder (`block`) of labels that a value of the chart names, or other ones if it is empty. Labels as the value's default would
 * be added to the user's, because Helm merges objects.
 */
export function labelsOr(expression: string, otherwise: string): string {
  return block(`{{- toYaml (${expression} | default (dict ${otherwise})) | nindent @ }}`);
}

/** Returns the placeholder (`block`) of a member that is rendered if a value of the chart is not empty. */
export function optionalMember(name: string, expression: string): string {
  return block(`{{- with ${expression} }}\n${name}:\n{{- toYaml . | nindent @2 }}\n{{- end }}`);
}
