import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

/** The pages of a folder as one text, in the order of their names; `folder` is relative to the checkout. */
export const readPages = (folder: string): string =>
  documentsIn(folder)
    .map(({ text }) => text)
    .join('\n')

const documentsIn = (folder: string): Document[] =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => readDocument(path.posix.join(folder, name)))

/** The documents at the top of the checkout and in docs/. */
export const readDocuments = (): Document[] =>
  ['', 'docs', 'docs/decisions', 'docs/operating'].flatMap(documentsIn)

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

/** The anchor that GitHub makes for a heading. */
const anchorsOf = (text: string): string[] =>
  matches(/^#+ (.+)$/gm, text).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Whether a document's link leads to a missing file, or to a missing heading. */
export function isBroken({ file }: Pick<Document, 'file'>, target: string): boolean {
  const [name = '', anchor] = target.split('#')
  const absolute = path.join(ROOT, name === '' ? file : path.join(path.dirname(file), name))
  if (!existsSync(absolute)) return true
  return anchor !== undefined && !anchorsOf(readFileSync(absolute, 'utf8')).includes(anchor)
}
