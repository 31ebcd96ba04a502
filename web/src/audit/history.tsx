import { Text, Title } from '@mantine/core'
import type { AuditEntry } from '../common/api/wire.ts'
import { dayOf } from '../common/format/times.ts'
import { useParts } from '../common/session/queries.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { useNow } from '../common/ui/now.ts'
import { Moment } from '../common/ui/when.tsx'
import { EntryLine } from './entry-line.tsx'
import { Party } from './party.tsx'
import { texts } from './texts.ts'

/**
 * The history of one key or webhook: who did what, newest first, by day.
 *
 * @param path of the list in the API, after the environment
 */
export function History({ path }: { path: string }) {
  const list = useParts<AuditEntry>(path, {})
  return (
    <div className="narrow">
      <Loaded reading={list}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.data)
          if (entries.length === 0) return <Text>{texts.nothingHasHappenedYet}</Text>
          return (
            <>
              <Timeline entries={entries} />
              <MoreButton list={list} isEmpty={false} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

function Timeline({ entries }: { entries: readonly AuditEntry[] }) {
  const now = useNow()
  const days = new Map<string, AuditEntry[]>()
  for (const entry of entries) {
    const day = dayOf(new Date(entry.created_at), now)
    days.set(day, days.get(day) ?? [])
    days.get(day)?.push(entry)
  }
  return (
    <div className="timeline">
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <Title order={2} size="h3">
            {day}
          </Title>
          <ol className="panel">
            {ofDay.map((entry) => (
              <li key={entry.id}>
                <EntryLine entry={entry} actor={<Party party={entry.actor} />} />
                <span className="quiet">
                  <Moment at={entry.created_at} />
                  {entry.ip !== null && texts.fromAddress({ ip: entry.ip })}
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

type RowsProps = {
  readonly entries: readonly AuditEntry[]
  /** Narrows the list to one actor or one object, by its id. */
  readonly onFilter?: (filter: { actor: string } | { target: string }) => void
}

/** Entries of the audit as a table. Each is one line that opens. */
export const HistoryRows = ({ entries, onFilter }: RowsProps) => (
  <DataTable label={texts.history} columns={[texts.when, texts.who, texts.what, texts.from]}>
    {entries.map((entry) => (
      <Row
        key={entry.id}
        cells={[
          <Moment key="at" at={entry.created_at} />,
          <Party
            key="who"
            party={entry.actor}
            onPress={onFilter && (() => onFilter({ actor: entry.actor.id }))}
          />,
          <EntryLine
            key="what"
            entry={entry}
            onPress={onFilter && (() => onFilter({ target: entry.target.id }))}
          />,
          entry.ip ?? '–',
        ]}
      />
    ))}
  </DataTable>
)
