import { ActionIcon, Alert, Button, Group, Menu, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { EventType, TestResult } from '../common/api/wire.ts'
import { causeOf } from '../common/format/attempt-hints.ts'
import { useMay } from '../common/session/context.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { IconChevronDown } from '../common/ui/icons.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { TEST_EVENT } from '../deliveries/filters.ts'
import { texts } from './texts.ts'

/** Sends a test event and shows at once what came of it. */
export function TestEvent({ webhookId }: { webhookId: string }) {
  const { button, outcome } = useTestEvent(webhookId)
  return (
    <Stack gap="sm">
      <div>{button}</div>
      {outcome}
    </Stack>
  )
}

/** The button of a test event, and what came of it, which may stand elsewhere. */
export function useTestEvent(webhookId: string): { readonly button: ReactNode; readonly outcome: ReactNode } {
  const mayTest = useMay('webhooks.test')
  const test = useChange<TestResult>()
  const send = (event?: string) =>
    test.mutate({
      method: 'POST',
      path: `/webhooks/${webhookId}/test`,
      body: event === undefined ? {} : { event },
    })
  return {
    button: mayTest && (
      <Button.Group>
        <Button loading={test.isPending} onClick={() => send()}>
          {texts.sendTestEvent}
        </Button>
        <TypeMenu isBusy={test.isPending} onChoose={send} />
      </Button.Group>
    ),
    outcome: (
      <>
        <div role="status">{test.data && <Result result={test.data} webhookId={webhookId} />}</div>
        {test.error && <RefusalNotice error={test.error} />}
      </>
    ),
  }
}

/** Sends one that looks like an event of the catalog. */
function TypeMenu({ isBusy, onChoose }: { isBusy: boolean; onChoose: (event?: string) => void }) {
  const catalog = useOne<readonly EventType[]>('/event-types')
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon className="split-button" variant="filled" disabled={isBusy} aria-label={texts.otherType}>
          <IconChevronDown size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={360} className="scrolled">
        <Menu.Item onClick={() => onChoose()}>{TEST_EVENT}</Menu.Item>
        {(catalog.data?.item ?? []).map(({ name }) => (
          <Menu.Item key={name} onClick={() => onChoose(name)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function titleOf({ success, response_code }: TestResult): string {
  if (response_code === null) return texts.noResponseCame
  return texts.resultAndResponse({
    result: success ? texts.arrived : texts.arrivedRefused,
    status: response_code,
  })
}

function Result({ result, webhookId }: { result: TestResult; webhookId: string }) {
  const { success, response_code, response_body, error, duration_ms, delivery_id } = result
  const mayWrite = useMay('webhooks.write')
  const cause = causeOf({ response_code, error })
  return (
    <Alert
      variant="outline"
      color={success ? 'green' : 'red'}
      title={texts.resultAfter({ result: titleOf(result), durationMs: duration_ms })}
    >
      <Stack gap="xs">
        {cause && (
          <Text size="sm">
            <span className="foreign">{cause.cause}</span> {cause.hint}
          </Text>
        )}
        {response_body !== null && response_body !== '' && (
          <ForeignBlock label={texts.bodyOfTheResponse} text={response_body} limit={1_000} />
        )}
        <Group gap="xs">
          <TextLink href={`/deliveries/${webhookId}/${delivery_id}`}>{texts.lookAtThisDelivery}</TextLink>
          {!success && mayWrite && (
            <TextLink href={`/webhooks/${webhookId}/edit`}>{texts.editTheUrl}</TextLink>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
