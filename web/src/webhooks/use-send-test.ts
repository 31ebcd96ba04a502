import { notifications } from '@mantine/notifications'
import type { TestResult } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal } from '../common/ui/toasts.tsx'

/** Sends a test event and says in a message what came of it, where there is no room for all of it. */
export function useSendTest() {
  const test = useChange<TestResult>()
  const send = ({ id, name }: { id: string; name: string }) =>
    test.mutate(
      { method: 'POST', path: `/webhooks/${id}/test`, body: {} },
      {
        onSuccess: (result) =>
          notifications.show({
            color: result.success ? 'green' : 'red',
            title: `Test event to ${name}: ${result.response_code === null ? '' : 'response '}${shortCause(result)}.`,
            message: causeOf(result)?.hint ?? 'It arrived.',
          }),
        onError: showRefusal,
      },
    )
  return { send, isBusy: test.isPending }
}
