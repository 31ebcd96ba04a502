export type CodePiece = { readonly text: string; readonly kind?: 'note' | 'text' | 'name' | 'value' }

/** The most pieces that are coloured. The text after them is plain, because a page of coloured pieces only would be slow. */
const PIECES = 500

/**
 * Each alternative runs to its own end, or to the end of the line. So the time grows linearly with the text, whoever wrote it.
 */
const PIECE =
  /(?<note>(?<!\S)(?:#|\/\/)[^\n]*)|(?<text>"(?:[^"\\\n]|\\.)*"?|(?<!\w)'[^'\n]{0,300}')|^(?<name>[A-Za-z][\w-]{0,63}):(?: [^\n]*)?$|(?<value>(?<![\w./-])(?:\d+(?:\.\d+)?|true|false|null|const|import|from|return|if|def)(?![\w.-]))/gm

/**
 * Splits JSON, headers, commands and short programs into pieces: comments, texts, names, numbers and keywords. All pieces
 * together are the text, unchanged.
 */
export function codePieces(text: string): readonly CodePiece[] {
  const pieces: CodePiece[] = []
  let end = 0
  for (const { 0: found, index, groups = {} } of text.matchAll(PIECE)) {
    if (pieces.length >= 2 * PIECES) break
    pieces.push({ text: text.slice(end, index) })
    // In a header only the name is coloured, because a date is not a number.
    const piece = groups['name'] ?? found
    end = index + piece.length
    pieces.push({ text: piece, kind: kindOf(groups, text.slice(end, end + 2)) })
  }
  return [...pieces, { text: text.slice(end) }]
}

/** In JSON, a text before a colon is a name. */
function kindOf({ note, value, name }: Readonly<Record<string, string | undefined>>, next: string) {
  if (note !== undefined) return 'note'
  if (value !== undefined) return 'value'
  return name !== undefined || /^ ?:/.test(next) ? 'name' : 'text'
}
