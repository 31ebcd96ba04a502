import { useState, type ReactNode } from 'react'
import type { AuditEntry } from '../common/api/wire.ts'
import { ForeignName, ForeignText } from '../common/ui/foreign-text.tsx'
import { IconChevronDown } from '../common/ui/icons.ts'
import { ShortId } from '../common/ui/short-id.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { Moment } from '../common/ui/when.tsx'
import { factsOf, inShort, isAnId, isMoment, valueInWords, type AuditFact } from './facts.ts'
import { Party } from './party.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly entry: AuditEntry
  /** The actor. Absent where a column of the table shows it. */
  readonly actor?: ReactNode
  /** Narrows the list to entries about the same object. */
  readonly onPress?: (() => void) | undefined
}

/** An entry in one line. It opens to show everything else that is known. */
export function EntryLine({ entry, actor, onPress }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { facts, isAll } = inShort(entry)
  const hasMore = !isAll || facts.some(({ after, before }) => isLong(after) || isLong(before))
  return (
    <>
      <div className="audit-line">
        <span className="audit-words">
          {actor && <strong>{actor} </strong>}
          <Sentence entry={entry} onPress={onPress} />
          {!isOpen &&
            facts.map((fact) => (
              <span key={fact.field} className="audit-fact">
                <FactInShort fact={fact} />
              </span>
            ))}
        </span>
        {hasMore && (
          <button
            type="button"
            className="copy"
            aria-expanded={isOpen}
            aria-label={texts.details}
            title={texts.details}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronDown size={14} stroke={1.75} aria-hidden />
          </button>
        )}
      </div>
      {isOpen && <Facts entry={entry} />}
    </>
  )
}

const SENTENCES: Readonly<Record<string, ((is: { target: ReactNode }) => ReactNode) | undefined>> =
  texts.sentences

function Sentence({ entry, onPress }: Props) {
  const { action, details, target } = entry
  const isOfRotation = action === 'key.create' && typeof details['replaces'] === 'string'
  const say = isOfRotation ? texts.createdByRotation : SENTENCES[action]
  if (!say) return <ForeignText text={entry.summary} />
  return <>{say({ target: <Party party={target} onPress={onPress} /> })}</>
}

/** Longer values are cut in the closed line. In characters. */
const LONGEST_IN_SHORT = 48

const isLong = (value: unknown): boolean =>
  value !== undefined && !isMoment(value) && valueInWords('', value).length > LONGEST_IN_SHORT

/** `grace 24 h`, `ends Nov 27, 16:18 GMT+1`, `name CRM → ERP`. */
const FactInShort = ({ fact }: { fact: AuditFact }) => (
  <>
    {fact.label}{' '}
    {'before' in fact && (
      <>
        <Value field={fact.field} value={fact.before} isShort /> →{' '}
      </>
    )}
    <Value field={fact.field} value={fact.after} isShort />
  </>
)

/** Every fact of the entry, with the values before and after. */
const Facts = ({ entry }: { entry: AuditEntry }) => (
  <dl className="audit-facts">
    {factsOf(entry).map((fact) => (
      <div key={fact.field}>
        <dt>{fact.label}</dt>
        <dd>
          {'before' in fact && (
            <>
              <Value field={fact.field} value={fact.before} /> <span aria-label={texts.becomes}>→</span>{' '}
            </>
          )}
          <Value field={fact.field} value={fact.after} />
        </dd>
      </div>
    ))}
  </dl>
)

type ValueProps = { readonly field: string; readonly value: unknown; readonly isShort?: boolean }

/** Fields whose value is the other key of a rotation. */
const KEYS: Readonly<Record<string, string | undefined>> = {
  replaces: texts.theOldKey,
  rotated_to: texts.theNewKey,
}

/** A value of a field. Moments and ids are shortened, all else is shown in words. */
function Value({ field, value, isShort = false }: ValueProps) {
  if (isMoment(value)) return <Moment at={value} />
  const key = KEYS[field]
  if (key && isAnId(value)) return <TextLink href={`/keys/${value}?tab=history`}>{key}</TextLink>
  if (isAnId(value)) return <ShortId id={value} what={field} />
  const words = valueInWords(field, value)
  return isShort ? (
    <ForeignName text={words} limit={LONGEST_IN_SHORT} />
  ) : (
    <ForeignText text={words} limit={300} />
  )
}
