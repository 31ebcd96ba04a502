import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { EventType, TestResult } from '../common/api/wire.ts'
import { causeOf } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { useMay } from '../common/session/context.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { ForeignBlock } from '../common/ui/foreign-text.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { TEST_EVENT } from '../deliveries/filters.ts'

/** Sends a test event and shows at once what came of it. */
export function TestEvent({ webhookId }: { webhookId: string }) {
  const mayTest = useMay('webhooks.test')
  const test = useChange<TestResult>()
  const [type, setType] = useState('')
  const catalog = useOne<readonly EventType[]>('/event-types')
  if (!mayTest) return null
  const types = (catalog.data?.item ?? []).map(({ name }) => name)
  const body = type === '' ? {} : { event: type }
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Button
          loading={test.isPending}
          onClick={() => test.mutate({ method: 'POST', path: `/webhooks/${webhookId}/test`, body })}
        >
          Send test event
        </Button>
        <NativeSelect
          label="It looks like"
          data={[{ value: '', label: TEST_EVENT }, ...types]}
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
        />
      </Group>
      <div role="status">{test.data && <Result result={test.data} webhookId={webhookId} />}</div>
      {test.error && <RefusalNotice error={test.error} />}
    </Stack>
  )
}

function titleOf({ success, response_code }: TestResult): string {
  if (response_code === null) return 'It did not arrive: no answer'
  return `${success ? 'It arrived' : 'It arrived, and was refused'}: answered ${response_code}`
}

function Result({ result, webhookId }: { result: TestResult; webhookId: string }) {
  const { success, response_code, response_body, error, duration_ms, delivery_id } = result
  const mayWrite = useMay('webhooks.write')
  const cause = causeOf({ response_code, error })
  return (
    <Alert
      variant="outline"
      color={success ? 'green' : 'red'}
      title={`${titleOf(result)} after ${inMs(duration_ms)}`}
    >
      <Stack gap="xs">
        {cause && (
          <Text size="sm">
            <span className="foreign">{cause.cause}</span> {cause.hint}
          </Text>
        )}
        {response_body !== null && response_body !== '' && (
          <ForeignBlock label="Body of the answer" text={response_body} limit={1_000} />
        )}
        <Text size="sm">
          <TextLink href={`/deliveries/${webhookId}/${delivery_id}`}>Look at this delivery</TextLink>
          {!success && mayWrite && (
            <>
              {' · '}
              <TextLink href={`/webhooks/${webhookId}/edit`}>Edit the URL</TextLink>
            </>
          )}
        </Text>
      </Stack>
    </Alert>
  )
}
