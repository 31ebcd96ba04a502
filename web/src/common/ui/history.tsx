import { Anchor, Text } from '@mantine/core'
import type { AuditEntry } from '../api/wire.ts'
import { useParts } from '../session/queries.ts'
import { DataTable, Row } from './data-table.tsx'
import { ForeignName, ForeignText } from './foreign-text.tsx'
import { Loaded } from './loaded.tsx'
import { MoreButton } from './more-button.tsx'
import { ShownId } from './short-id.tsx'
import { TextLink } from './text-link.tsx'
import { ShortTime, When } from './when.tsx'
import { texts } from './texts.ts'

/** Who did what to a key or a webhook, and from where. @param path of the list, below the environment */
export function History({ path }: { path: string }) {
  const list = useParts<AuditEntry>(path, {})
  return (
    <Loaded reading={list}>
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.data)
        if (entries.length === 0) return <Text>{texts.nothingHasHappenedYet}</Text>
        return (
          <>
            <HistoryRows entries={entries} />
            <MoreButton list={list} isEmpty={false} />
          </>
        )
      }}
    </Loaded>
  )
}

type RowsProps = {
  readonly entries: readonly AuditEntry[]
  /** Shows only those of one actor or of one object, by its id. Without it the rows have no object. */
  readonly onFilter?: (filter: { actor: string } | { target: string }) => void
}

/** Entries of the audit as a table. */
export const HistoryRows = ({ entries, onFilter }: RowsProps) => (
  <DataTable
    label={texts.history}
    columns={[texts.when, texts.who, texts.what, ...(onFilter ? [texts.object] : []), texts.from]}
  >
    {entries.map((entry) => {
      const { actor, target } = entry
      return (
        <Row
          key={entry.id}
          cells={[
            <div key="at" className="no-wrap">
              <When at={entry.created_at} />
              <span className="second-line">
                <ShortTime at={entry.created_at} />
              </span>
            </div>,
            <Party key="who" party={actor} onPress={onFilter && (() => onFilter({ actor: actor.id }))} />,
            <div key="what">
              <ForeignText text={entry.summary} limit={LONGEST_SUMMARY} />
              <Rotation entry={entry} />
            </div>,
            ...(onFilter
              ? [<Party key="of" party={target} onPress={() => onFilter({ target: target.id })} />]
              : []),
            entry.ip ?? '–',
          ]}
        />
      )
    })}
  </DataTable>
)

/** The api makes none longer. */
const LONGEST_SUMMARY = 500

const NAMES: Readonly<Record<string, string | undefined>> = texts.actors

type PartyProps = {
  readonly party: AuditEntry['actor']
  readonly onPress: (() => void) | undefined
}

/** Who did it, or what it was done to, by name: pressed, the list shows only what is theirs. */
function Party({ party: { id, name: given }, onPress }: PartyProps) {
  const name = given ?? NAMES[id]
  const shown = name === undefined ? <ShownId id={id} /> : <ForeignName text={name} />
  if (!onPress) return shown
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      c="inherit"
      ta="left"
      title={texts.onlyOfThis({ name: name ?? id })}
      onClick={onPress}
    >
      {shown}
    </Anchor>
  )
}

/** From the history of a key to that of the one before it, and of the one behind it. */
function Rotation({ entry: { action, details } }: { entry: AuditEntry }) {
  const { replaces, rotated_to: heir } = details
  if (action === 'key.create' && typeof replaces === 'string')
    return (
      <span className="second-line">
        {texts.replacesKey({
          link: <TextLink href={`/keys/${replaces}?tab=history`}>{texts.theOldKey}</TextLink>,
        })}
      </span>
    )
  if (action !== 'key.rotate' || typeof heir !== 'string') return null
  return (
    <span className="second-line">
      {texts.replacedByKey({
        link: <TextLink href={`/keys/${heir}?tab=history`}>{texts.theNewKey}</TextLink>,
      })}
    </span>
  )
}
