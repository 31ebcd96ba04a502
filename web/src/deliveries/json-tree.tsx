import { ForeignText } from '../common/ui/foreign-text.js'

/** Levels that are open at first. */
const OPEN_LEVELS = 2

/** Entries of a list or an object that are shown before «more». */
const ENTRIES_SHOWN = 200

/** JSON as a tree that can be opened and closed with the keyboard. */
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
        <bdi className="foreign">{name}</bdi>: <ForeignText text={JSON.stringify(value)} limit={500} />
      </div>
    )
  const entries: [string, unknown][] = Object.entries(value)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return (
    <details open={level < OPEN_LEVELS}>
      <summary>
        <bdi className="foreign">{name}</bdi> {size}
      </summary>
      {entries.slice(0, ENTRIES_SHOWN).map(([key, child]) => (
        <Node key={key} name={key} value={child} level={level + 1} />
      ))}
      {entries.length > ENTRIES_SHOWN && (
        <div className="leaf">… {entries.length - ENTRIES_SHOWN} more: see Raw</div>
      )}
    </details>
  )
}
