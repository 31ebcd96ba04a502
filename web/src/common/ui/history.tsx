import { Text } from '@mantine/core'
import type { AuditEntry } from '../api/wire.ts'
import { useParts } from '../session/queries.ts'
import { DataTable, Row } from './data-table.tsx'
import { ForeignText } from './foreign-text.tsx'
import { Loaded } from './loaded.tsx'
import { MoreButton } from './more-button.tsx'
import { When } from './when.tsx'
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

/** Entries of the audit as a table. */
export const HistoryRows = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <DataTable label={texts.history} columns={[texts.when, texts.who, texts.what, texts.from]}>
    {entries.map((entry) => (
      <Row
        key={entry.id}
        cells={[
          <When key="at" at={entry.created_at} />,
          <ForeignText key="who" text={entry.actor.name ?? entry.actor.id} limit={60} />,
          <div key="what">
            <ForeignText text={entry.summary} />
          </div>,
          entry.ip ?? '–',
        ]}
      />
    ))}
  </DataTable>
)
