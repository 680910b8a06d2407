import type { chinese } from "./chinese.ts";

/** A text of the console, in English, as it is in the dictionary. */
export type Text = keyof typeof chinese;

/** The languages that the console speaks, each by its own name. */
export const languages = { en: "English", zh: "简体中文" } as const;
export type Language = keyof typeof languages;

const choiceKey = "modelgate-language";
let dictionary: Readonly<Record<string, string>> = {};

/** The language in use: the one that was chosen, else the browser's. */
export function language(): Language {
  const chosen = localStorage.getItem(choiceKey);
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** Loads the texts of the language in use. Must be over before any page is loaded. */
export async function loadTexts(): Promise<void> {
  document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
  if (language() === "zh") dictionary = (await import("./chinese.ts")).chinese;
}

/** Chooses a language: the page is loaded anew in it. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(choiceKey, chosen);
  location.reload();
}

/** A text in the language in use, with values in the places that it names in braces. */
export function say(text: Text, values: Readonly<Record<string, string | number>> = {}): string {
  const said = dictionary[text] ?? text;
  return said.replaceAll(/\{(\w+)\}/g, (braced, name: string) => String(values[name] ?? braced));
}

/** A word of the API (a state, a kind, a unit) in the language in use; in English where the dictionary has none: input tokens. */
export function sayWord(word: string): string {
  return dictionary[word] ?? word.replaceAll(/_|(?<=[a-z])(?=[A-Z\d])/g, " ").toLowerCase();
}
