import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A Markdown document of the repository; `file` is relative to the checkout. */
export type Document = { readonly file: string; readonly text: string }

export const readDocument = (file: string): Document => ({
  file,
  text: readFileSync(path.join(ROOT, file), 'utf8'),
})

/** The documents at the top of the checkout and in docs/. */
export function readDocuments(): Document[] {
  const markdownIn = (folder: string) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name))
  return [...markdownIn(''), ...markdownIn('docs')].map(readDocument)
}

const FENCE = /^```.*\n([\s\S]*?)^```$/gm

/** The contents of fenced blocks. */
export const fencedBlocks = ({ text }: Document): string[] => matches(FENCE, text)

/** The contents of `code spans` outside fenced blocks. */
export const codeSpans = ({ text }: Document): string[] => matches(/`([^`]+)`/g, text.replace(FENCE, ''))

/** The targets of links outside fenced blocks. */
export const linkTargets = ({ text }: Document): string[] =>
  matches(/\]\(([^)\s]+)\)/g, text.replace(FENCE, ''))

/** Every first group of the pattern, in order. */
export const matches = (pattern: RegExp, text: string): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? '')
