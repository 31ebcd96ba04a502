import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { EndedSessions, OwnSessions as Sessions } from '../common/api/wire.ts'
import type { One } from '../common/api/paging.ts'
import { useClient } from '../common/session/context.ts'
import { Card } from '../common/ui/card.tsx'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { When } from '../common/ui/when.tsx'
import { OWN_SESSIONS, useOwnChange } from './use-own.ts'
import { texts } from './texts.ts'

/** The sessions of the user, each with a button that ends it, and one that ends all others. */
export function OwnSessions() {
  const client = useClient()
  const reading = useQuery({
    queryKey: OWN_SESSIONS,
    queryFn: async ({ signal }) =>
      (await client.send<One<Sessions>>('/sessions', { signal })).body.data.sessions,
  })
  const end = useOwnChange<EndedSessions>()
  // Busy until the row of the ended session has gone from the list.
  const ending = end.isError ? undefined : end.variables?.path
  const endAt = (path: string) => end.mutate({ method: 'DELETE', path })
  return (
    <Card id="own-sessions" title={texts.sessions} note={texts.sessionsMean}>
      <Loaded reading={reading}>
        {(sessions) => (
          <>
            <DataTable
              label={texts.sessions}
              columns={[
                texts.browser,
                texts.address,
                texts.began,
                texts.lastSeen,
                { name: texts.end, isControl: true },
              ]}
            >
              {sessions.map((session) => (
                <Row
                  key={session.id}
                  cells={[
                    session.browser,
                    session.ip ?? '–',
                    <When key="began" at={session.began_at} />,
                    session.is_current ? texts.thisOne : <When key="seen" at={session.seen_at} />,
                    session.is_current ? (
                      ''
                    ) : (
                      <Button
                        key="end"
                        size="compact-sm"
                        variant="default"
                        loading={ending === `/sessions/${session.id}`}
                        disabled={end.isPending}
                        onClick={() => endAt(`/sessions/${session.id}`)}
                      >
                        {texts.end}
                      </Button>
                    ),
                  ]}
                />
              ))}
            </DataTable>
            {(sessions.length > 1 || end.error) && (
              <div className="card-foot">
                {end.error && <RefusalNotice error={end.error} />}
                <Button
                  variant="default"
                  loading={end.isPending && ending === '/sessions'}
                  disabled={end.isPending}
                  onClick={() => endAt('/sessions')}
                >
                  {texts.endAllOthers}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
