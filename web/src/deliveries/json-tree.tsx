import { cutText } from '../common/format/cut-text.ts'
import { Disclosure } from '../common/ui/disclosure.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { texts } from './texts.ts'

/** Levels deeper than this are closed at first. */
const OPEN_LEVELS = 2

/** The most entries of a list or an object that are shown before «more». */
const ENTRIES_SHOWN = 200

/** The most characters of a name that are shown. The tab Raw shows all of them. */
const NAME_LIMIT = 200

/** JSON as a tree. The keyboard can open and close its nodes. */
export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className="tree">
      <Node name="payload" value={value} level={0} />
    </div>
  )
}

function Node({ name, value, level }: { name: string; value: unknown; level: number }) {
  if (typeof value !== 'object' || value === null)
    return (
      <div className="leaf">
        <Name text={name} />:{' '}
        <span className={typeof value === 'string' ? 'code-text' : 'code-value'}>
          <ForeignText text={JSON.stringify(value)} limit={500} />
        </span>
      </div>
    )
  const entries: [string, unknown][] = Object.entries(value)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return (
    <Disclosure
      isOpen={level < OPEN_LEVELS}
      summary={
        <>
          <Name text={name} /> <span className="code-note">{size}</span>
        </>
      }
    >
      {entries.slice(0, ENTRIES_SHOWN).map(([key, child]) => (
        <Node key={key} name={key} value={child} level={level + 1} />
      ))}
      {entries.length > ENTRIES_SHOWN && (
        <div className="leaf">{texts.moreSeeRaw({ shown: entries.length - ENTRIES_SHOWN })}</div>
      )}
    </Disclosure>
  )
}

function Name({ text }: { text: string }) {
  const { shown, isCut } = cutText(text, NAME_LIMIT)
  return (
    <>
      <bdi className="foreign code-name">{shown}</bdi>
      {isCut && '…'}
    </>
  )
}
