import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { isRefusal } from '../common/api/refusal.ts'
import { TestEvent } from '../webhooks/test-event/test-event.tsx'
import { texts } from './texts.ts'

/** Whether the api refused a recovery because the endpoint fails. */
export const isRefusedAsFailing = (error: unknown): boolean =>
  isRefusal(error, 'CONFLICT') && error instanceof Error && error.message.includes('endpoint_failing')

type Props = { readonly webhookId: string; readonly isBusy: boolean; readonly onForce: () => void }

/** Shown when the endpoint fails: offers a test event first, and the recovery all the same. */
export function FailingOffer({ webhookId, isBusy, onForce }: Props) {
  return (
    <Alert variant="outline" color="red" title={texts.theEndpointFails} role="alert">
      <Stack gap="xs">
        <Text size="sm">{texts.wouldFailAgain}</Text>
        <TestEvent webhookId={webhookId} />
        <Group>
          <Button variant="default" loading={isBusy} onClick={onForce}>
            {texts.recoverAllTheSame}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
