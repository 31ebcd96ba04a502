export type CodePiece = { readonly text: string; readonly kind?: 'note' | 'text' | 'name' | 'value' }

/** Pieces that are coloured. What follows is plain: a page of them all would be slow. */
const PIECES = 500

/** Each alternative takes what it began, to its end or to that of the line: the time grows with the text alone, whoever wrote it. */
const PIECE =
  /(?<note>(?<!\S)(?:#|\/\/)[^\n]*)|(?<text>"(?:[^"\\\n]|\\.)*"?|(?<!\w)'[^'\n]{0,300}')|^(?<name>[A-Za-z][\w-]{0,63}):(?: [^\n]*)?$|(?<value>(?<![\w./-])(?:\d+(?:\.\d+)?|true|false|null|const|import|from|return|if|def)(?![\w.-]))/gm

/**
 * The pieces of JSON, headers, commands and short programs: notes, texts, names, and numbers and words of the language. Together they
 * are the text, to the letter.
 */
export function codePieces(text: string): readonly CodePiece[] {
  const pieces: CodePiece[] = []
  let end = 0
  for (const { 0: found, index, groups = {} } of text.matchAll(PIECE)) {
    if (pieces.length >= 2 * PIECES) break
    pieces.push({ text: text.slice(end, index) })
    // Of a header the name alone: a date is no number.
    const piece = groups['name'] ?? found
    end = index + piece.length
    pieces.push({ text: piece, kind: kindOf(groups, text.slice(end, end + 2)) })
  }
  return [...pieces, { text: text.slice(end) }]
}

/** In JSON a text before a colon is a name. */
function kindOf({ note, value, name }: Readonly<Record<string, string | undefined>>, next: string) {
  if (note !== undefined) return 'note'
  if (value !== undefined) return 'value'
  return name !== undefined || /^ ?:/.test(next) ? 'name' : 'text'
}
