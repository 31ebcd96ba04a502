import { codePieces } from '../format/code-pieces.ts'

/** Code, coloured in four quiet colours. */
export const CodeText = ({ text }: { text: string }) =>
  codePieces(text).map((piece, index) =>
    piece.kind === undefined ? (
      piece.text
    ) : (
      <span key={index} className={`code-${piece.kind}`}>
        {piece.text}
      </span>
    ),
  )
