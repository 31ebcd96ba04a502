import { notifications } from '@mantine/notifications'
import type { TestResult } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal } from '../common/ui/toasts.tsx'

/** Sends a test event and says in a message what came of it, also when what sent it is not there any more. */
export function useSendTest() {
  const test = useChange<TestResult>()
  const send = async ({ id, name }: { readonly id: string; readonly name: string }) => {
    try {
      const result = await test.mutateAsync({ method: 'POST', path: `/webhooks/${id}/test`, body: {} })
      const response = result.response_code === null ? '' : 'response '
      notifications.show({
        color: result.success ? 'green' : 'red',
        title: `Test event to ${name}: ${response}${shortCause(result)}.`,
        message: causeOf(result)?.hint ?? 'It arrived.',
      })
    } catch (error) {
      showRefusal(error)
    }
  }
  return {
    send: (webhook: { readonly id: string; readonly name: string }) => void send(webhook),
    isBusy: test.isPending,
  }
}
