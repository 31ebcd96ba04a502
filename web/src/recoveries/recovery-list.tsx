import { Text } from '@mantine/core'
import type { StartedRecovery, Webhook } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { Status } from '../common/ui/status.tsx'
import { Moment, When } from '../common/ui/when.tsx'
import { RecoverButton } from './recover-dialog.tsx'
import { RecoveryProgress } from './recovery-progress.tsx'
import { isOpen, KINDS, progressInWords, reasonOf, stateOf } from './recovery-words.ts'
import { texts } from './texts.ts'

const COLUMNS = [texts.begun, texts.by, texts.what, texts.howFar, texts.window, texts.ended]

/** The recoveries of a webhook, newest first. */
export function RecoveryList({ webhook }: { webhook: Webhook }) {
  const list = useParts<StartedRecovery>(`/webhooks/${webhook.id}/recoveries`, {})
  return (
    <Loaded reading={list}>
      {({ pages }) => {
        const recoveries = pages.flatMap((page) => page.data)
        if (recoveries.length === 0 && !list.hasNextPage) return <NoRecoveries webhook={webhook} />
        return (
          <>
            {recoveries.length > 0 && (
              <DataTable label={texts.recoveries} columns={COLUMNS}>
                {recoveries.map((recovery) => (
                  <RecoveryRow key={recovery.id} webhook={webhook} recovery={recovery} />
                ))}
              </DataTable>
            )}
            <MoreButton list={list} isEmpty={recoveries.length === 0} />
          </>
        )
      }}
    </Loaded>
  )
}

function RecoveryRow({ webhook, recovery }: { webhook: Webhook; recovery: StartedRecovery }) {
  const { started_by: by } = recovery
  return (
    <Row
      cells={[
        <When key="begun" at={recovery.created_at} />,
        by === null ? '–' : <ForeignText key="by" text={by.name ?? by.id} limit={60} />,
        KINDS[recovery.recovers],
        <div key="state" className="recovery-cell">
          <RecoveryState webhook={webhook} recovery={recovery} />
        </div>,
        <div key="window">
          {texts.span({ since: <Moment at={recovery.since} />, until: <Moment at={recovery.until} /> })}
        </div>,
        <When key="ended" at={recovery.ended_at} />,
      ]}
    />
  )
}

/** An open recovery is read again and again. The others stay as the list has them. */
function RecoveryState({ webhook, recovery }: { webhook: Webhook; recovery: StartedRecovery }) {
  if (isOpen(recovery)) return <RecoveryProgress webhook={webhook} recoveryId={recovery.id} />
  const [tone, word] = stateOf(recovery)
  return (
    <>
      <Status tone={tone}>{word}</Status> <span className="figures">{progressInWords(recovery)}</span>
      <Text size="sm">{reasonOf(recovery)}</Text>
    </>
  )
}

function NoRecoveries({ webhook }: { webhook: Webhook }) {
  const { settings } = useSession()
  return (
    <EmptyState
      title={texts.empty}
      action={<RecoverButton webhook={webhook} isPrimary />}
      curl={`curl -H 'Authorization: Bearer <your key>' -H 'Content-Type: application/json' ${settings.public_url}/api-v1-webhooks/${webhook.id}/recover \\
  -d '{"since": "${webhook.created_at}", "status": "failed"}'`}
    >
      {texts.emptyWhy}
    </EmptyState>
  )
}
