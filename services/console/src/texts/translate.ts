import type { chinese } from "./chinese.ts";

/** Text of the console in English, which is its key in the dictionary. */
export type TextKey = keyof typeof chinese;

/** Languages with their native names. */
export const languages = { en: "English", zh: "简体中文" } as const;
export type Language = keyof typeof languages;

const choiceKey = "modelgate-language";
let dictionary: Readonly<Record<string, string>> = {};

/** Returns the current language: the chosen one, or else the browser's. */
export function language(): Language {
  const chosen = localStorage.getItem(choiceKey);
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** Loads the texts of the current language. Must finish before a page is loaded. */
export async function loadTexts(): Promise<void> {
  document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
  if (language() === "zh") dictionary = (await import("./chinese.ts")).chinese;
}

/** Sets the language and reloads the page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(choiceKey, chosen);
  location.reload();
}

/** Returns a text in the current language, with values for the names in braces. */
export function translate(text: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const translated = dictionary[text] ?? text;
  return translated.replaceAll(/\{(\w+)\}/g, (braced, name: string) => String(values[name] ?? braced));
}

/** Returns a term of the API in the current language. An unknown term becomes English words, such as "input tokens". */
export function translateTerm(word: string): string {
  return dictionary[word] ?? word.replaceAll(/_|(?<=[a-z])(?=[A-Z\d])/g, " ").toLowerCase();
}
