import { CodeText } from './code-text.tsx'
import { Copy } from './copy.tsx'
import { texts } from './texts.ts'

/** Text to copy into a terminal or a file. */
export function CodeBlock({ text, what }: { text: string; what: string }) {
  return (
    <div className="code">
      <pre className="block" tabIndex={0} role="region" aria-label={what}>
        <CodeText text={text} />
      </pre>
      <Copy text={text} what={what} label={texts.copyAlone} />
    </div>
  )
}
